import Flows
package import OAuth
import Synchronization
package import Testing

/// A request that is expected, and what it is answered with.
package struct Exchange: Sendable {
  package typealias Reply = @Sendable (HTTPRequest) async throws -> HTTPResponse

  let method: HTTPRequest.Method
  let url: String
  let form: [String: String]
  let reply: Reply

  /// Expects a request of this method and exact URL, whose form has at least these members.
  package init(
    _ method: HTTPRequest.Method, _ url: String, form: [String: String] = [:], reply: @escaping Reply
  ) {
    (self.method, self.url, self.form, self.reply) = (method, url, form, reply)
  }

  package static func post(_ url: String, form: [String: String] = [:], _ response: HTTPResponse) -> Exchange {
    Exchange(.post, url, form: form) { _ in response }
  }

  package static func get(_ url: String, _ response: HTTPResponse) -> Exchange {
    Exchange(.get, url) { _ in response }
  }

  /// A request that brings no response.
  package static func failing(
    _ method: HTTPRequest.Method, _ url: String, with error: any Error & Sendable
  ) -> Exchange {
    Exchange(method, url) { _ in throw error }
  }

  func fault(of request: HTTPRequest) -> String? {
    if request.method != method { return "the method is \(request.method.rawValue), not \(method.rawValue)" }
    if request.url != url { return "the URL is \(request.url), not \(url)" }
    let sent = request.form
    for (name, value) in form where sent[name] != value {
      return "'\(name)' is \(sent[name] ?? "missing"), not \(value)"
    }
    return nil
  }
}

/// Answers the expected requests in their order.
///
/// Any other request fails the test, and so does one that never came.
package final class FakeHTTPClient: HTTPClient {
  private struct State {
    var waiting: [Exchange]
    var requests: [HTTPRequest] = []
  }

  private let state: Mutex<State>
  private let location: SourceLocation

  package convenience init(_ exchanges: Exchange..., sourceLocation: SourceLocation = #_sourceLocation) {
    self.init(exchanges, sourceLocation: sourceLocation)
  }

  package init(_ exchanges: [Exchange], sourceLocation: SourceLocation = #_sourceLocation) {
    state = Mutex(State(waiting: exchanges))
    location = sourceLocation
  }

  deinit {
    for exchange in state.withLock({ $0.waiting }) {
      Issue.record("never requested: \(exchange.method.rawValue) \(exchange.url)", sourceLocation: location)
    }
  }

  /// What was sent so far.
  package var requests: [HTTPRequest] { state.withLock { $0.requests } }

  package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let next = state.withLock { state in
      state.requests.append(request)
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    guard let next else {
      Issue.record("unexpected request: \(request.method.rawValue) \(request.url)", sourceLocation: location)
      throw UnexpectedUse()
    }
    if let fault = next.fault(of: request) {
      Issue.record("another request was expected: \(fault)", sourceLocation: location)
      throw UnexpectedUse()
    }
    return try await next.reply(request)
  }
}

/// Thrown by a fake that was used in a way the test did not expect; the test has failed by then.
package struct UnexpectedUse: Error {
  package init() {}
}
