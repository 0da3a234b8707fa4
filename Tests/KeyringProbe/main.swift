// Does what its standard input says, a step a line, with one keyring, and prints one line for each:
//   save KIND PROVIDER NAME VALUE | load KIND PROVIDER NAME | delete KIND PROVIDER NAME | list KIND [PROVIDER]
// One step may also be given as arguments, after --do.
// VALUE `size:N` is a text of N bytes; such a value is printed as `size:N` too. Options: --prompt, --limit SECONDS,
// --prompt-limit SECONDS. It is a program of its own because a process has one session bus, and each test another.
import Crypto
import Flows
import Glibc
import Keyring

func large(_ count: Int) -> String { String(repeating: "0123456789abcdef", count: count / 16 + 1).prefix(count) + "" }

func shown(_ value: Secret?) -> String {
  guard let text = value?.reveal() else { return "nil" }
  return text.utf8.count > 256 && text == large(text.utf8.count) ? "size:\(text.utf8.count)" : "value \(text)"
}

func value(_ word: String) -> Secret {
  Secret(word.hasPrefix("size:") ? large(Int(word.dropFirst(5)) ?? 0) : word)
}

func perform(_ words: [String], _ keyring: Keyring) throws(StoreError) -> String {
  guard words.count > 1, let kind = SecretKey.Kind(rawValue: words[1]) else { return "what?" }
  func key() -> SecretKey { SecretKey(kind: kind, provider: words[2], name: words[3]) }
  switch (words[0], words.count) {
  case ("save", 5):
    try keyring.save(value(words[4]), for: key(), label: "oauthctl: \(words[2])/\(words[3])")
    return "saved"
  case ("load", 4): return shown(try keyring.load(key()))
  case ("delete", 4):
    try keyring.delete(key())
    return "deleted"
  case ("list", 2...3):
    let keys = try keyring.list(kind, provider: words.count > 2 ? words[2] : nil)
    return "[" + keys.map { "\($0.provider)/\($0.name)" }.joined(separator: " ") + "]"
  default: return "what?"
  }
}

func option(_ name: String, default value: Int) -> Int {
  let arguments = CommandLine.arguments
  guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return value }
  return Int(arguments[index + 1]) ?? value
}

let keyring = Keyring(
  mayPrompt: CommandLine.arguments.contains("--prompt"), limit: option("--limit", default: 4),
  promptLimit: option("--prompt-limit", default: 10))

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
  do throws(StoreError) {
    put(try perform(words, keyring))
  } catch {
    put("error \(error)")
  }
}

if let index = CommandLine.arguments.firstIndex(of: "--do") {
  answer(Array(CommandLine.arguments[(index + 1)...]))
} else {
  while let line = readLine() { answer(line.split(separator: " ").map(String.init)) }
}
