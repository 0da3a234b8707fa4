internal import Flows
internal import Glibc

/// An open lock file in a folder that is this user's alone.
final class LockFile: Sendable {
  private let path: String
  private let descriptor: FileDescriptor

  /// Opens the file, making it and its folder where they are missing.
  init(folder: String, name: String) throws(LockError) {
    path = folder + "/" + name
    let parent = try Self.openFolder(folder)
    guard let file = parent.open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
    else {
      throw .unusable(path: path, reason: errno == ELOOP ? "it is a symbolic link" : describe(errno: errno))
    }
    guard let status = file.status else { throw .unusable(path: path, reason: describe(errno: errno)) }
    guard status.isRegularFile else { throw .unusable(path: path, reason: "it is not a file") }
    guard status.st_uid == geteuid() else { throw .unusable(path: path, reason: "it belongs to another user") }
    guard status.sharedAccess == 0 else { throw .unusable(path: path, reason: "other users have access to it") }
    descriptor = file
  }

  /// Takes the lock if nobody has it, and leaves this process's pid for those who wait; nothing depends on that.
  func tryLock() throws(LockError) -> Bool {
    guard lock(LOCK_EX | LOCK_NB) else {
      guard errno == EWOULDBLOCK else { throw .unusable(path: path, reason: describe(errno: errno)) }
      return false
    }
    let line = Array("\(getpid())\n".utf8)
    descriptor.withNumber { number in
      guard ftruncate(number, 0) == 0 else { return }
      _ = pwrite(number, line, line.count, 0)
    }
    return true
  }

  /// Gives up a lock that is held.
  func unlock() {
    _ = descriptor.withNumber { ftruncate($0, 0) }
    _ = lock(LOCK_UN)
  }

  /// The pid that the holder left.
  var holder: Int? {
    var buffer = [UInt8](repeating: 0, count: 32)
    let count = descriptor.withNumber { pread($0, &buffer, buffer.count, 0) }
    guard count > 0 else { return nil }
    return Int(String(decoding: buffer[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
  }

  private func lock(_ operation: CInt) -> Bool {
    descriptor.withNumber { number in retryingInterrupts { flock(number, operation) } == 0 }
  }

  private static func openFolder(_ path: String) throws(LockError) -> FileDescriptor {
    try makeFolder(path)
    guard let folder = FileDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else {
      // A symbolic link is "not a directory" to O_DIRECTORY, which says too little.
      var status = stat()
      let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
      throw .unusable(path: path, reason: isLink ? "it is a symbolic link" : describe(errno: errno))
    }
    guard let status = folder.status else { throw .unusable(path: path, reason: describe(errno: errno)) }
    guard status.st_uid == geteuid() else { throw .unusable(path: path, reason: "it belongs to another user") }
    guard status.sharedAccess == 0 else { throw .unusable(path: path, reason: "other users have access to it") }
    return folder
  }

  /// Whether the folder is missing and the one above it is neither this user's nor root's: root in an environment that
  /// `su` kept would shut its owner out.
  private static func isOfSomebodyElse(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) != 0, let slash = path.lastIndex(of: "/"), slash != path.startIndex,
      stat(String(path[..<slash]), &status) == 0
    else { return false }
    return status.st_uid != geteuid() && status.st_uid != 0
  }

  /// Makes the folder, and those above it that are missing, for this user alone.
  private static func makeFolder(_ path: String) throws(LockError) {
    guard !isOfSomebodyElse(path) else {
      throw .unusable(path: path, reason: "it would be in a folder of another user")
    }
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    let code = errno
    guard code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw .unusable(path: path, reason: describe(errno: code))
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .unusable(path: path, reason: describe(errno: errno))
    }
  }
}
