import Flows
import Foundation
import Glibc
import Testing

@testable import Host

/// The browser is a real child: a script that writes down how it was called.
///
/// One at a time: a program that is written while another one is started cannot be started itself (ETXTBSY).
@Suite(.timeLimit(.minutes(1)), .serialized)
final class DesktopBrowserTests {
  private let folder: URL
  private let url = "https://as.example/authorize?state=a%20b&x=$(touch+pwned);'\"&s=%s"

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("browser-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test func `the BROWSER variable's program is started with its arguments, and no shell sees the URL`() async throws {
    try script("my-browser")
    try browser(["BROWSER": "my-browser '--two words' %s -z"]).open(url)
    let call = try await call("my-browser")
    #expect(call.arguments == ["--two words", url, "-z"])
  }

  @Test func `it runs in a session of its own, without input, output, our variables or our descriptors`() async throws {
    try script("my-browser")
    let leaks = [open("/dev/null", O_RDONLY), fcntl(0, F_DUPFD, 700)]
    defer { leaks.forEach { close($0) } }
    try browser(["BROWSER": "my-browser", "OAUTHCTL_ACME_CLIENT_SECRET": "hush", "KEPT": "yes"]).open(url)
    let call = try await call("my-browser")
    #expect(call.session == call.process && call.process != getpid())
    #expect(call.descriptors == ["0=/dev/null", "1=/dev/null", "2=/dev/null"])
    #expect(call.environment.contains("KEPT=yes"))
    #expect(!call.environment.contains { $0.contains("OAUTHCTL") || $0.contains("hush") })
  }

  @Test func `it is not waited for, and leaves no zombie`() async throws {
    try script("slow", then: "sleep 0.5")
    let took = try ContinuousClock().measure { try browser(["BROWSER": "slow"]).open(url) }
    #expect(took < .milliseconds(400))
    let process = try await call("slow").process
    var state = "?"
    for _ in 0..<100 where state != "" {
      try await Task.sleep(for: .milliseconds(50))
      state = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    }
    #expect(state == "")
  }

  @Test func `an entry that cannot be started gives way to the next`() async throws {
    try script("works")
    try Data("no program".utf8).write(to: folder.appendingPathComponent("broken"))
    chmod(folder.appendingPathComponent("broken").path, 0o755)
    try browser(["BROWSER": "missing:'open:broken:/:works --x"]).open(url)
    #expect(try await call("works").arguments == ["--x", url])
  }

