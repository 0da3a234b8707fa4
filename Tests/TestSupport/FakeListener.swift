package import Flows
import Synchronization

/// A listener without a socket: a test hands it the requests to the callback path.
package final class FakeListener: CallbackListener {
  package let port: Int
  /// What was made of each request: `ignored`, `accepted`, or `refused: …`.
  package let verdicts = Recorder<String>()
  /// What was waited for, each time.
  package let parts = Recorder<CallbackPart>()
  private let answers: AsyncStream<(part: CallbackPart, text: String)>
  private let input: AsyncStream<(part: CallbackPart, text: String)>.Continuation

  package init(port: Int = 4711) {
    self.port = port
    (answers, input) = AsyncStream.makeStream()
  }

  /// Has a browser request the callback path with this query.
  package func request(_ query: String) { input.yield((.query, query)) }

  /// Has the server's page post this form; without anybody who waits for one it is not taken.
  package func post(form: String) { input.yield((.form, form)) }

  /// Has the page that hands over a fragment post it; without anybody who waits for one there is no such page.
  package func post(fragment: String) { input.yield((.fragment, fragment)) }

  package func wait<Value: Sendable>(
    for part: CallbackPart, _ judge: @escaping @Sendable (_ answer: String) -> CallbackVerdict<Value>
  ) async throws -> Value {
    parts.add(part)
    for await answer in answers {
      guard answer.part == .query || part == answer.part else {
        verdicts.add("not taken")
        continue
      }
      switch judge(answer.text) {
      case .ignored: verdicts.add("ignored")
      case .accepted(let value):
        verdicts.add("accepted")
        return value
      case .refused(let value, let message):
        verdicts.add("refused: \(message)")
        return value
      }
    }
    throw CancellationError()
  }
}

/// Hands out one listener, or none.
package final class FakeListeners: CallbackListenerFactory {
  package let listener: FakeListener
  /// What was to be bound, in order.
  package let bound = Recorder<RedirectAddress>()
  private let error: ListenerError?
  private let onBind: @Sendable () -> Void

  package init(
    _ listener: FakeListener = FakeListener(), error: ListenerError? = nil,
    onBind: @escaping @Sendable () -> Void = {}
  ) {
    (self.listener, self.error, self.onBind) = (listener, error, onBind)
  }

  package func bind(_ address: RedirectAddress) throws(ListenerError) -> any CallbackListener {
    bound.add(address)
    if let error { throw error }
    onBind()
    return listener
  }
}

/// A browser that shows nothing, and may answer.
package final class FakeBrowser: Browser {
  /// The pages it was asked to show.
  package let opened = Recorder<String>()
  private let error: BrowserError?
  private let onOpen: @Sendable (String) -> Void

  /// - Parameter onOpen: what the person does then, given the URL.
  package init(error: BrowserError? = nil, onOpen: @escaping @Sendable (String) -> Void = { _ in }) {
    (self.error, self.onOpen) = (error, onOpen)
  }

  package var obstacle: BrowserError? { error }

  package func open(_ url: String) throws(BrowserError) {
    if let error { throw error }
    opened.add(url)
    onOpen(url)
  }
}
