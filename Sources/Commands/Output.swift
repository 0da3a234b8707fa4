internal import CLI
internal import Glibc
internal import Host
internal import OAuth

/// Standard output for the answer, standard error for all else.
struct Output: Sendable {
  var isJSON: Bool
  var isQuiet: Bool
  /// Writes bytes to standard output; false where they could not all be written.
  var writeAnswer: @Sendable (String) -> Bool
  /// Writes a line to standard error.
  var writeMessage: @Sendable (String) -> Void

  /// The process's own streams.
  static func standard(isJSON: Bool, isQuiet: Bool) -> Output {
    Output(
      isJSON: isJSON, isQuiet: isQuiet, writeAnswer: { Self.write($0, to: STDOUT_FILENO) },
      writeMessage: { message in
        var line = message + "\n"
        line.withUTF8 { Host.writeMessage(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
      })
  }

  /// Prints the answer.
  ///
  /// - Throws: ``Failure`` where it could not be written whole: a script must not take a part for the answer.
  func answer(_ text: String) throws(Failure) {
    guard !writeAnswer(text) else { return }
    let code = errno
    var failure = Failure(.temporary, "the answer could not be written: \(describe(errno: code))")
    // A pager that was quit, or `head`: it had all that it wanted.
    failure.isUnheard = code == EPIPE
    throw failure
  }

  /// Prints a JSON value and a newline.
  func answer(_ value: JSONValue) throws(Failure) { try answer(value.plainText + "\n") }

  /// Tells a person something; not with `--quiet`.
  func note(_ message: String) {
    if !isQuiet { writeMessage("oauthctl: \(message)") }
  }

  /// Warns of something that went on all the same.
  func warn(_ message: String) { note("warning: \(message)") }

  /// Reports a failure: an object with `--json`, else a message and a hint.
  func report(_ failure: Failure, about subject: String? = nil) {
    guard !failure.isUnheard else { return }
    if isJSON {
      writeMessage(failure.json.plainText)
      return
    }
    writeMessage(
      "oauthctl: error: \(Self.about(subject, failure.message))")
    if let hint = failure.hint { writeMessage("oauthctl: hint: \(hint)") }
  }

  /// The message with whom it is about before it, unless it says so itself.
  static func about(_ subject: String?, _ message: String) -> String {
    guard let subject else { return message }
    // The host `id.acme.example` does not name the account `acme`.
    let names = message.split { !$0.isASCII || !($0.isLetter || $0.isNumber || "._@+-/".contains($0)) }
    return names.contains { $0 == subject } ? message : "\(subject): \(message)"
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
  }
}
