internal import CLI
internal import FoundationEssentials
internal import Host
internal import OAuth

/// The providers there are: the user's files, and the built-in ones that no file replaces.
struct ProviderDirectory: Sendable {
  let folder: String

  /// Where a provider comes from.
  enum Source: String, Sendable {
    case builtIn = "built-in"
    case user
  }

  /// Finds a provider; the user's file wins.
  ///
  /// Nil where there is none.
  ///
  /// - Throws: ``Failure`` where the user's file cannot be used, or other users could have a say in it: it decides where
  ///   the next login's code and secret go.
  func find(_ name: String) throws(Failure) -> (provider: Provider, source: Source)? {
    if let provider = try readUserFile(name) { return (provider, .user) }
    return Self.builtIn(name).map { ($0, .builtIn) }
  }

  /// Finds a provider of the catalogue, whatever files there are.
  static func builtIn(_ name: String) -> Provider? { ProviderCatalog.load().first { $0.name == name } }

  /// All providers by name.
  ///
  /// A file that cannot be used is handed to `broken`, and the rest are listed all the same.
  func all(broken: (Failure) -> Void) -> [(provider: Provider, source: Source)] {
    var found: [(provider: Provider, source: Source)] = []
    var userNames: Set<String> = []
    for name in fileNames(broken: broken) {
      userNames.insert(name)
      do {
        if let provider = try readUserFile(name) { found.append((provider, .user)) }
      } catch {
        broken(Failure(error))
      }
    }
    found += ProviderCatalog.load().filter { !userNames.contains($0.name) }.map { ($0, .builtIn) }
    return found.sorted { $0.provider.name < $1.provider.name }
  }

  /// The failure of a name that nobody knows, with a near one if there is.
  func unknown(_ name: String) -> Failure {
    let names = all { _ in }.map(\.provider.name)
    return Failure(
      .configuration, "unknown provider \(Quoting.quote(name))",
      hint: Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
        ?? "see 'oauthctl providers', or describe it with 'oauthctl providers add NAME --issuer URL'")
  }

  func path(_ name: String) -> String { "\(folder)/\(name).json" }

  /// Writes a user's file, whole or not at all.
  func write(_ provider: Provider) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try WholeFile.write(Array(ProviderFile.write(provider).utf8), to: path(provider.name), mode: 0o644)
  }

  /// Removes a user's file; false where there is none.
  func remove(_ name: String) throws -> Bool {
    try WholeFile.remove(path(name))
  }

  /// The folders whose owners decide what is in the files.
  private var folders: [String] {
    [folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? folder, folder]
  }

  private func fileNames(broken: (Failure) -> Void) -> [String] {
    var files: [String] = []
    do {
      for folder in folders { try OwnFile.check(folder: folder) }
      if try FolderStatus.of(folder) != nil { files = try FileManager.default.contentsOfDirectory(atPath: folder) }
    } catch let error as FileError {
      broken(failure(error, at: folder))
    } catch {
      broken(failure(.unreadable(path: folder, reason: "its files cannot be listed"), at: folder))
    }
    return files.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.map { String($0.dropLast(5)) }.filter(
      Name.isValid
    ).sorted()
  }

  private func readUserFile(_ name: String) throws(Failure) -> Provider? {
    let path = path(name)
    let bytes: [UInt8]
    do {
      bytes = try OwnFile.read(path, limit: ProviderFile.largest, in: folders)
    } catch FileError.notFound {
      return nil
    } catch {
      throw failure(error, at: path)
    }
    let provider: Provider
    do {
      provider = try ProviderFile.read(bytes)
    } catch {
      throw Failure(provider: error, file: path)
    }
    guard provider.name == name else {
      throw Failure(
        .configuration, "\(path): its name is '\(provider.name)', its file's '\(name)'", hint: "let both be the same")
    }
    return provider
  }

  private func failure(_ error: FileError, at path: String) -> Failure {
    guard case .exposed(let exposed, let remedy) = error else {
      return Failure(.configuration, error.reason, hint: OwnFile.remedy(ofUnreadable: path, in: folders))
    }
    return Failure(
      .configuration, "\(exposed): other users can change it, and with it where a login's secrets go",
      hint: "see whether it is as you left it, then: \(remedy)")
  }
}
