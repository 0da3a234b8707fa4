internal import Glibc

/// Reads and writes whole files.
public enum AtomicFile {
  /// Tells whether something can be opened for reading at a path.
  static func exists(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// Reads a file of at most `limit` bytes; symbolic links are followed, pipes are read to their end.
  ///
  /// - Throws: ``FileError``.
  public static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    guard let file = FileDescriptor.open(path, O_RDONLY | O_NOCTTY) else {
      throw errno == ENOENT ? .notFound(path: path) : .unreadable(path: path, reason: describe(errno: errno))
    }
    return try read(file.number, named: path, limit: limit)
  }

  static func read(_ descriptor: CInt, named path: String, limit: Int) throws(FileError) -> [UInt8] {
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = retryingInterrupts { Glibc.read(descriptor, &chunk, chunk.count) }
      guard count >= 0 else { throw .unreadable(path: path, reason: describe(errno: errno)) }
      if count == 0 { return content }
      guard content.count + count <= limit else { throw .tooLarge(path: path, limit: limit) }
      content.append(contentsOf: chunk[..<count])
    }
  }
}
