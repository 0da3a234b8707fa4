internal import Glibc

/// Serves the redirect address on one thread: all its connections at once, none of them waited for.
///
/// It is made on the thread that runs it and never leaves it.
struct CallbackServer {
  /// What bounds it; times in milliseconds.
  struct Limits: Sendable {
    /// How many connections are open; when one more comes, the oldest idle one goes.
    var connections = Limits.affordableConnections
    /// How long a request may take to arrive, and a reply to be taken.
    var request: Int64 = 5000
    /// How long a browser has to close after its reply, and how long those on the side are served after the verdict.
    var linger: Int64 = 1000

    /// Half of the descriptors that the process may have beside its own: a flood must leave the login those that it needs
    /// for the keyring, the terminal and the token request.
    static var affordableConnections: Int {
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
      return max(4, (Int(min(limit.rlim_cur, 1024)) - 32) / 2)
    }
  }

  /// How serving ended.
  enum Ending: Sendable {
    /// A callback was accepted or refused and its page is with the kernel.
    case settled
    case cancelled
  }

  private var listeners: [FileDescriptor]
  private var responder: CallbackResponder
  private let wake: WakeSignal
  private let limits: Limits
  /// In the order they came.
  private var connections: [CallbackConnection] = []
  /// The connection that the verdict's page goes to.
  private var decisive: Int32?
  private var acceptAgain: Int64 = 0

  init(listeners: [FileDescriptor], responder: CallbackResponder, wake: WakeSignal, limits: Limits) {
    self.listeners = listeners
    self.responder = responder
    self.wake = wake
    self.limits = limits
  }

  /// Serves until the verdict's page is handed over or the wake signal comes; the port is free when this returns.
  mutating func serve() -> Ending {
    while true {
      guard turn(until: .max) else {
        connections = []
        closeListeners()
        return .cancelled
      }
      if responder.isSettled, !isHandingOver {
        // Who is in the queue is let in, for closing the port would cut them off.
        acceptAll()
        closeListeners()
        return .settled
      }
    }
  }

  /// Goes on with the connections that are open for a moment, so that none is cut off in the middle of its reply.
  mutating func linger() {
    let end = Uptime.milliseconds + limits.linger
    while !connections.isEmpty, Uptime.milliseconds < end, turn(until: end) {}
  }

  private mutating func closeListeners() {
    // Not left to the last owner: the port must be free when the wait returns.
    for listener in listeners { listener.closeNow() }
    listeners = []
  }

  private var isHandingOver: Bool {
    connections.contains { $0.socket.number == decisive && $0.phase == .writing }
  }

  /// Waits for something to do and does it; false where the wake signal came.
  private mutating func turn(until end: Int64) -> Bool {
    let now = Uptime.milliseconds
    let accepts = now >= acceptAgain
    var polled = [pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0)]
    polled += connections.map { pollfd(fd: $0.socket.number, events: $0.events, revents: 0) }
    if accepts { polled += listeners.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) } }

    let next = min(connections.map(\.deadline).min() ?? .max, accepts ? .max : acceptAgain, end)
    let timeout = next == .max ? -1 : Int32(clamping: max(0, next - now))
    guard poll(&polled, nfds_t(polled.count), timeout) >= 0 else {
      // Only a shortage of memory can come here besides a signal: not a reason to spin.
      if errno != EINTR { usleep(10_000) }
      return true
    }
    if polled[0].revents != 0 { return false }
    for index in connections.indices where polled[index + 1].revents != 0 { advance(index) }
    if polled.dropFirst(1 + connections.count).contains(where: { $0.revents != 0 }) { acceptAll() }
    expire()
    return true
  }

  private mutating func advance(_ index: Int) {
    let now = Uptime.milliseconds
    if connections[index].phase == .reading, let reply = reply(to: index) {
      if responder.isSettled, decisive == nil { decisive = connections[index].socket.number }
      let patience = connections[index].socket.number == decisive ? limits.linger : limits.request
      connections[index].reply(reply, deadline: now + patience)
    }
    if connections[index].phase == .writing { connections[index].write(drainUntil: now + limits.linger) }
    if connections[index].phase == .draining { connections[index].drain() }
  }

  /// Reads, and gives the reply once there is one.
  private mutating func reply(to index: Int) -> [UInt8]? {
    while true {
      switch responder.respond(to: connections[index].read()) {
      case .later: return nil
      case .reply(let bytes): return bytes
      case .body(let request, let length): connections[index].await(bodyOf: request, length: length)
      }
    }
  }

  private mutating func expire() {
    let now = Uptime.milliseconds
    connections.removeAll { $0.phase == .closed || $0.deadline <= now }
  }

  /// Lets in who waits at the port, and reads at once: most have sent their request by then.
  private mutating func acceptAll() {
    for listener in listeners {
      // Bounded, so that a flood of connections does not keep those that are open from being served.
      for _ in 0..<64 {
        let number = accept(listener.number, nil, nil)
        if number < 0 {
          if errno == ECONNABORTED || errno == EINTR { continue }
          if errno == EAGAIN || errno == EWOULDBLOCK { break }
          // Out of descriptors or memory: one that can be spared gives some back, else a pause keeps this from spinning.
          if makeRoom() { continue }
          acceptAgain = Uptime.milliseconds + 20
          break
        }
        let socket = FileDescriptor(owning: number)
        socket.makePrivateAndNonBlocking()
        if connections.count >= limits.connections { _ = makeRoom() }
        connections.append(CallbackConnection(socket: socket, deadline: Uptime.milliseconds + limits.request))
        advance(connections.count - 1)
      }
    }
  }

  /// Closes the oldest connection that can best be spared, never the one that the verdict's page goes to.
  private mutating func makeRoom() -> Bool {
    let spared =
      connections.firstIndex(where: \.isSilent)
      ?? connections.firstIndex { $0.phase == .draining || $0.phase == .closed }
      ?? connections.firstIndex { $0.socket.number != decisive }
    guard let spared else { return false }
    connections.remove(at: spared)
    return true
  }
}
