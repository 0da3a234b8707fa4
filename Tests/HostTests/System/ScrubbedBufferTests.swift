import Foundation
import Testing

@testable import Host

/// That what a buffer held is gone with it, as seen in this process's own memory.
struct ScrubbedBufferTests {
  private let memory: FileHandle

  init() throws { memory = try #require(FileHandle(forReadingAtPath: "/proc/self/mem")) }

  /// How many of the bytes that were at an address are still there.
  private func alike(_ expected: [UInt8], at address: UInt64) throws -> Int {
    try memory.seek(toOffset: address)
    return try zip(memory.read(upToCount: expected.count) ?? Data(), expected).count { $0 == $1 }
  }

  private func address(of buffer: ScrubbedBuffer) throws -> UInt64 {
    let memory = Mirror(reflecting: buffer).descendant("memory") as? UnsafeMutableRawBufferPointer
    return UInt64(UInt(bitPattern: try #require(memory?.baseAddress)))
  }

  @Test func `what it held is overwritten when it grows and when it goes`() throws {
    let value = (0..<6000).map { _ in UInt8.random(in: 1...255) }
    var buffer: ScrubbedBuffer? = ScrubbedBuffer()
    var places: [UInt64] = []
    for part in [value, value] {
      let growing = try #require(buffer)
      part.withUnsafeBytes { growing.append($0) }
      places.append(try address(of: growing))
      #expect(try alike(value, at: places[places.count - 1]) == value.count)
    }
    #expect(buffer?.bytes == value + value)
    #expect(places[0] != places[1])
    #expect(try alike(value, at: places[0]) < value.count / 2)
    buffer = nil
    // Another test may have the memory by now, and bytes can be alike by chance.
    #expect(try alike(value, at: places[1]) < value.count / 2)
  }
}
