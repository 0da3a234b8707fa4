/// Where the authorization server sends the browser back to.
public struct RedirectAddress: Sendable, Equatable {
  /// `127.0.0.1`, `localhost` or `[::1]`, sent byte for byte.
  public var host: String
  /// The ports to try, in order; 0 is any free one.
  public var ports: [Int]
  /// The path, from its slash.
  public var path: String

  /// Makes an address.
  public init(host: String = "127.0.0.1", ports: [Int] = [0], path: String = "/callback") {
    self.host = host
    self.ports = ports
    self.path = path
  }
}

/// What becomes of a request to the callback path.
public enum CallbackVerdict<Value: Sendable>: Sendable {
  /// Not the one that is waited for; the browser is told so politely, the wait goes on.
  case ignored
  /// The one, and it is good: the browser sees the success page.
  case accepted(Value)
  /// The one, and it says no: the browser sees the failure page with this text, escaped.
  case refused(Value, message: String)
}

/// Where in the redirect's address the authorization server puts its answer.
public enum CallbackPart: Sendable, Equatable {
  /// In the query, as is usual (RFC 6749 section 4.1.2).
  case query
  /// In the fragment, as in the implicit grant (RFC 6749 section 4.2.2): the browser keeps it to itself.
  case fragment
  /// Nowhere in it: the server's page has the browser post it as a form (OAuth 2.0 Form Post Response Mode).
  case form
}

/// Makes listeners on loopback addresses.
public protocol CallbackListenerFactory: Sendable {
  /// Binds the first free port of the address, on 127.0.0.1, on ::1, or for `localhost` on both with the same port.
  ///
  /// - Throws: ``ListenerError``.
  func bind(_ address: RedirectAddress) throws(ListenerError) -> any CallbackListener
}

/// A bound listener; the sockets close when it is dropped or its wait ends.
public protocol CallbackListener: Sendable {
  /// The port that was bound.
  var port: Int { get }
  /// Serves until `judge` accepts or refuses a request and the browser has its page; gives the verdict's value.
  ///
  /// Only a `GET` of the exact path is judged; `judge` gets the raw query, without its question mark, and may be called
  /// from several connections at once. Everything else is answered on the side and changes nothing.
  ///
  /// For an answer in the fragment, a query that is ignored and has no `state` is answered with a page whose script takes
  /// the fragment out of the address bar and posts it back; `judge` then gets the raw fragment, without its `#`. An
  /// answer in the query is taken all the same, for some servers send errors, or all, that way.
  ///
  /// For an answer in a form a `POST` of the exact path is judged as well, whatever page has the browser send it; `judge`
  /// then gets the raw form.
  ///
  /// - Throws: `CancellationError` where the task is cancelled.
  func wait<Value: Sendable>(
    for part: CallbackPart, _ judge: @escaping @Sendable (_ answer: String) -> CallbackVerdict<Value>
  ) async throws -> Value
}

extension CallbackListener {
  /// Waits for an answer in the query.
  public func wait<Value: Sendable>(
    _ judge: @escaping @Sendable (_ query: String) -> CallbackVerdict<Value>
  ) async throws -> Value {
    try await wait(for: .query, judge)
  }
}

/// No port could be bound.
public enum ListenerError: Error, Sendable, Equatable {
  /// All the ports are in use; the program that holds the first, where it can be told.
  case portsInUse(ports: [Int], holder: String?)
  /// This machine has no such loopback address, or the system refused.
  case unavailable(address: String, reason: String)
}