  @Test func `when nothing can be started it says what was tried`() {
    #expect(throws: BrowserError.notFound(tried: ["missing", "/nowhere/at-all"])) {
      try browser(["BROWSER": "missing:/nowhere/at-all"]).open(url)
    }
    #expect(throws: BrowserError.notFound(tried: ["xdg-open"])) { try browser(["DISPLAY": ":0"]).open(url) }
  }

  @Test func `the given command wins, even over SSH and without a display`() async throws {
    try script("given")
    try script("other")
    try browser(["BROWSER": "other", "SSH_CONNECTION": "1 2 3 4"], command: "given --here").open(url)
    #expect(try await call("given").arguments == ["--here", url])
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("other.log").path))
  }

  @Test func `xdg-open is used where there is a display`() async throws {
    try script("xdg-open")
    try browser(["WAYLAND_DISPLAY": "wayland-0"]).open(url)
    #expect(try await call("xdg-open").arguments == [url])
  }

  @Test(arguments: ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"])
  func `over SSH nothing is started`(name: String) throws {
    try script("b")
    #expect(throws: BrowserError.noDisplay(reason: "this is an SSH session")) {
      try browser([name: "x", "DISPLAY": ":0", "BROWSER": "b"]).open(url)
    }
  }

  @Test(arguments: [[:], ["DISPLAY": ""], ["BROWSER": ""], ["BROWSER": "w3m:/usr/bin/lynx -x:www-browser"]])
  func `without a display nothing is started, and never a text browser`(environment: [String: String]) throws {
    for name in ["xdg-open", "w3m", "www-browser"] { try script(name) }
    #expect(throws: BrowserError.noDisplay(reason: "there is no display")) { try browser(environment).open(url) }
  }

  @Test(arguments: [
    "file:///etc/passwd", "javascript:alert(1)", "-h", "", "https:/x", "https://a b", "https://a\n", "httpsx://a",
  ])
  func `only web addresses are opened`(address: String) throws {
    try script("b")
    #expect(throws: BrowserError.self) { try browser([:], command: "b").open(address) }
  }

  @Test func `a private window of an unknown browser is refused, of a known one asked for`() async throws {
    try script("firefox-esr")
    try script("surf")
    #expect(throws: BrowserError.noPrivateWindow(browser: "surf")) {
      try browser(["BROWSER": "surf"], isPrivate: true).open(url)
    }
    try browser(["BROWSER": "surf:firefox-esr"], isPrivate: true).open(url)
    #expect(try await call("firefox-esr").arguments == ["--private-window", url])
  }

  @Test func `a private window of the default browser is found through its desktop entry`() async throws {
    try script("xdg-settings", then: "echo my-chromium.desktop", output: true)
    try script("my-chromium")
    let applications = folder.appendingPathComponent("data/applications")
    try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: true)
    try Data("[Desktop Entry]\nExec=my-chromium --desktop %U\n".utf8)
      .write(to: applications.appendingPathComponent("my-chromium.desktop"))
    let data = folder.appendingPathComponent("data").path
    try browser(["DISPLAY": ":0", "XDG_DATA_HOME": data], isPrivate: true).open(url)
    #expect(try await call("my-chromium").arguments == ["--incognito", "--desktop", url])
  }

  @Test func `a default browser that cannot be told is no private window, soon`() throws {
    try script("xdg-settings", then: "sleep 60", output: true)
    let took = ContinuousClock().measure {
      #expect(throws: BrowserError.noPrivateWindow(browser: "xdg-open")) {
        try browser(["DISPLAY": ":0"], isPrivate: true).open(url)
      }
    }
    #expect(took < .seconds(10))
  }

  // MARK: - The script

  struct Call {
    var process: Int32
    var session: Int32
    var arguments: [String]
    var environment: [String]
    var descriptors: [String]
  }

  private func browser(_ environment: [String: String], command: String? = nil, isPrivate: Bool = false)
    -> DesktopBrowser
  {
    DesktopBrowser(
      environment: environment.merging(["PATH": folder.path]) { $1 }, command: command, isPrivate: isPrivate)
  }

  /// Writes a program that notes down its call, whole, in `NAME.log`.
  private func script(_ name: String, then: String = ":", output: Bool = false) throws {
    let path = folder.appendingPathComponent(name).path
    let text = """
      #!/bin/sh
      PATH=/usr/bin:/bin
      # 10 is the shell's own, for this text; a pipe is that of the substitution here. One that is gone between the list and the
      # look was the shell's, too: what it was given stays open.
      open=$(cd /proc/$$/fd && for fd in *; do
        entry="$fd=$(readlink /proc/$$/fd/$fd)"
        case "$entry" in 10=*|*=pipe:*|*=) ;; *) echo "$entry" ;; esac
      done)
      {
        echo "$$"; ps -o sid= -p $$
        echo "$#"; for word do printf '%s\\n' "$word"; done
        echo "$open"; echo --; env
      } > '\(path).new' 2>&1
      mv '\(path).new' '\(path).log'
      \(then)

      """
    try makeProgram(path, output ? "#!/bin/sh\nPATH=/usr/bin:/bin\n\(then)\n" : text)
  }

  private func call(_ name: String) async throws -> Call {
    let log = folder.appendingPathComponent("\(name).log")
    for _ in 0..<200 {
      if let text = try? String(contentsOf: log, encoding: .utf8) {
        var lines = text.components(separatedBy: "\n")
        let process = try #require(Int32(lines.removeFirst()))
        let session = try #require(Int32(lines.removeFirst().trimmingCharacters(in: .whitespaces)))
        let count = try #require(Int(lines.removeFirst()))
        let arguments = Array(lines.prefix(count))
        let rest = Array(lines.dropFirst(count))
        let cut = try #require(rest.firstIndex(of: "--"))
        return Call(
          process: process, session: session, arguments: arguments, environment: Array(rest[(cut + 1)...]),
          descriptors: Array(rest[..<cut]))
      }
      try await Task.sleep(for: .milliseconds(25))
    }
    throw SystemFailure(call: "\(name) was not started", code: 0)
  }
}

/// Writes a program by another process: a child that another test starts meanwhile would inherit our descriptor, and the
/// system runs no program that anybody has open for writing (ETXTBSY).
private func makeProgram(_ path: String, _ text: String) throws {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  process.arguments = ["-c", "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\"", path, text]
  try process.run()
  process.waitUntilExit()
  #expect(process.terminationStatus == 0)
}
