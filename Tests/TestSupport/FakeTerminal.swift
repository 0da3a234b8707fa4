package import Crypto
import Flows
import Synchronization
package import Testing

/// A person with answers prepared.
///
/// A question more fails the test, and so does an answer that nobody asked for.
package final class FakeTerminal: UserTerminal {
  package enum Answer: Sendable {
    /// Types a line.
    case line(String)
    /// Types what the lines shown so far lead to.
    case reading(@Sendable (_ shown: [String]) -> String)
    /// Closes the input.
    case end
    /// Types nothing until the question is taken away.
    case nothing
  }

  package let isInteractive: Bool
  package let notes = Recorder<String>()
  package let shown = Recorder<String>()
  /// What QR codes were shown of.
  package let codes = Recorder<String>()
  package let statuses = Recorder<String?>()
  /// The questions, and whether the answer could be seen.
  package let questions = Recorder<(prompt: String, echo: Bool)>()
  private let answers: Mutex<[Answer]>
  private let location: SourceLocation

  /// A terminal with someone at it where there are answers.
  package init(
    _ answers: Answer..., isInteractive: Bool? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    self.isInteractive = isInteractive ?? !answers.isEmpty
    self.answers = Mutex(answers)
    location = sourceLocation
  }

  deinit {
    let left = answers.withLock { $0 }.filter { if case .nothing = $0 { false } else { true } }
    if !left.isEmpty { Issue.record("never asked for: \(left)", sourceLocation: location) }
  }

  package func note(_ message: String) { notes.add(message) }
  package func show(_ line: String) { shown.add(line) }
  package func show(_ line: String, _ emphasized: String) { shown.add(line + emphasized) }
  package func showCode(of url: String) { codes.add(url) }
  package func status(_ text: String?) { statuses.add(text) }

  package func ask(_ prompt: String, echo: Bool) async throws -> Secret? {
    questions.add((prompt, echo))
    switch answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
    case .line(let text): return Secret(text)
    case .reading(let text): return Secret(text(shown.all))
    case .end: return nil
    case .nothing:
      // Only its cancellation ends it.
      try await Task.sleep(for: .seconds(3600))
      return nil
    case nil:
      Issue.record("unexpected question: \(prompt)", sourceLocation: location)
      return nil
    }
  }
}
