public import Crypto

/// The person at the terminal, if there is one.
public protocol UserTerminal: Sendable {
  /// Whether someone can be asked: standard input and standard error are a terminal.
  var isInteractive: Bool { get }
  /// Tells the person something on standard error: `oauthctl: …`. Nothing is shown with `--quiet`.
  func note(_ message: String)
  /// Shows a line that the person cannot do without, such as the URL to open, with `--quiet` too.
  func show(_ line: String)
  /// Shows a line like that, whose last part the person has to read off, and type elsewhere; a terminal makes it stand out.
  func show(_ line: String, _ emphasized: String)
  /// Shows the URL as a QR code, for a telephone to read, where the terminal can show one; does nothing elsewhere, and with
  /// `--quiet`: who needs the URL has it by ``show(_:)``.
  func showCode(of url: String)
  /// Shows what is being waited for, on a terminal and not for long; nil takes it away.
  func status(_ text: String?)
  /// Asks for a line; `echo: false` for a secret. Gives nil at end of input.
  ///
  /// - Throws: `CancellationError` where the task is cancelled while waiting; the terminal's modes are restored.
  func ask(_ prompt: String, echo: Bool) async throws -> Secret?
}
