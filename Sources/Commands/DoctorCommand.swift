internal import CLI
internal import Flows
internal import Glibc
internal import Host
internal import OAuth
internal import Synchronization

/// `oauthctl doctor`: what is wrong here, and what helps.
enum DoctorCommand: Command {
  static let name = "doctor"
  static let spec = CommandSpec(
    name: name, summary: "find out what is wrong here, and what helps",
    discussion: discussion,
    options: [
      OptionSpec("json", help: "print a list of {check, result, message, remedy, code}"),
      OptionSpec("offline", help: "ask no server anything"),
      SharedOptions.cacert,
    ],
    examples: [
      Example("oauthctl doctor", "look at everything"),
      Example("oauthctl doctor --offline --json", "what a script would read"),
    ])

  /// Every check, in the order in which they are made: the first that fails gives the exit code.
  static let checks =
    DoctorKeyring.checks + DoctorAccounts.checks + DoctorDesktop.checks + DoctorNetwork.checks + DoctorFolders.checks
    + DoctorSystem.checks

  /// What all of them may take; each part of the machine that is slow has a shorter limit of its own.
  static let limit = Duration.seconds(15)

  private static var discussion: String {
    let list = checks.map { "\($0.name): \($0.subject)." }.joined(separator: "\n\n")
    return """
      Each check gives ok, warn or fail, and what helps; skip where another one failed that it needs. The exit code is 0 \
      where oauthctl can be used, else that of the first check that failed. Nothing is asked or unlocked. An item is \
      stored in the keyring and removed again; a lock file may be made. The servers of at most \(HostReply.most) accounts \
      get a request that carries nothing.

      The checks:

      \(list)
      """
  }

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let isJSON = invocation.has("json")
    let page = DoctorPage(
      width: checks.map(\.name.count).max() ?? 0, style: .standardOutput(environment.variables),
      columns: Terminal.columns(of: STDOUT_FILENO))
    let machine = environment.machine(invocation, environment)
    let found = Mutex<[(check: String, finding: Finding)]>([])
    try environment.wait {
      let examination = Examination(machine, isOffline: invocation.has("offline"))
      defer { examination.end() }
      try await examination.run(checks, within: limit) { check, finding in
        found.withLock { $0.append((check.name, finding)) }
        // A person sees each as it is there, for one may take its time.
        if !isJSON { try environment.output.answer(page.lines(check.name, finding)) }
      }
    }
    let findings = found.withLock { $0 }
    if isJSON { try environment.output.answer(.array(findings.map { $0.finding.json(check: $0.check) })) }
    if let failure = findings.first(where: { $0.finding.result == .fail }) {
      throw QuietFailure(exitCode: failure.finding.exitCode)
    }
  }
}

/// The findings for a person.
struct DoctorPage: Sendable {
  /// The longest name of a check.
  let width: Int
  let style: TerminalStyle
  /// How wide the terminal is; nil where the reader is a file or a program, which gets one line for each.
  var columns: Int?

  /// Where the messages begin.
  private var margin: Int { 4 + 2 + width + 2 }

  /// A line for the finding, and one for what helps; more of them where a terminal is too narrow.
  func lines(_ check: String, _ finding: Finding) -> String {
    let word = finding.result.rawValue
    let name = check + String(repeating: " ", count: max(0, width - check.count))
    let start = "\(style.coloured(word, colour(finding.result)))\(word.count < 4 ? "  " : "")  \(name)  "
    let line = start + set(finding.message, at: margin)
    guard let remedy = finding.remedy else { return line }
    return line + String(repeating: " ", count: margin) + "try: " + set(remedy, at: margin + "try: ".count)
  }

  /// Sets text into lines that begin at a column; the first one's beginning is there already.
  private func set(_ text: String, at column: Int) -> String {
    // Beside the names of the checks there must be room for some words.
    guard let columns, columns - column >= 20 else { return text + "\n" }
    let lines = TextLayout.wrap(text, width: columns - column, breaksWords: false)
    return lines.joined(separator: "\n" + String(repeating: " ", count: column)) + "\n"
  }

  private func colour(_ result: Finding.Result) -> TerminalStyle.Colour {
    switch result {
    case .ok: .green
    case .warn: .yellow
    case .fail: .red
    case .skip: .grey
    }
  }
}
