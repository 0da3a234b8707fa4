/// Shows a page to the user.
public protocol Browser: Sendable {
  /// Why no page can be shown here, as far as that can be told without starting anything; nil where one may be.
  var obstacle: BrowserError? { get }
  /// Starts the browser on a URL, detached, and returns at once; it is never waited for.
  ///
  /// - Throws: ``BrowserError``.
  func open(_ url: String) throws(BrowserError)
}

/// No browser was started.
public enum BrowserError: Error, Sendable, Equatable {
  /// There is nothing to show a page on here, and why (over SSH, no display).
  case noDisplay(reason: String)
  /// None of these programs could be started.
  case notFound(tried: [String])
  /// A private window was asked for, and it is not known how this browser opens one.
  case noPrivateWindow(browser: String)
}
