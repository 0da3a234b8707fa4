import Foundation
import Glibc
import Synchronization

/// A server on a loopback port of its own; each connection is given to a script on a thread of its own.
///
/// The scripts speak raw bytes, so that a test can be as wrong as a server can be.
final class ScriptedServer: Sendable {
  struct Request: Sendable {
    var head: String
    var body: [UInt8]

    var line: String { head.split(separator: "\r\n").first.map(String.init) ?? "" }

    func header(_ name: String) -> String? {
      head.split(separator: "\r\n").dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
    }
  }

  private struct State {
    var requests: [Request] = []
    var connections: Set<CInt> = []
    var accepted = 0
    var isStopped = false
  }

  let port: Int
  private let listener: CInt
  private let state = Mutex(State())

  /// Starts listening; `backlog` 0 with a script that is never reached makes a server that does not even accept.
  init(_ script: @escaping @Sendable (ScriptedConnection) -> Void) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      while true {
        let descriptor = accept(listener, nil, nil)
        let goOn = state.withLock { state in
          guard descriptor >= 0, !state.isStopped else { return false }
          state.accepted += 1
          state.connections.insert(descriptor)
          return true
        }
        guard goOn else { break }
        Thread.detachNewThread { [self] in
          script(ScriptedConnection(descriptor, self))
          state.withLock { _ = $0.connections.remove(descriptor) }
          close(descriptor)
        }
      }
      close(listener)
    }
  }

  /// The requests that were read by the scripts, in order.
  var requests: [Request] { state.withLock { $0.requests } }

  /// How many connections came.
  var accepted: Int { state.withLock { $0.accepted } }

  /// Ends the listener and all connections; the scripts' calls fail from then on.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  fileprivate func record(_ request: Request) { state.withLock { $0.requests.append(request) } }

  var url: String { "http://127.0.0.1:\(port)" }
}

/// One connection of a ``ScriptedServer``.
struct ScriptedConnection {
  private let descriptor: CInt
  private let server: ScriptedServer

  fileprivate init(_ descriptor: CInt, _ server: ScriptedServer) {
    self.descriptor = descriptor
    self.server = server
  }

  /// Reads and records one request, its body by Content-Length; nil where the connection ends first.
  @discardableResult
  func readRequest() -> ScriptedServer.Request? {
    var bytes: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while !bytes.suffix(4).elementsEqual(end) {
      guard let byte = read(1)?.first else { return nil }
      bytes.append(byte)
    }
    var request = ScriptedServer.Request(head: String(decoding: bytes, as: UTF8.self), body: [])
    let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
    while request.body.count < length {
      guard let more = read(length - request.body.count) else { return nil }
      request.body += more
    }
    server.record(request)
    return request
  }

  /// Reads at most `count` bytes; nil at the end of the connection.
  func read(_ count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    let got = recv(descriptor, &buffer, count, 0)
    return got > 0 ? Array(buffer[..<got]) : nil
  }

  /// Writes all of the text; false where the other side is gone.
  @discardableResult
  func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Answers with a status, header lines and a body of the right length.
  func respond(_ status: String, headers: [String] = [], body: String = "") {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
    write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }

  /// Waits until the other side closes.
  func waitForClose() {
    while read(4096) != nil {}
  }

  /// Closes with a reset instead of an orderly end.
  func resetOnClose() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }
}

extension ScriptedServer {
  /// A server that answers each request with 200 and no body.
  static func answering() throws -> ScriptedServer {
    try ScriptedServer { connection in
      connection.readRequest()
      connection.respond("200 OK")
    }
  }
}
