import Crypto
import Flows
import Foundation
import Glibc
import Loader
import OAuth
import TestSupport
import Testing

@testable import Host

/// Servers that do not answer, or not properly: what it is called, and whether the request may have reached them.
struct CurlFailureTests {
  struct Misbehaviour: CustomTestStringConvertible, Sendable {
    let id: String
    let kind: TransportError.Kind
    let script: @Sendable (ScriptedConnection) -> Void

    init(_ id: String, _ kind: TransportError.Kind, _ script: @escaping @Sendable (ScriptedConnection) -> Void) {
      (self.id, self.kind, self.script) = (id, kind, script)
    }

    var testDescription: String { id }
  }

  private static let head = "HTTP/1.1 200 OK\r\n"

  static let misbehaviours: [Misbehaviour] = [
    Misbehaviour("closes before it reads", .broken) { _ in },
    Misbehaviour("closes after it read", .broken) { $0.readRequest() },
    Misbehaviour("resets") {
      $0.readRequest(); $0.resetOnClose()
    },
    Misbehaviour("closes in a header", .broken) {
      $0.readRequest(); $0.write(head + "Content-Le")
    },
    Misbehaviour("closes after the headers") {
      $0.readRequest(); $0.write(head + "Content-Length: 9\r\n\r\n")
    },
    Misbehaviour("closes in the body") {
      $0.readRequest(); $0.write(head + "Content-Length: 9\r\n\r\n{\"acc")
    },
    Misbehaviour("closes in a chunk") {
      $0.readRequest()
      $0.write(head + "Transfer-Encoding: chunked\r\n\r\n9\r\nabc")
    },
    Misbehaviour("sends no number for a chunk") {
      $0.readRequest()
      $0.write(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n")
    },
    Misbehaviour("sends garbage") {
      $0.readRequest(); $0.write("\u{0}\u{1}garbage\r\n\r\nmore")
    },
    Misbehaviour("sends HTML alone") {
      $0.readRequest(); $0.write("<html>hello</html>")
    },
    Misbehaviour("speaks another protocol") {
      $0.write("SSH-2.0-OpenSSH_9.2\r\n"); $0.readRequest()
    },
    Misbehaviour("says nothing", .timedOut) {
      $0.readRequest(); $0.waitForClose()
    },
    Misbehaviour("does not even read", .timedOut) { _ in sleep(3) },
    Misbehaviour("drips", .timedOut) { connection in
      connection.readRequest()
      connection.write(head + "Content-Length: 1000\r\n\r\n")
      while connection.write("x") { usleep(20_000) }
    },
    Misbehaviour("drips headers", .timedOut) { connection in
      connection.readRequest()
      connection.write(head)
      while connection.write("X: y\r\n") { usleep(20_000) }
    },
    Misbehaviour("sends chunks for ever", .tooLarge) { connection in
      connection.readRequest()
      connection.write(head + "Transfer-Encoding: chunked\r\n\r\n")
      let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
      while connection.write(chunk) {}
    },
    Misbehaviour("sends one byte more than the limit", .tooLarge) { connection in
      connection.readRequest()
      connection.write("HTTP/1.0 200 OK\r\n\r\n" + String(repeating: "x", count: 1 << 20 + 1))
    },
    Misbehaviour("announces too much", .tooLarge) { connection in
      connection.readRequest()
      connection.write(head + "Content-Length: 1048577\r\n\r\n")
      connection.waitForClose()
    },
    Misbehaviour("sends headers for ever", .tooLarge) { connection in
      connection.readRequest()
      connection.write(head)
      while connection.write("X: \(String(repeating: "y", count: 1000))\r\n") {}
    },
    Misbehaviour("sends an endless header", .tooLarge) { connection in
      connection.readRequest()
      connection.write(head + "X: ")
      while connection.write(String(repeating: "y", count: 1000)) {}
    },
    Misbehaviour("sends interim responses for ever", .tooLarge) { connection in
      connection.readRequest()
      while connection.write("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n") {}
    },
  ]

  private func client(connect: Duration = .milliseconds(400), total: Duration = .milliseconds(700)) throws -> CurlClient
  {
    try CurlClient(CurlOptions(version: "0", connectDeadline: connect, totalDeadline: total))
  }

  private func failure(_ url: String, _ client: CurlClient) async throws -> TransportError {
    try #require(
      await #expect(throws: TransportError.self) {
        try await client.send(HTTPRequest(method: .post, url: url, body: Secret("refresh_token=x")))
      })
  }

  @Test(arguments: misbehaviours)
  func `what went wrong is named, and that the request may have arrived`(_ misbehaviour: Misbehaviour) async throws {
    let server = try ScriptedServer(misbehaviour.script)
    defer { server.stop() }
    let start = ContinuousClock.now
    // A short deadline only where it is to pass.
    let isSlow = misbehaviour.kind == .timedOut
    let error = try await failure(
      server.url, try isSlow ? client() : client(connect: .seconds(20), total: .seconds(20)))
    #expect(error.kind == misbehaviour.kind)
    #expect(error.host == "127.0.0.1")
    #expect(error.mayHaveArrived)
    #expect(!error.message.isEmpty && !error.message.contains("\n"))
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test func `nobody listens`() async throws {
    // Bound and not listening: no other test can get the port in the meantime.
    let listener = LoopbackListener(backlog: nil)
    let error = try await failure(
      "http://127.0.0.1:\(listener.port)/", try client(connect: .seconds(20), total: .seconds(20)))
    #expect(error.kind == .cannotConnect)
    #expect(!error.mayHaveArrived)
  }

  @Test func `a name without an address`() async throws {
    let error = try await failure("https://name.invalid/", try client(connect: .seconds(3), total: .seconds(5)))
    #expect(error.kind == .cannotResolve || error.kind == .timedOut)
    #expect(error.host == "name.invalid")
    #expect(!error.mayHaveArrived)
  }

  @Test func `a resolver that hangs does not hold the deadline up`() async throws {
    // The test above once more, in a process whose resolver takes ten minutes.
    let folder = try TestFolder()
    let source = try folder.file(
      "hang.c", "#include <unistd.h>\nint getaddrinfo(void *a, void *b, void *c, void *d) { sleep(600); return -3; }\n")
    let library = folder.path + "/hang.so"
    let start = ContinuousClock.now
    let status = try await offPool {
      func run(_ command: [String], _ environment: [String: String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
      }
      #expect(try run(["clang", "-shared", "-fPIC", "-fno-builtin", "-o", library, source], [:]) == 0)
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return try run(
        [program, "--testing-library", "swift-testing", "--filter", "a name without an address"],
        ["LD_PRELOAD": library])
    }
    #expect(status == 0)
    #expect((.seconds(3) ..< .seconds(120)).contains(ContinuousClock.now - start))
  }

  @Test func `nobody takes the connection`() async throws {
    let listener = LoopbackListener(backlog: 0)
    listener.fill()
    let error = try await failure("http://127.0.0.1:\(listener.port)/", try client(total: .seconds(20)))
    #expect(error.kind == .timedOut)
    #expect(!error.mayHaveArrived)
  }

  @Test func `a TLS handshake without an answer`() async throws {
    let server = try ScriptedServer { $0.waitForClose() }
    defer { server.stop() }
    let error = try await failure("https://127.0.0.1:\(server.port)/", try client())
    #expect(error.kind == .timedOut)
    #expect(!error.mayHaveArrived)
  }

  @Test func `TLS to a server that has none`() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.read(1)
      connection.respond("400 Bad Request")
    }
    defer { server.stop() }
    let error = try await failure(
      "https://127.0.0.1:\(server.port)/", try client(connect: .seconds(20), total: .seconds(20)))
    #expect(error.kind == .tls)
    #expect(!error.mayHaveArrived)
  }

  @Test func `a handshake that the server breaks off`() async throws {
    let server = try ScriptedServer { connection in _ = connection.read(1) }
    defer { server.stop() }
    let error = try await failure("https://127.0.0.1:\(server.port)/", try client())
    #expect(error.kind == .handshake)
    #expect(!error.mayHaveArrived)
  }

  @Test func `a library that is missing is named with its package`() {
    let error = #expect(throws: CurlLibrary.Missing.self) { try CurlLibrary("libcurl-of-nowhere.so.4") }
    #expect(error?.message.contains("libcurl4") == true)
    #expect(
      throws: CurlLibrary.Missing(
        message: "libc.so.6 is too old, it has no curl_easy_init (package libcurl4)")
    ) { try CurlLibrary("libc.so.6") }
  }
}

extension CurlFailureTests.Misbehaviour {
  fileprivate init(_ id: String, _ script: @escaping @Sendable (ScriptedConnection) -> Void) {
    self.init(id, .broken, script)
  }
}

/// A port where nobody accepts: one that refuses, or one whose queue is full and that gives no answer at all.
private final class LoopbackListener {
  let port: Int
  private var descriptors: [CInt]
  private var address = sockaddr_in()

  init(backlog: CInt?) {
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let listener = Self.makeSocket()
    descriptors = [listener]
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        _ = bind(listener, raw, length)
        getsockname(listener, raw, &length)
      }
    }
    if let backlog { listen(listener, backlog) }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  func fill() {
    for _ in 0..<8 {
      let other = Self.makeSocket()
      descriptors.append(other)
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
          _ = connect(other, raw, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
  }

  private static func makeSocket() -> CInt {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
  }
}
