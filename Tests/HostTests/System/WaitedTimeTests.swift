import Glibc
import Testing

@testable import Host

@Suite(.timeLimit(.minutes(1))) struct WaitedTimeTests {
  /// Moments in milliseconds, one after the other.
  private func waited(_ limit: Duration, _ moments: [Int64]) -> [CInt?] {
    var left = moments[...]
    var waited = WaitedTime(limit: limit) { left.popFirst() ?? 0 }
    return moments.dropFirst().map { _ in waited.next() }
  }

  @Test func `a wait ends at its limit, in turns of a second`() {
    #expect(waited(.seconds(3), [50, 50, 1050, 2051, 2900, 3050, 3051]) == [1000, 1000, 999, 150, nil, nil])
    #expect(waited(.milliseconds(40), [0, 0, 39, 40]) == [40, 1, nil])
  }

  @Test func `the time in which the process was stopped counts as one long turn`() {
    #expect(waited(.seconds(30), [0, 0, 1000, 3_600_000, 3_601_000]) == [1000, 1000, 1000, 1000])
    #expect(waited(.seconds(2), [0, 0, 3_600_000]) == [1000, nil])
  }

  @Test func `an answer, or a hung up line, ends the waiting`() throws {
    let (reader, writer) = try #require(FileDescriptor.socketPair())
    #expect(!OwnProgram.hasAnswer(reader, within: .milliseconds(30)))
    _ = writer.withNumber { write($0, "x", 1) }
    #expect(OwnProgram.hasAnswer(reader, within: .milliseconds(30)))
    let (other, end) = try #require(FileDescriptor.socketPair())
    _ = consume end
    #expect(OwnProgram.hasAnswer(other, within: .seconds(5)))
  }
}
