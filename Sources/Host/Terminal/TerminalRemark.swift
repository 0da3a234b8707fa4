internal import Glibc

extension Terminal {
  /// Writes `oauthctl: …` on a line of its own to standard error, where that is a terminal, and nothing elsewhere.
  ///
  /// For a process in the background: the one that waits for it may have a status on the last line, which is erased
  /// first; it draws it again below.
  public static func remark(_ message: String, environment: [String: String]) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let canErase = !["", "dumb"].contains(environment["TERM"] ?? "")
    var line = (canErase ? "\r\u{1B}[K" : "") + "oauthctl: \(message)\n"
    line.withUTF8 { writeMessage(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }
}
