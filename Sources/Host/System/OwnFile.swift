internal import Glibc

/// Reads files that decide where secrets go: nobody but this user and root may have the last word on them.
///
/// What a group may change is allowed: many systems give each user a group of their own, and a umask that trusts it.
public enum OwnFile {
  /// Reads a regular file of at most `limit` bytes.
  ///
  /// - Parameter folders: the folders above it, whose owners could put another file in its place.
  /// - Throws: ``FileError``; ``FileError/exposed(path:hint:)`` with the file or the folder that others can change.
  public static func read(_ path: String, limit: Int, in folders: [String]) throws(FileError) -> [UInt8] {
    let file = try WholeFile.openRegular(path)
    for folder in folders { try check(folder: folder) }
    guard let status = file.status else { throw .unreadable(path: path, reason: describe(errno: errno)) }
    try check(path, owner: status.st_uid, mode: status.st_mode)
    return try WholeFile.read(file, named: path, limit: limit)
  }

  /// Checks that nobody else can change what is in a folder; one that is not there is fine.
  ///
  /// - Throws: ``FileError``.
  public static func check(folder path: String) throws(FileError) {
    guard let status = try FolderStatus.of(path) else { return }
    try check(path, owner: status.owner, mode: status.mode)
  }

  static func check(_ path: String, owner: UInt32, mode: UInt32, user: UInt32 = geteuid()) throws(FileError) {
    guard owner == user || owner == 0 else {
      throw .exposed(path: path, hint: "sudo chown \(CurrentUser.name(of: user)): \(SecretFile.quoted(path))")
    }
    guard mode & 0o002 == 0 else { throw .exposed(path: path, hint: "chmod go-w \(SecretFile.quoted(path))") }
  }

  /// What helps where a file, or a folder above it, may not be read by the very user who owns it; nil where it is
  /// something else.
  ///
  /// - Parameter folders: the folders above it, the outermost first.
  public static func remedy(ofUnreadable path: String, in folders: [String]) -> String? {
    for folder in folders {
      guard let status = (try? FolderStatus.of(folder)) ?? nil else { return nil }
      if status.isFolder, status.owner == geteuid(), status.mode & 0o500 != 0o500 {
        return "chmod u+rwx \(SecretFile.quoted(folder))"
      }
    }
    guard let status = (try? FolderStatus.of(path)) ?? nil, !status.isFolder, status.owner == geteuid(),
      status.mode & 0o400 == 0
    else { return nil }
    return "chmod u+r \(SecretFile.quoted(path))"
  }
}
