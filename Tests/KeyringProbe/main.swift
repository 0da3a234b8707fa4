// Does what its standard input says, a step a line, with one keyring, and prints one line for each:
//   save KIND PROVIDER NAME VALUE | save-last KIND PROVIDER NAME VALUE | load KIND PROVIDER NAME | delete KIND PROVIDER NAME | list KIND [PROVIDER]
//   look | unlock PASSWORD | create PASSWORD | lock | start
//   inspect look|write: prints the parts of the report, a line each
//   interrupt COUNT: that many threads wait for a person, and are ended after half a second; prints what each got
//   threads COUNT OPERATIONS | environment NAME
// VALUE `size:N` is a text of N bytes; such a value is printed as `size:N` too. One step may also be given as
// arguments, after --do. VALUE `N.rest` has the generation N. Where somebody is waited for, a line `waiting` is printed.
// Options: --prompt, --limit SECONDS, --prompt-limit SECONDS, --user-folder DIRECTORY.
// It is a program of its own because a process has one session bus, and each test another.
import Crypto
import Flows
import Glibc
import Keyring

func option(_ name: String) -> String? {
  guard let index = CommandLine.arguments.firstIndex(of: name) else { return nil }
  return CommandLine.arguments.dropFirst(index + 1).first
}

let keyring = Keyring(
  mayPrompt: CommandLine.arguments.contains("--prompt"), limit: option("--limit").flatMap(Int.init) ?? 4,
  promptLimit: option("--prompt-limit").flatMap(Int.init) ?? 10,
  willWait: { put("waiting") },
  generation: { $0.reveal().split(separator: ".").first.flatMap { Int($0) } },
  userFolder: option("--user-folder") ?? "/run/user/\(getuid())")

func perform(_ words: [String]) throws -> String {
  func key() -> SecretKey? {
    SecretKey.Kind(rawValue: words[1]).map { SecretKey(kind: $0, provider: words[2], name: words[3]) }
  }
  switch (words.first, words.count) {
  case ("save", 5), ("save-last", 5):
    guard let key = key() else { return "what? \(words)" }
    let place = try keyring.save(
      value(words[4]), for: key, label: "oauthctl: \(key.provider)/\(key.name)", isLastCopy: words[0] == "save-last")
    return place == .inPlace ? "saved" : "saved \(place)"
  case ("load", 4):
    guard let key = key() else { return "what? \(words)" }
    return shown(try keyring.load(key))
  case ("delete", 4):
    guard let key = key() else { return "what? \(words)" }
    try keyring.delete(key)
    return "deleted"
  case ("list", 2...3):
    guard let kind = SecretKey.Kind(rawValue: words[1]) else { return "what? \(words)" }
    let keys = try keyring.list(kind, provider: words.dropFirst(2).first)
    return "[" + keys.map { "\($0.provider)/\($0.name)" }.joined(separator: " ") + "]"
  case ("look", 1):
    let state = try keyring.look()
    return "'\(state.label)' \(state.condition) takes password \(state.takesPassword)"
  case ("unlock", 2): try keyring.unlock(Secret(words[1].replacing("_", with: " ")))
  case ("create", 2): try keyring.create(Secret(words[1].replacing("_", with: " ")))
  case ("lock", 1): try keyring.lock()
  case ("start", 1): try keyring.startService()
  case ("inspect", 2): return shown(keyring.inspect(writes: words[1] == "write"))
  case ("threads", 3):
    return runThreads(count: Int(words[1]) ?? 0, operations: Int(words[2]) ?? 0, keyring)
  case ("interrupt", 2): return runWaits(count: Int(words[1]) ?? 0, keyring)
  case ("environment", 2):
    return getenv(words[1]).map { String(cString: $0) } ?? "unset"
  default: return "what? \(words)"
  }
  return "done"
}

func value(_ word: String) -> Secret {
  Secret(word.hasPrefix("size:") ? large(Int(word.dropFirst(5)) ?? 0) : word)
}

func shown(_ value: Secret?) -> String {
  guard let text = value?.reveal() else { return "nil" }
  return text.utf8.count > 256 && text == large(text.utf8.count) ? "size:\(text.utf8.count)" : "value \(text)"
}

func shown(_ report: KeyringReport) -> String {
  func line<Value>(_ name: String, _ part: Result<Value, StoreError>?, _ text: (Value) -> String) -> String {
    switch part {
    case nil: "\(name) -"
    case .success(let value)?: "\(name) \(text(value))"
    case .failure(let error)?: "\(name) error \(error)"
    }
  }
  return [
    line("bus", report.bus) { "\($0.source) \($0.address)" },
    line("service", report.service) {
      "\($0.pid ?? -1) \($0.program ?? "?") running \($0.wasRunning) unlocks \($0.unlocksWithoutPrompt)"
    },
    line("collection", report.collection) { $0.map { "\($0.label) locked \($0.isLocked)" } ?? "none" },
    "writing \(report.writing)",
    line("doubles", report.doubles) { $0.map { "\($0.key.provider)/\($0.key.name) \($0.count)" }.description },
  ].joined(separator: "\n")
}

func large(_ count: Int) -> String {
  String(String(repeating: "0123456789abcdef", count: count / 16 + 1).prefix(count))
}

// Not print: its look for a printable form costs a command's start half a millisecond and a megabyte.
func put(_ line: String) {
  var bytes = Array((line + "\n").utf8)[...]
  while !bytes.isEmpty {
    let written = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    guard written > 0 else { exit(74) }
    bytes = bytes.dropFirst(written)
  }
}

func answer(_ words: [String]) {
  do {
    put(try perform(words))
  } catch {
    put("error \(error)")
  }
}

if let index = CommandLine.arguments.firstIndex(of: "--do") {
  answer(Array(CommandLine.arguments[(index + 1)...]))
} else {
  while let line = readLine() { answer(line.split(separator: " ").map(String.init)) }
}
