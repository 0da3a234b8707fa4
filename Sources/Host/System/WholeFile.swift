internal import Glibc

/// Reads and writes whole files.
public enum WholeFile {
  /// Replaces a file's content, so that a reader sees the old or the new, whatever happens in between.
  ///
  /// The new content is on the disk when this returns. A symbolic link is replaced, not followed.
  ///
  /// - Parameter mode: The permissions, `0o600` for this user alone; the process's umask does not change them.
  /// - Throws: ``FileError``; nothing is left behind then.
  public static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o600) throws(FileError) {
    let (folder, name) = split(path)
    func failure() -> FileError { .unwritable(path: path, reason: describe(errno: errno)) }
    guard let parent = FileDescriptor.open(folder, O_RDONLY | O_DIRECTORY) else { throw failure() }
    var random = SystemRandomNumberGenerator()
    let temporary = ".\(name.prefix(100)).\(String(random.next(), radix: 36)).tmp"
    guard let file = parent.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode) else {
      throw failure()
    }
    let isWritten = file.withNumber { number in
      fchmod(number, mode) == 0 && bytes.withUnsafeBytes { writeAll($0, to: number) }
        && retryingInterrupts { fsync(number) } == 0
    }
    guard isWritten, parent.withNumber({ renameat($0, temporary, $0, name) }) == 0 else {
      let error = failure()
      _ = parent.withNumber { unlinkat($0, temporary, 0) }
      throw error
    }
    // The new name, too, is to outlive a power cut. Some file systems cannot promise that of a folder.
    _ = parent.withNumber { fsync($0) }
  }

  /// Reads a file of at most `limit` bytes; symbolic links are followed, pipes are read to their end.
  ///
  /// - Throws: ``FileError``.
  public static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try read(try open(path), named: path, limit: limit)
  }

  /// Reads a regular file of at most `limit` bytes; anything else at the path, a pipe above all, is refused at once.
  ///
  /// - Throws: ``FileError``.
  public static func readRegular(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try read(try openRegular(path), named: path, limit: limit)
  }

  static func openRegular(_ path: String) throws(FileError) -> FileDescriptor {
    // Without O_NONBLOCK the opening of a pipe waits for somebody to write.
    let file = try open(path, O_NONBLOCK)
    guard file.status?.isRegularFile == true else { throw .unreadable(path: path, reason: "it is not a file") }
    return file
  }

  /// Removes a file or a link; false where there is none.
  ///
  /// - Throws: ``FileError``.
  public static func remove(_ path: String) throws(FileError) -> Bool {
    if unlink(path) == 0 { return true }
    guard errno != ENOENT else { return false }
    throw .unwritable(path: path, reason: describe(errno: errno))
  }

  /// Reads standard input to its end.
  ///
  /// - Throws: ``FileError``.
  public static func readStandardInput(limit: Int) throws(FileError) -> [UInt8] {
    try read(STDIN_FILENO, named: "standard input", limit: limit)
  }

  /// Tells whether there is something at a path that this process may read.
  static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// Tells whether there is something at a path.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func open(_ path: String, _ flags: CInt = 0) throws(FileError) -> FileDescriptor {
    guard !path.utf8.contains(0) else { throw .notFound(path: path) }
    guard let file = FileDescriptor.open(path, O_RDONLY | O_NOCTTY | flags) else {
      throw errno == ENOENT ? .notFound(path: path) : .unreadable(path: path, reason: describe(errno: errno))
    }
    return file
  }

  static func read(_ file: FileDescriptor, named path: String, limit: Int) throws(FileError) -> [UInt8] {
    try file.withNumber { number throws(FileError) in try read(number, named: path, limit: limit) }
  }

  private static func read(_ descriptor: CInt, named path: String, limit: Int) throws(FileError) -> [UInt8] {
    let content = ScrubbedBuffer()
    var failure: FileError?
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { chunk in
      defer { if let base = chunk.baseAddress { explicit_bzero(base, chunk.count) } }
      while failure == nil {
        let count = retryingInterrupts { Glibc.read(descriptor, chunk.baseAddress, chunk.count) }
        if count < 0 { failure = .unreadable(path: path, reason: describe(errno: errno)) }
        if count <= 0 { break }
        if content.count + count > limit { failure = .tooLarge(path: path, limit: limit) }
        content.append(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
      }
    }
    if let failure { throw failure }
    return content.bytes
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}
