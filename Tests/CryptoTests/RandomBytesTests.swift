import Crypto
import Testing

struct RandomBytesTests {
  @Test(arguments: [0, 1, 32, 96, 4096]) func `as many bytes come as were asked for`(_ count: Int) throws {
    #expect(try RandomBytes.generate(count).count == count)
  }

  @Test func `no two are alike, and no byte is missing`() throws {
    let many = try (0..<200).map { _ in try RandomBytes.generate(32) }
    #expect(Set(many).count == 200)
    // A value that never shows up among 6400 bytes has a chance of one in 10^8.
    #expect(Set(many.joined()).count == 256)
  }
}
