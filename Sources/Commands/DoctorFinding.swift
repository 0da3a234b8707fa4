internal import Flows
internal import OAuth

/// What a check of `doctor` came to.
///
/// What is not well cannot be said without what helps against it.
struct Finding: Sendable, Equatable {
  enum Result: String, Sendable, CaseIterable { case ok, warn, fail, skip }

  let result: Result
  /// One sentence, lower case, no full stop.
  let message: String
  /// What helps: where there is one, the exact command.
  let remedy: String?
  /// What kind of failure a command meets for it; nil unless it fails.
  let kind: FailureKind?

  private init(_ result: Result, _ message: String, remedy: String? = nil, kind: FailureKind? = nil) {
    self.result = result
    // Paths, variables and other programs' words may be in it.
    self.message = PrintableText.printable(message, limit: 500)
    self.remedy = remedy.map { PrintableText.printable($0, limit: 500) }
    self.kind = kind
  }

  /// All is well.
  static func ok(_ message: String) -> Finding { Finding(.ok, message) }

  /// Something is missing that not everybody needs.
  static func warn(_ message: String, remedy: String) -> Finding { Finding(.warn, message, remedy: remedy) }

  /// Commands fail for it.
  static func fail(_ kind: FailureKind, _ message: String, remedy: String) -> Finding {
    Finding(.fail, message, remedy: remedy, kind: kind)
  }

  /// It was not looked at, and why.
  static func skip(_ reason: String) -> Finding { Finding(.skip, "not checked: \(reason)") }

  /// A failure as a command would report it, with another remedy where its own hint says less.
  static func fail(_ error: any Error, remedy: String? = nil) -> Finding {
    let failure = Failure(error)
    return fail(failure.kind, failure.message, remedy: remedy ?? failure.hint ?? "try again, with --verbose")
  }

  /// The exit code that this alone would give the program.
  var exitCode: Int32 { kind?.exitCode ?? 0 }

  /// The entry in the list that `--json` prints; it always has the same keys.
  func json(check: String) -> JSONValue {
    .object([
      "check": .string(check), "result": .string(result.rawValue), "message": .string(message),
      "remedy": remedy.map(JSONValue.string) ?? .null, "code": .integer(Int64(exitCode)),
    ])
  }
}

/// One thing that `doctor` looks at.
struct Check: Sendable {
  let name: String
  /// What is looked at, for the manual: a lower-case phrase.
  let subject: String
  /// The check without whose success this one tells nothing.
  let needs: String?
  /// Looks, and gives one finding or several of a kind.
  let run: @Sendable (Examination) async throws -> [Finding]

  init(
    _ name: String, _ subject: String, needs: String? = nil,
    run: @escaping @Sendable (Examination) async throws -> [Finding]
  ) {
    (self.name, self.subject, self.needs, self.run) = (name, subject, needs, run)
  }

  /// A check that looks at the machine itself; the look may hang, as one at a network folder that is gone does.
  init(
    _ name: String, _ subject: String, needs: String? = nil,
    look: @escaping @Sendable (Machine) throws -> [Finding]
  ) {
    self.init(name, subject, needs: needs) { examination in
      let machine = examination.machine
      return try await offPool { try look(machine) }
    }
  }
}
