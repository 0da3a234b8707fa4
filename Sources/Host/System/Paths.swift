internal import Glibc

/// Where this user's files are (XDG Base Directory Specification).
///
/// A variable that is unset, empty or not an absolute path counts as unset, as the specification asks.
public struct Paths: Sendable, Equatable {
  /// The folder of this program's own configuration.
  public let configDirectory: String
  /// The folder of the lock files: the runtime folder's, where there is one; see ``init(environment:uid:)``.
  public let lockDirectory: String
  /// The folder in which gnome-keyring keeps its files.
  public let keyringsDirectory: String

  /// The folder of the user's provider files.
  public var providersDirectory: String { configDirectory + "/providers" }

  /// Finds the folders; none of them is made.
  ///
  /// Where `XDG_RUNTIME_DIR` is unset, as in cron, `/run/user/UID` is taken if it is there and is this user's alone, so
  /// that cron and the desktop agree on one lock; only then the state folder.
  public init(environment: [String: String], uid: UInt32? = nil) {
    self.init(environment: environment, uid: uid ?? getuid(), runtimeRoot: "/run/user")
  }

  init(environment: [String: String], uid: UInt32, runtimeRoot: String) {
    func folder(_ name: String) -> String? {
      guard let value = environment[name], value.hasPrefix("/") else { return nil }
      var trimmed = Substring(value)
      while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
      return trimmed == "/" ? "" : String(trimmed)
    }
    let home = folder("HOME") ?? Self.homeFromDatabase(uid) ?? ""
    configDirectory = (folder("XDG_CONFIG_HOME") ?? home + "/.config") + "/oauthctl"
    keyringsDirectory = (folder("XDG_DATA_HOME") ?? home + "/.local/share") + "/keyrings"
    let usualRuntime = "\(runtimeRoot)/\(uid)"
    let runtime = folder("XDG_RUNTIME_DIR") ?? (Self.isPrivate(usualRuntime, uid) ? usualRuntime : nil)
    lockDirectory = (runtime ?? folder("XDG_STATE_HOME") ?? home + "/.local/state") + "/oauthctl"
  }

  private static func isPrivate(_ path: String, _ uid: UInt32) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.isDirectory && status.st_uid == uid && status.st_mode & 0o777 == 0o700
  }

  private static func homeFromDatabase(_ uid: UInt32) -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
      guard let base = buffer.baseAddress, getpwuid_r(uid, &entry, base, buffer.count, &found) == 0, found != nil,
        let home = entry.pw_dir, home.pointee == CChar(UInt8(ascii: "/"))
      else {
        return nil
      }
      return String(cString: home)
    }
  }
}
