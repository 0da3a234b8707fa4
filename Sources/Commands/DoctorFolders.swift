internal import CLI
internal import Flows
internal import Host
internal import OAuth

/// The configuration folder and its provider files, and the lock folder.
enum DoctorFolders {
  static let checks = [
    Check("configuration", "owner and mode of the configuration folder", look: configuration),
    Check(
      "provider-files", "whether each provider file can be used, is yours to change, and holds no secret",
      needs: "configuration", look: providerFiles),
    Check("lock-folder", "whether a lock can be taken", run: lockFolder),
  ]

  private static func configuration(_ machine: Machine) throws -> [Finding] {
    let paths = [machine.paths.configDirectory, machine.paths.providersDirectory]
    var found: [FolderStatus] = []
    for path in paths {
      do {
        guard let status = try machine.folder(path) else { continue }
        found.append(status)
        // What is in a closed folder cannot be looked at.
        if !status.isAccessible { break }
      } catch {
        return [.fail(error, remedy: "look at the folders above it: namei -l \(ShellWord.posix(path))")]
      }
    }
    let faults = found.compactMap { fault(of: $0, machine) }
    if let worst = faults.first(where: { $0.result == .fail }) ?? faults.first { return [worst] }
    guard !found.isEmpty else { return [missing(paths[0], machine)] }
    return [.ok("\(paths[0]) is yours alone to change")]
  }

  /// There is no folder: all is well, where one could be made.
  private static func missing(_ path: String, _ machine: Machine) -> Finding {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
    guard let status = (try? machine.folder(parent)) ?? nil, status.owner != machine.user else {
      return .ok("there is no \(path), so no provider files of yours")
    }
    return .warn(
      "\(parent) belongs to \(machine.userName(status.owner)), so that 'oauthctl providers add' cannot write there",
      remedy: "sudo chown \(machine.userName(machine.user)): \(ShellWord.posix(parent))")
  }

  private static func fault(of status: FolderStatus, _ machine: Machine) -> Finding? {
    let word = ShellWord.posix(status.path)
    if !status.isFolder {
      return .fail(
        .configuration, "\(status.path) is not a folder", remedy: "mv \(word) \(ShellWord.posix(status.path + ".old"))")
    }
    if status.owner != machine.user {
      return .fail(
        .configuration,
        "\(status.path) belongs to \(machine.userName(status.owner)), not to \(machine.userName(machine.user))"
          + (status.owner == 0 ? " (sudo may have made it)" : ""),
        remedy: "sudo chown -R \(machine.userName(machine.user)): \(word)")
    }
    if status.isWritableByAll {
      return .fail(
        .configuration, "all users can change \(status.path) (mode \(status.modeText))",
        remedy: "chmod -R go-w \(word)")
    }
    if !status.isAccessible {
      return .fail(
        .configuration, "\(status.path) cannot be read (mode \(status.modeText))", remedy: "chmod u+rwx \(word)")
    }
    // With a group of each user's own, which many systems have, that is nobody else.
    if status.isWritableByGroup {
      return .warn(
        "the group can change \(status.path) (mode \(status.modeText))", remedy: "chmod -R go-w \(word)")
    }
    return nil
  }

  private static func providerFiles(_ machine: Machine) -> [Finding] {
    var findings: [Finding] = []
    let folder = machine.paths.providersDirectory
    let all = ProviderDirectory(folder: folder).all {
      findings.append(.fail($0, remedy: $0.hint ?? "correct the file"))
    }
    let own = all.filter { $0.source == .user }.map(\.provider)
    for provider in own {
      let path = "\(folder)/\(provider.name).json"
      guard let status = (try? machine.folder(path)) ?? nil, !status.isFolder, status.isWritableByGroup else {
        continue
      }
      findings.append(
        .warn("the group can change \(path) (mode \(status.modeText))", remedy: "chmod go-w \(ShellWord.posix(path))"))
    }
    for provider in own where !provider.secretParameters.isEmpty {
      findings.append(
        .warn(
          "\(folder)/\(provider.name).json seems to hold a secret: \(provider.secretParameters.joined(separator: ", "))",
          remedy: "take it out of the file, or see that nobody else reads it: "
            + "chmod 600 \(ShellWord.posix("\(folder)/\(provider.name).json"))"))
    }
    if !findings.isEmpty { return findings }
    return [.ok(own.isEmpty ? "there are none of yours" : "\(own.count) of yours can be used")]
  }

  private static func lockFolder(_ examination: Examination) async throws -> [Finding] {
    let machine = examination.machine
    let folder = machine.paths.lockDirectory
    do {
      try await machine.takeLock("doctor")
    } catch LockError.busy {
      // Somebody else holds it: another `doctor`.
    } catch LockError.unusable(let path, let reason) {
      return try await offPool {
        [.fail(.configuration, "no lock can be taken: \(path): \(reason)", remedy: remedy(folder, machine))]
      }
    }
    return try await offPool { [place(of: folder, machine)] }
  }

  /// Locks can be taken: where, and for how long that will be so.
  private static func place(of folder: String, _ machine: Machine) -> Finding {
    if machine.space(folder) == .full {
      return .warn("the disk of \(folder) is full", remedy: "make room: df -h \(ShellWord.posix(folder)), and df -i")
    }
    if let owner = strangeOwner(of: folder, machine) {
      return .warn(
        "locks are in \(folder), where only \(machine.userName(machine.user)) sees them, in a folder of \(owner)",
        remedy: "unset XDG_RUNTIME_DIR, which su or sudo may have kept")
    }
    guard isFallback(machine) else { return .ok("locks are in \(folder)") }
    return .warn(
      "locks are in \(folder), because there is no XDG_RUNTIME_DIR",
      remedy:
        "log in through PAM (ssh, login), or run 'loginctl enable-linger', so that /run/user/\(machine.user) is there")
  }

  /// What helps depends on what is wrong with the folder: whose it is, who may write, and whether anyone can.
  private static func remedy(_ folder: String, _ machine: Machine) -> String {
    let word = ShellWord.posix(folder)
    if machine.space(folder) == .readOnly {
      return "the file system is read-only: remount it, or set XDG_RUNTIME_DIR to a folder of yours that takes writes"
    }
    if machine.space(folder) == .full { return "make room: df -h \(word), and df -i" }
    if strangeOwner(of: folder, machine) != nil { return "unset XDG_RUNTIME_DIR, which su or sudo may have kept" }
    guard let status = (try? machine.folder(folder)) ?? nil else {
      return "see that you may write there: mkdir -m 700 \(word)"
    }
    if !status.isFolder { return "mv \(word) \(ShellWord.posix(folder + ".old"))" }
    if status.owner != machine.user { return "sudo chown -R \(machine.userName(machine.user)): \(word)" }
    return "chmod -R u+rwX,go= \(word)"
  }

  /// Whose the folder is that the lock folder is in, where it is not this user's.
  private static func strangeOwner(of folder: String, _ machine: Machine) -> String? {
    guard let slash = folder.lastIndex(of: "/"), let status = (try? machine.folder(String(folder[..<slash]))) ?? nil,
      status.owner != machine.user
    else { return nil }
    return machine.userName(status.owner)
  }

  private static func isFallback(_ machine: Machine) -> Bool {
    let runtime = machine.variables["XDG_RUNTIME_DIR"] ?? ""
    let usual = "/run/user/\(machine.user)/"
    return !runtime.hasPrefix("/") && !machine.paths.lockDirectory.hasPrefix(usual)
  }
}
