internal import Glibc

/// Sockets on the loopback addresses.
enum LoopbackSocket {
  /// A loopback address.
  enum Family: Sendable {
    case v4, v6

    /// The address as it stands in a URL.
    var host: String {
      switch self {
      case .v4: "127.0.0.1"
      case .v6: "[::1]"
      }
    }
  }

  /// Why there is no socket.
  enum Failure: Error, Equatable {
    case inUse
    /// This machine has no such address: IPv6 is off.
    case absent(reason: String)
    case refused(reason: String)
  }

  /// A browser whose connection finds the queue full tries again only after a second.
  private static let backlog: Int32 = 4096

  /// Listens on the address; port 0 takes any free one.
  static func listen(_ family: Family, port: UInt16) throws(Failure) -> (socket: FileDescriptor, port: UInt16) {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = socket(family == .v4 ? AF_INET : AF_INET6, kind, 0)
    guard number >= 0 else { throw failure(errno) }
    let owner = FileDescriptor(owning: number, isListening: true)
    // On Linux this never lets a second listener in; it only gets a port past the connections of the login before
    // (TIME_WAIT). SO_REUSEPORT would let one in, and is left off.
    set(number, SOL_SOCKET, SO_REUSEADDR)
    if family == .v6 { set(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
    guard call(Glibc.bind, number, family, port) == 0, Glibc.listen(number, backlog) == 0 else { throw failure(errno) }
    return (owner, boundPort(number))
  }

  /// Connects to a listener on the address, and closes the connection; gives why that could not be done.
  ///
  /// - Parameter limit: the milliseconds that it may take.
  static func connect(_ family: Family, port: UInt16, limit: Int32) -> String? {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = socket(family == .v4 ? AF_INET : AF_INET6, kind, 0)
    guard number >= 0 else { return describe(errno: errno) }
    let owner = FileDescriptor(owning: number)
    return owner.withNumber { number in
      if call(Glibc.connect, number, family, port) == 0 { return nil }
      guard errno == EINPROGRESS else { return describe(errno: errno) }
      var polled = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
      guard retryingInterrupts({ poll(&polled, 1, limit) }) > 0 else { return describe(errno: ETIMEDOUT) }
      var code: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &size)
      return code == 0 ? nil : describe(errno: code)
    }
  }

  private static func set(_ number: Int32, _ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    setsockopt(number, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private typealias SocketCall = (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32

  /// Binds or connects a socket to the address.
  private static func call(_ function: SocketCall, _ number: Int32, _ family: Family, _ port: UInt16) -> Int32 {
    switch family {
    case .v4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return call(function, number, &address, MemoryLayout<sockaddr_in>.size)
    case .v6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      return call(function, number, &address, MemoryLayout<sockaddr_in6>.size)
    }
  }

  private static func call<Address>(
    _ function: SocketCall, _ number: Int32, _ address: inout Address, _ size: Int
  ) -> Int32 {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(number, $0, socklen_t(size)) }
    }
  }

  private static func boundPort(_ number: Int32) -> UInt16 {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(number, $0, &size) }
      // The port is at the same place in both kinds of address.
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
  }

  private static func failure(_ code: Int32) -> Failure {
    switch code {
    case EADDRINUSE: .inUse
    case EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT: .absent(reason: describe(errno: code))
    default: .refused(reason: describe(errno: code))
    }
  }
}
