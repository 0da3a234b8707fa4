import Flows
import Foundation
import Glibc

@testable import Host

/// A client that sends whatever bytes a test wants, and gives up after a time limit instead of hanging.
final class RawClient: Sendable {
  let number: Int32

  /// Connects to a loopback address.
  init(port: Int, v6: Bool = false, timeLimit: Int = 8) throws {
    number = socket(v6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    // A throw from here on still runs deinit, which closes.
    guard number >= 0 else { throw SystemFailure(call: "socket", code: errno) }
    var limit = timeval(tv_sec: timeLimit, tv_usec: 0)
    setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result: Int32
    if v6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = in_port_t(port).bigEndian
      address.sin6_addr = in6addr_loopback
      result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    guard result == 0 else { throw SystemFailure(call: "connect", code: errno) }
  }

  deinit { close(number) }

  /// Sends all the bytes; a connection that the server closed meanwhile is no failure of the test.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Reads until the server closes, or nothing came for the time limit.
  func readAll() async throws -> RawResponse {
    try await onThread { try self.readBlocking() }
  }

  fileprivate func readBlocking() throws -> RawResponse {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(number, &chunk, chunk.count, 0)
      if count == 0 { return RawResponse(bytes: bytes) }
      guard count > 0 else { throw SystemFailure(call: "recv", code: errno) }
      bytes.append(contentsOf: chunk[..<count])
    }
  }
}

/// Runs what blocks on a thread of its own: a test must not wait for a thread that another test blocks.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let started = WorkerThread.start { continuation.resume(with: Result { try work() }) }
    if !started { continuation.resume(throwing: SystemFailure(call: "pthread_create", code: EAGAIN)) }
  }
}

/// A system call that failed.
struct SystemFailure: Error, Equatable {
  var call: String
  var code: Int32
}

/// What the server sent, taken apart.
struct RawResponse: Sendable {
  var text: String
  var status: Int
  var head: String
  var body: String

  init(bytes: [UInt8]) {
    text = String(decoding: bytes, as: UTF8.self)
    let parts = text.components(separatedBy: "\r\n\r\n")
    head = parts[0]
    body = parts.dropFirst().joined(separator: "\r\n\r\n")
    status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
  }

  func field(_ name: String) -> String? {
    head.components(separatedBy: "\r\n").dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
      .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
  }
}

/// Sends the text on a connection of its own and gives the response, off the cooperative pool.
func exchange(_ port: Int, _ text: String, v6: Bool = false) async throws -> RawResponse {
  try await exchange(port, Array(text.utf8), v6: v6)
}

func exchange(_ port: Int, _ bytes: [UInt8], v6: Bool = false) async throws -> RawResponse {
  try await onThread {
    let client = try RawClient(port: port, v6: v6)
    client.send(bytes)
    return try client.readBlocking()
  }
}

/// A browser's request.
func get(_ target: String, port: Int, host: String = "127.0.0.1", extra: String = "") -> String {
  "GET \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\n\(extra)\r\n"
}
