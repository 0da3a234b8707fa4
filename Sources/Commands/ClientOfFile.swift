internal import Flows
internal import FoundationEssentials
internal import Host
internal import OAuth

/// A user's provider file that names a client which is no more.
struct ClientOfFile {
  let environment: Environment

  /// Has the file name another client, or none; the rest of it stays as somebody has written it.
  ///
  /// Where that cannot be done, a warning says what is to be done by hand.
  func replace(_ old: String, by new: String?, in provider: String) {
    let providers = environment.providers
    let path = providers.path(provider)
    guard let found = try? providers.find(provider), found.source == .user, found.provider.clientID == old,
      let bytes = try? WholeFile.readRegular(path, limit: ProviderFile.largest)
    else { return }
    let output = environment.output
    if let changed = ProviderFileEdit.settingClientID(new, in: bytes), write(changed, to: path) {
      return output.note(new == nil ? "took its id out of \(path)" : "wrote its id into \(path)")
    }
    let line = ProviderFileEdit.lineOfClientID(in: bytes).map { " (line \($0))" } ?? ""
    let remedy = new.map { "write \(PrintableText.printable($0, limit: 80)) in its place" } ?? "remove its 'client_id'"
    output.warn(
      "\(path)\(line) still names the client \(PrintableText.printable(old, limit: 80)), which is no more: \(remedy)")
  }

  /// False where it cannot be written, or is but a link to what somebody keeps elsewhere.
  private func write(_ bytes: [UInt8], to path: String) -> Bool {
    guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil,
      let status = (try? FolderStatus.of(path)) ?? nil
    else { return false }
    return (try? WholeFile.write(bytes, to: path, mode: status.mode & 0o777)) != nil
  }
}
