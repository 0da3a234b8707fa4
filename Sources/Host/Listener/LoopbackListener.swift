public import Flows
internal import Synchronization

/// Makes listeners on the loopback addresses of this machine.
public struct LoopbackListenerFactory: CallbackListenerFactory {
  private let page: CallbackPage
  private let limits: CallbackServer.Limits

  /// Makes a factory; `appName` is what the pages call the program.
  public init(appName: String = "oauthctl") {
    self.init(appName: appName, limits: CallbackServer.Limits())
  }

  init(appName: String, limits: CallbackServer.Limits) {
    page = CallbackPage(appName: appName)
    self.limits = limits
  }

  /// Binds the first free port of the address (RFC 8252 section 7.3), before any browser is opened.
  ///
  /// For `localhost` both loopback addresses get the same port, since a browser may take either; on a machine without
  /// IPv6 127.0.0.1 alone will do. A port that is free on one of the two alone counts as taken.
  ///
  /// - Throws: ``ListenerError``.
  public func bind(_ address: RedirectAddress) throws(ListenerError) -> any CallbackListener {
    let families = try families(of: address.host)
    var taken: [Int] = []
    var refusal: ListenerError?
    for port in address.ports.isEmpty ? [0] : address.ports {
      guard let number = UInt16(exactly: port) else {
        refusal = refusal ?? .unavailable(address: "\(address.host):\(port)", reason: "no such port")
        continue
      }
      do throws(BindFailure) {
        let (sockets, bound) = try bind(families, port: number)
        return LoopbackListener(sockets: sockets, port: bound, path: address.path, page: page, limits: limits)
      } catch {
        switch error.reason {
        case .inUse: taken.append(port)
        case .absent(let reason), .refused(let reason):
          refusal = refusal ?? .unavailable(address: "\(error.family.host):\(port)", reason: reason)
        }
      }
    }
    if let first = taken.first {
      throw .portsInUse(ports: taken, holder: PortHolder.find(port: first, families: families))
    }
    throw refusal ?? .unavailable(address: address.host, reason: "no port to try")
  }

  private func families(of host: String) throws(ListenerError) -> [LoopbackSocket.Family] {
    switch host.lowercased() {
    case "127.0.0.1": [.v4]
    case "[::1]": [.v6]
    case "localhost": [.v4, .v6]
    default: throw .unavailable(address: host, reason: "not a loopback address")
    }
  }

  private struct BindFailure: Error {
    var family: LoopbackSocket.Family
    var reason: LoopbackSocket.Failure
  }

  private func bind(
    _ families: [LoopbackSocket.Family], port: UInt16
  ) throws(BindFailure) -> (sockets: [FileDescriptor], port: Int) {
    var attempts = 1
    while true {
      do throws(BindFailure) {
        return try bindOnce(families, port: port)
      } catch {
        // A port that the kernel gives for one address may be taken on the other; then another is asked for.
        guard error.reason == .inUse, port == 0, attempts < 32 else { throw error }
        attempts += 1
      }
    }
  }

  private func bindOnce(
    _ families: [LoopbackSocket.Family], port: UInt16
  ) throws(BindFailure) -> (sockets: [FileDescriptor], port: Int) {
    var sockets: [FileDescriptor] = []
    var bound = port
    var absence: BindFailure?
    for family in families {
      do throws(LoopbackSocket.Failure) {
        let opened = try LoopbackSocket.listen(family, port: bound)
        sockets.append(opened.socket)
        bound = opened.port
      } catch {
        guard case .absent = error else { throw BindFailure(family: family, reason: error) }
        absence = BindFailure(family: family, reason: error)
      }
    }
    if let absence, sockets.isEmpty { throw absence }
    return (sockets, Int(bound))
  }
}

/// A bound redirect address.
final class LoopbackListener: CallbackListener {
  let port: Int
  private let path: String
  private let page: CallbackPage
  private let limits: CallbackServer.Limits
  /// Empty once they are waited on.
  private let sockets: Mutex<[FileDescriptor]>

  init(
    sockets: [FileDescriptor], port: Int, path: String, page: CallbackPage, limits: CallbackServer.Limits
  ) {
    self.sockets = Mutex(sockets)
    self.port = port
    self.path = path
    self.page = page
    self.limits = limits
  }

  func wait<Value: Sendable>(
    for part: CallbackPart, _ judge: @escaping @Sendable (_ answer: String) -> CallbackVerdict<Value>
  ) async throws -> Value {
    let verdict = Mutex<Value?>(nil)
    let ending = try await serve(part) { answer in
      switch judge(answer) {
      case .ignored: return .ignored
      case .accepted(let value):
        verdict.withLock { $0 = value }
        return .accepted
      case .refused(let value, let message):
        verdict.withLock { $0 = value }
        return .refused(message: message)
      }
    }
    guard ending == .settled, let value = verdict.withLock({ $0 }) else { throw CancellationError() }
    return value
  }

  private func serve(
    _ part: CallbackPart, judge: @escaping @Sendable (String) -> CallbackPage.Outcome
  ) async throws -> CallbackServer.Ending {
    let sockets = sockets.withLock { sockets in
      defer { sockets = [] }
      return sockets
    }
    guard !sockets.isEmpty else { throw unavailable("it was already waited for") }
    guard let wake = WakeSignal() else { throw unavailable("no file descriptor left") }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let started = WorkerThread.start { [port, path, page, limits] in
          let responder = CallbackResponder(port: port, path: path, part: part, page: page, judge: judge)
          var server = CallbackServer(listeners: sockets, responder: responder, wake: wake, limits: limits)
          let ending = server.serve()
          continuation.resume(returning: ending)
          if ending == .settled { server.linger() }
        }
        if !started { continuation.resume(throwing: unavailable("no thread left")) }
      }
    } onCancel: {
      wake.send()
    }
  }

  private func unavailable(_ reason: String) -> ListenerError {
    .unavailable(address: "127.0.0.1:\(port)", reason: reason)
  }
}
