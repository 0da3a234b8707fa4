internal import Glibc

/// Who owns a folder or a file, and who may change it.
public struct FolderStatus: Sendable, Equatable {
  /// The path that was looked at.
  public var path: String
  /// Whether it is a folder; a symbolic link to one is.
  public var isFolder: Bool
  /// The owner's number.
  public var owner: UInt32
  /// The permissions, `0o700` and the like.
  public var mode: UInt32
  /// Whether this process may list it and find things in it.
  public var isAccessible: Bool

  /// Makes one.
  public init(path: String, isFolder: Bool = true, owner: UInt32, mode: UInt32, isAccessible: Bool = true) {
    self.path = path
    self.isFolder = isFolder
    self.owner = owner
    self.mode = mode
    self.isAccessible = isAccessible
  }

  /// Whether the group may change what is in it.
  public var isWritableByGroup: Bool { mode & 0o020 != 0 }

  /// Whether all users may.
  public var isWritableByAll: Bool { mode & 0o002 != 0 }

  /// The permissions as `chmod` takes them.
  public var modeText: String { String(mode & 0o7777, radix: 8) }

  /// Looks at a path; nil where there is nothing.
  ///
  /// - Throws: ``FileError`` where that cannot be told.
  public static func of(_ path: String) throws(FileError) -> FolderStatus? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .unreadable(path: path, reason: describe(errno: errno)) }
      return nil
    }
    return FolderStatus(
      path: path, isFolder: status.isDirectory, owner: status.st_uid, mode: status.st_mode & 0o7777,
      isAccessible: access(path, R_OK | X_OK) == 0)
  }

  /// How full the file system of a path is, and whether it takes writes.
  public enum Space: Sendable, Equatable {
    case some
    case full
    case readOnly
  }

  /// Asks the file system of a path, or of the nearest folder above it that is there.
  public static func space(at path: String) -> Space {
    var path = Substring(path)
    var status = statvfs()
    while statvfs(String(path), &status) != 0 {
      guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return .some }
      path = path[..<slash]
    }
    if status.f_flag & UInt(ST_RDONLY) != 0 { return .readOnly }
    // Some file systems count no blocks, or no files; those are never full.
    let isFull = status.f_blocks > 0 && status.f_bavail == 0 || status.f_files > 0 && status.f_favail == 0
    return isFull ? .full : .some
  }
}

/// The user that this process runs as.
public enum CurrentUser {
  /// The number.
  public static var id: UInt32 { geteuid() }

  /// The name of a user; the number where there is none.
  public static func name(of id: UInt32 = CurrentUser.id) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
      guard let base = buffer.baseAddress, getpwuid_r(id, &entry, base, buffer.count, &found) == 0, found != nil,
        let name = entry.pw_name
      else { return "\(id)" }
      return String(cString: name)
    }
  }
}
