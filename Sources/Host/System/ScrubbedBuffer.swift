internal import Glibc

/// Bytes that are zeroed when they are moved or dropped: a response's body may be a token, a file's content a password.
///
/// Used by one thread at a time.
final class ScrubbedBuffer {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8192, alignment: 1)
  private(set) var count = 0

  deinit { Self.scrub(memory) }

  /// A copy of what was received.
  var bytes: [UInt8] { Array(memory.prefix(count)) }

  func append(_ bytes: UnsafeRawBufferPointer) {
    if count + bytes.count > memory.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(memory.count * 2, count + bytes.count), alignment: 1)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory.prefix(count)))
      Self.scrub(memory)
      memory = larger
    }
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  private static func scrub(_ memory: UnsafeMutableRawBufferPointer) {
    if let base = memory.baseAddress { explicit_bzero(base, memory.count) }
    memory.deallocate()
  }
}
