import Flows
import Foundation
import Glibc
import Testing

@testable import Host

/// Many and slow connections; each test says how long a good callback may take beside them.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct BusyListenerTests {
  @Test func `five hundred idle connections do not stall a login`() async throws {
    let login = try Login()
    let idle = try await onThread { [port = login.port] in try (0..<500).map { _ in try RawClient(port: port) } }
    #expect(try await login.finishes())
    _ = idle.count
  }

  @Test func `five hundred half-sent requests do not stall a login`() async throws {
    let login = try Login()
    let slow = try await onThread { [port = login.port] in
      try (0..<500).map { _ in
        let client = try RawClient(port: port)
        client.send("GET /callback?code=good HTTP/1.1\r\nHost: ")
        return client
      }
    }
    #expect(try await login.finishes())
    #expect(login.judged.all == ["code=good&last"])
    _ = slow.count
  }

  @Test func `the oldest idle connection makes room, not the one that is talking`() async throws {
    let login = try Login(limits: .init(connections: 4))
    let talking = try RawClient(port: login.port)
    talking.send("GET /callback?code=good HTTP/1.1\r\n")
    let idle = try (0..<20).map { _ in try RawClient(port: login.port) }
    try await Task.sleep(for: .milliseconds(50))
    // The first idle ones are closed by now, the last still open.
    #expect(try await idle[0].readAll().status == 0)
    talking.send("Host: 127.0.0.1:\(login.port)\r\n\r\n")
    try #require(try await talking.readAll().status == 200)
    #expect(try await login.value() == "code=good")
  }

  @Test func `a request that does not arrive within its time is dropped, and costs nobody else any`() async throws {
    let login = try Login(limits: .init(request: 300))
    let slow = try RawClient(port: login.port)
    let started = ContinuousClock.now
    let dripping = Task {
      for byte in get("/callback?code=good", port: login.port).utf8 {
        slow.send([byte])
        try await Task.sleep(for: .milliseconds(30))
      }
    }
    do {
      #expect(try await slow.readAll().bytesAreEmpty)
    } catch let failure as SystemFailure where failure.code == ECONNRESET {
      // A byte was on its way in the moment of the closing: the kernel says so by a reset.
    }
    let took = ContinuousClock.now - started
    #expect(took > .milliseconds(200) && took < .seconds(2))
    dripping.cancel()
    #expect(try await login.finishes())
    #expect(login.judged.all == ["code=good&last"])
  }

  @Test func `one that never stops sending is cut off`() async throws {
    let login = try Login(limits: .init(linger: 200))
    let flooder = Task {
      try await onThread { [port = login.port] in
        let client = try RawClient(port: port)
        let junk = [UInt8](repeating: 0x41, count: 1 << 16)
        for _ in 0..<2000 { client.send(junk) }
      }
    }
    try await Task.sleep(for: .milliseconds(30))
    #expect(try await login.finishes())
    _ = await flooder.result
  }

  @Test func `a peer that does not read its page holds the wait for a moment at most`() async throws {
    let login = try Login(limits: .init(request: 20_000, linger: 300))
    let client = try RawClient(port: login.port)
    client.send(get("/callback?code=good", port: login.port))
    let took = try await ContinuousClock().measure { _ = try await login.value() }
    #expect(took < .seconds(5))
  }

  @Test func `random bytes never end the wait`() async throws {
    let login = try Login()
    var random = SeededRandom(seed: 42)
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 1...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let client = try RawClient(port: login.port)
      client.send(bytes)
      shutdown(client.number, Int32(SHUT_WR))
      let response = try await client.readAll()
      #expect([0, 400, 431].contains(response.status))
    }
    #expect(try await login.finishes())
  }
}

extension RawResponse {
  var bytesAreEmpty: Bool { text.isEmpty }
}

/// A generator that gives the same numbers in every run (splitmix64).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
