import Glibc
import Testing

@testable import Host

/// That what a buffer held is gone with it, as seen in this process's own memory.
struct ScrubbedBufferTests {
  /// Looks at memory without taking any: what is taken could be the very memory that was given back.
  private final class Look {
    private let memory = open("/proc/self/mem", O_RDONLY)
    private let seen = UnsafeMutableRawBufferPointer.allocate(byteCount: 6000, alignment: 1)

    deinit {
      close(memory)
      seen.deallocate()
    }

    /// How many of the bytes are at an address.
    func alike(_ expected: [UInt8], at address: Int) -> Int {
      guard pread(memory, seen.baseAddress, seen.count, address) == expected.count else { return -1 }
      var count = 0
      for index in expected.indices where seen[index] == expected[index] { count += 1 }
      return count
    }
  }

  private func address(of buffer: ScrubbedBuffer) throws -> Int {
    let memory = Mirror(reflecting: buffer).descendant("memory") as? UnsafeMutableRawBufferPointer
    return Int(bitPattern: try #require(memory?.baseAddress))
  }

  @Test func `what it held is overwritten when it grows and when it goes`() throws {
    let value = (0..<6000).map { _ in UInt8.random(in: 1...255) }
    let look = Look()
    var buffer: ScrubbedBuffer? = ScrubbedBuffer()
    value.withUnsafeBytes { buffer?.append($0) }
    let first = try address(of: try #require(buffer))
    #expect(look.alike(value, at: first) == 6000)
    value.withUnsafeBytes { buffer?.append($0) }
    let grown = look.alike(value, at: first)
    let second = try address(of: try #require(buffer))
    #expect(first != second && look.alike(value, at: second) == 6000)
    buffer = nil
    let gone = look.alike(value, at: second)
    // Another test may have the memory by now, and bytes can be alike by chance.
    #expect((0..<3000).contains(grown) && (0..<3000).contains(gone))
  }
}
