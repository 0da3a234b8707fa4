import Flows
import Foundation
import Glibc
import Testing

@testable import Host

/// Which addresses and ports a redirect address gets.
@Suite(.timeLimit(.minutes(1)))
struct BindingTests {
  private let factory = LoopbackListenerFactory()
  private let refused = SystemFailure(call: "connect", code: ECONNREFUSED)

  @Test func `a socket is bound to a loopback address and to no wildcard`() throws {
    #expect(boundAddress(try LoopbackSocket.listen(.v4, port: 0).socket) == "127.0.0.1")
    #expect(boundAddress(try LoopbackSocket.listen(.v6, port: 0).socket) == "::1")
  }

  @Test func `127.0.0.1 is bound alone`() throws {
    let listener = try factory.bind(RedirectAddress(host: "127.0.0.1"))
    _ = try RawClient(port: listener.port)
    #expect(throws: refused) { try RawClient(port: listener.port, v6: true) }
  }

  @Test func `::1 is bound alone`() async throws {
    let login = try Login(RedirectAddress(host: "[::1]"))
    #expect(throws: refused) { try RawClient(port: login.port) }
    let response = try await exchange(login.port, get("/callback?code=good", port: login.port, host: "[::1]"), v6: true)
    #expect(response.status == 200)
  }

  @Test(arguments: [false, true])
  func `localhost is bound on both addresses with one port`(v6: Bool) async throws {
    let login = try Login(RedirectAddress(host: "localhost"))
    #expect(try await login.finishes(v6: v6))
    #expect(throws: refused) { try RawClient(port: login.port, v6: !v6) }
  }

  @Test func `the ports are tried in their order`() throws {
    let first = try factory.bind(RedirectAddress())
    let free = try freePort()
    let second = try factory.bind(RedirectAddress(ports: [first.port, free]))
    #expect(second.port == free)
    withExtendedLifetime(first) {}
  }

  @Test func `when all the ports are taken the holder is named`() throws {
    let one = try factory.bind(RedirectAddress())
    let two = try factory.bind(RedirectAddress())
    do {
      _ = try factory.bind(RedirectAddress(ports: [one.port, two.port]))
      Issue.record("bound a port twice")
    } catch {
      guard case .portsInUse(let ports, let holder) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(ports == [one.port, two.port])
      #expect(holder?.hasSuffix("(process \(getpid()))") == true, "\(holder ?? "nobody")")
    }
    withExtendedLifetime((one, two)) {}
  }

  @Test func `for localhost a port that is taken on ::1 alone is taken`() throws {
    let other = try factory.bind(RedirectAddress(host: "[::1]", ports: quietPorts()))
    #expect(throws: ListenerError.self) { try factory.bind(RedirectAddress(host: "localhost", ports: [other.port])) }
    // The half that was bound is given back.
    let v4 = try factory.bind(RedirectAddress(ports: [other.port]))
    #expect(v4.port == other.port)
  }

  @Test func `two listeners on one port are impossible even for one that reuses addresses`() throws {
    let listener = try factory.bind(RedirectAddress())
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    var on: Int32 = 1
    setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    setsockopt(number, SOL_SOCKET, SO_REUSEPORT, &on, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(listener.port).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, 16) }
    }
    #expect(result == -1 && errno == EADDRINUSE)
    withExtendedLifetime(listener) {}
  }

  /// A child has copies of all descriptors until it becomes another program.
  @Test(arguments: [LoopbackSocket.Family.v4, .v6])
  func `a port is closed although a copy of its socket is open, and can be had again`(
    _ family: LoopbackSocket.Family
  ) throws {
    var (socket, port) = try LoopbackSocket.listen(family, port: 0)
    let copy = FileDescriptor(owning: dup(socket.number))
    #expect(copy.number >= 0)
    _ = try RawClient(port: Int(port), v6: family == .v6)
    socket.closeNow()
    #expect(throws: refused) { try RawClient(port: Int(port), v6: family == .v6) }
    (socket, port) = try LoopbackSocket.listen(family, port: port)
    _ = try RawClient(port: Int(port), v6: family == .v6)
    withExtendedLifetime((socket, copy)) {}
  }

  @Test(arguments: ["0.0.0.0", "192.0.2.1", "example.com", "", "::1", "127.0.0.1:80"])
  func `a host that is no loopback name is refused`(host: String) {
    #expect(throws: ListenerError.unavailable(address: host, reason: "not a loopback address")) {
      try factory.bind(RedirectAddress(host: host))
    }
  }

  @Test func `a number that is no port is refused, unless another one will do`() throws {
    #expect(throws: ListenerError.unavailable(address: "127.0.0.1:70000", reason: "no such port")) {
      try factory.bind(RedirectAddress(ports: [70000]))
    }
    #expect(try factory.bind(RedirectAddress(ports: [-1, 0])).port > 0)
  }

  @Test func `the line of a listening socket is read, and no other`() {
    let line =
      "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0 100 0"
    let entry = PortHolder.listener(line)
    #expect(entry?.port == 8080 && entry?.user == 1000 && entry?.inode == "4242")
    #expect(PortHolder.listener(line.replacingOccurrences(of: " 0A ", with: " 01 ")) == nil)
    #expect(PortHolder.listener("sl local_address") == nil)
  }

  private func freePort() throws -> Int { try factory.bind(RedirectAddress()).port }

  /// The address that a socket is bound to, as text.
  private func boundAddress(_ socket: FileDescriptor) -> String {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var text = [CChar](repeating: 0, count: 64)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(socket.number, $0, &size)
        _ = getnameinfo($0, size, &text, 64, nil, 0, NI_NUMERICHOST)
      }
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
