import CLI
import Foundation
import Testing

/// Runs a program to its end; never through a shell.
func run(_ words: [String], in directory: URL, environment: [String: String] = [:], input: String = "") throws -> (
  status: Int32, output: String
) {
  let process = Process()
  let (stdin, stdout) = (Pipe(), Pipe())
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = words
  process.currentDirectoryURL = directory
  process.environment = environment.merging(
    ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": directory.path, "TERM": "dumb"]
  ) { mine, _ in mine }
  (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, stdout)
  try process.run()
  try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
  try stdin.fileHandleForWriting.close()
  let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}

/// A directory with the three scripts of a table, a fake of the program, and a few files to complete.
final class ShellHarness {
  let directory: URL

  init(_ program: ProgramSpec) throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("cli-tests-" + UUID().uuidString)
    for folder in ["bin", "files/sub", "files/subtle"] {
      try FileManager.default.createDirectory(at: directory / folder, withIntermediateDirectories: true)
    }
    for file in ["files/one.txt", "files/two words", "files/a:b=c"] { try write("", to: file) }
    try write(BashCompletion.render(program), to: "\(program.name).bash")
    try write(ZshCompletion.render(program), to: "_\(program.name)")
    try write(FishCompletion.render(program), to: "\(program.name).fish")
    try write(Self.fake, to: "bin/\(program.name)")
    try write(Self.driver, to: "driver.zsh")
    try write("", to: "log")
    try write("", to: "kinds")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: (directory / "bin/\(program.name)").path)
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  func write(_ text: String, to file: String) throws {
    try Data(text.utf8).write(to: directory / file)
  }

  func read(_ file: String) throws -> String {
    String(decoding: try Data(contentsOf: directory / file), as: UTF8.self)
  }

  /// What runs has the fake first on its path.
  func run(_ words: [String], input: String = "") throws -> (status: Int32, output: String) {
    let path = (directory / "bin").path + ":/usr/local/bin:/usr/bin:/bin"
    return try CLITests.run(words, in: directory, environment: ["PATH": path, "ROOT": directory.path], input: input)
  }

  /// Types each line at the prompt of a real shell, then the key, then return; gives the words the program was run with.
  ///
  /// The key is `T` for tab, or `A` to insert all that is offered.
  func type(_ lines: [(key: String, line: String)], setup: [String]) throws -> [[String]] {
    let input = lines.map { "\($0.key) \($0.line)\n" }.joined()
    let result = try run(["zsh", "-f", "driver.zsh"] + setup, input: input)
    try #require(result.status == 0, "\(result.output)")
    return try read("log").split(separator: "\n").map { line in
      line.split(separator: "\u{1}", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
  }

  /// Answers `__complete` as the program would, with noise on stderr; otherwise it writes down how it was called.
  private static let fake = """
    #!/bin/sh
    if [ "$1" = __complete ]; then
      echo "$2" >>"$ROOT/kinds"
      echo "noise: <$2>" >&2
      case $2 in
        accounts) printf 'acme\\tthe only one\\nacme/work\\tat work: [busy]\\nbeta@example.com/x\\todd\\n' ;;
        providers) printf 'acme\\nhttps://id.example.com/one\\nhttps://other.example.net\\n' ;;
        scopes) printf 'read\\nwrite\\n$(touch %s)\\n' "$ROOT/pwned" ;;
        *) exit 1 ;;
      esac
      exit
    fi
    { for word; do printf '%s\\001' "$word"; done; echo; } >>"$ROOT/log"
    """

  /// Drives a shell through a terminal of its own: the first argument starts it, each other one is a line of set-up.
  private static let driver = #"""
    zmodload zsh/zpty zsh/zselect
    drain() { local piece; while zpty -r -t sh piece 2>/dev/null; do print -rn -- "$piece" >>$ROOT/terminal; done }
    # Waits until the program was run this often: half a minute at most, so that a stuck shell is an error.
    await() {
      local i
      for ((i = 0; i < 3000; i++)); do
        (($(wc -l <$ROOT/log) >= $1)) && return
        zselect -t 1
        drain
      done
      print -r -- "stuck at: $line"; cat $ROOT/terminal
      zpty -d sh
      exit 1
    }
    zpty sh $1
    for line in "${@[2,-1]}"; do zpty -w sh "$line"; done
    zpty -w sh 'cd $ROOT/files; : >>$ROOT/ready'
    for ((i = 0; i < 3000; i++)); do [[ -e $ROOT/ready ]] && break; zselect -t 1; drain; done
    count=0
    while IFS= read -r line; do
      key=$'\t'
      [[ $line == A\ * ]] && key=$'\C-o'
      zpty -w -n sh "${line#? }$key"$'\n'
      await $((++count))
    done
    zselect -t 5
    drain
    zpty -d sh
    """#
}

private func / (left: URL, right: String) -> URL {
  left.appendingPathComponent(right)
}
