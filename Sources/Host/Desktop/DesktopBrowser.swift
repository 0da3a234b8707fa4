public import Flows

/// Opens pages in the user's browser.
///
/// Which one: the command that was given (`--browser`), else the first of `$BROWSER` that can be started, else
/// `xdg-open`. A given command is always tried. `$BROWSER` is followed without a display too, but not over SSH, where
/// the page would open on the wrong machine; its text browsers are passed over, for they need the terminal that the
/// login runs in. `xdg-open` needs a display.
public struct DesktopBrowser: Browser {
  private let environment: [String: String]
  private let command: String?
  private let isPrivate: Bool

  /// Makes a browser.
  ///
  /// - Parameters:
  ///   - environment: The process's environment; the child gets it without `OAUTHCTL_…` variables.
  ///   - command: A program and its arguments; `%s` stands for the URL, which else comes last.
  ///   - isPrivate: Whether to ask for a private window.
  public init(environment: [String: String], command: String? = nil, isPrivate: Bool = false) {
    self.environment = environment
    self.command = command
    self.isPrivate = isPrivate
  }

  /// Starts the browser on an `http` or `https` URL, in a session of its own, and returns at once.
  ///
  /// The URL is in the child's arguments, where other users of this machine can read it; an authorization URL holds no
  /// secret, and the code in that of a device login lets nobody in but who approves it. No shell ever reads it.
  ///
  /// - Throws: ``BrowserError``.
  public func open(_ url: String) throws(BrowserError) {
    guard Self.isWebAddress(url) else { throw .noDisplay(reason: "only http and https addresses are opened") }
    let candidates = try candidates()
    var tried: [String] = []
    var unknown: String?
    for text in candidates {
      guard let written = BrowserCommand(text) else {
        tried.append(text)
        continue
      }
      guard let command = isPrivate ? privateCommand(written) : written else {
        unknown = unknown ?? BrowserCommand.baseName(written.program)
        continue
      }
      if start(command, url: url) { return }
      tried.append(command.program)
    }
    if let unknown { throw .noPrivateWindow(browser: unknown) }
    throw .notFound(tried: tried)
  }

  /// What ``open(_:)`` would throw for want of a display or a program.
  ///
  /// A given command is an obstacle only where it is not there; whether a private window can be had is not looked at.
  public var obstacle: BrowserError? {
    do throws(BrowserError) {
      _ = try program()
      return nil
    } catch {
      return error
    }
  }

  /// Gives the path of the program that a page would be opened with, without starting it.
  ///
  /// - Throws: ``BrowserError``.
  public func program() throws(BrowserError) -> String {
    let candidates = try candidates()
    for text in candidates {
      if let command = BrowserCommand(text), let path = find(command) { return path }
    }
    throw .notFound(tried: candidates.map { BrowserCommand($0)?.program ?? $0 })
  }

  /// Whether it is a web address as it stands on a command line: printable ASCII after its scheme.
  static func isWebAddress(_ url: String) -> Bool {
    let start = url.prefix(8).lowercased()
    guard start == "https://" || start.hasPrefix("http://") else { return false }
    return url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  private func candidates() throws(BrowserError) -> [String] {
    if let command { return [command] }
    if isSet("SSH_CONNECTION") || isSet("SSH_TTY") || isSet("SSH_CLIENT") {
      throw .noDisplay(reason: "this is an SSH session")
    }
    let listed = (environment["BROWSER"] ?? "").split(separator: ":").map(String.init)
      .filter { BrowserCommand($0)?.needsTerminal != true }
    if !listed.isEmpty { return listed }
    guard isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") else { throw .noDisplay(reason: "there is no display") }
    return ["xdg-open"]
  }

  private func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }

  private func privateCommand(_ command: BrowserCommand) -> BrowserCommand? {
    guard BrowserCommand.baseName(command.program) == "xdg-open" else { return PrivateWindow.command(command) }
    return PrivateWindow.defaultBrowser(environment: childEnvironment).flatMap(PrivateWindow.command)
  }

  private func start(_ command: BrowserCommand, url: String) -> Bool {
    guard let path = find(command) else { return false }
    return ChildProcess.startDetached(path, command.arguments(url: url), environment: childEnvironment) == 0
  }

  private func find(_ command: BrowserCommand) -> String? {
    ProgramSearch.find(command.program, path: environment["PATH"])
  }

  /// Client secrets may be in variables of ours; a browser has no business with them.
  private var childEnvironment: [String: String] {
    environment.filter { !$0.key.hasPrefix("OAUTHCTL_") }
  }
}
