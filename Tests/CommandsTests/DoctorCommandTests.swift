import CLI
import Crypto
import Flows
import Foundation
import Host
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import Commands
@testable import Keyring

struct DoctorCommandTests {
  private let names = DoctorCommand.checks.map(\.name)

  /// The command on a machine, through the command line.
  private func run(_ words: String..., on machine: Machine) async throws -> CommandHarness.Outcome {
    let harness = try CommandHarness()
    harness.machine.value = machine
    return try await harness.run(words: ["doctor"] + words)
  }

  @Test func `on a healthy machine each check is well, and the exit code is 0`() async throws {
    let found = try await DoctorStory.examine(try DoctorStory.machine())
    #expect(found.map(\.check) == names && found.checks(.ok) == names)
    let outcome = try await run(on: try DoctorStory.machine())
    #expect(outcome.code == 0 && outcome.messages.isEmpty)
    #expect(outcome.output.split(separator: "\n").count == names.count)
    #expect(outcome.output.hasPrefix("ok    session-bus       it answers at unix:path=/run/user/1000/bus"))
  }

  @Test func `a remedy stands below what it helps against`() async throws {
    let outcome = try await run(
      on: try DoctorStory.machine { $0.browser = { throw BrowserError.noDisplay(reason: "there is no display") } })
    #expect(outcome.code == 0)
    #expect(
      outcome.output.contains(
        """

        warn  browser           no browser can be opened here: there is no display
                                try: oauthctl login PROVIDER --no-browser, or name one with --browser

        """))
  }

  @Test func `a script gets a list whose entries have the same keys`() async throws {
    let machine = try DoctorStory.machine {
      $0.inspectKeyring = { _ in DoctorStory.report { $0.collection = .success(.init(label: "Login", isLocked: true)) }
      }
    }
    let outcome = try await run("--json", on: machine)
    guard case .array(let entries)? = outcome.json else {
      Issue.record("\(outcome.output)")
      return
    }
    #expect(outcome.code == 69)
    #expect(
      entries.allSatisfy { Set($0.members?.keys ?? [:].keys) == ["check", "result", "message", "remedy", "code"] })
    let locked = entries.first { $0.members?["check"]?.text == "keyring-unlocked" }?.members
    #expect(locked?["code"] == .integer(69) && locked?["remedy"] == .string("oauthctl unlock"))
    #expect(entries.first?.members?["code"] == .integer(0) && entries.first?.members?["remedy"] == .null)
  }

  @Test func `the exit code is that of the first failure, and the rest is looked at all the same`() async throws {
    let machine = try DoctorStory.machine {
      $0.makeHTTP = { FakeHosts(["https://id.acme.example": .failure(.unreachable())]) }
      $0.takeLock = { _ in throw LockError.unusable(path: "/x", reason: "no") }
      $0.gaps = { ["it may leave a core file"] }
    }
    let found = try await DoctorStory.examine(machine)
    #expect(found.checks(.fail) == ["network", "lock-folder"] && found.checks(.warn) == ["process"])
    #expect(try await run(on: machine).code == 75)
  }

  @Test func `what needs something that failed is not looked at, and says so`() async throws {
    let machine = try DoctorStory.machine {
      $0.inspectKeyring = { _ in
        KeyringReport(bus: .failure(.noBus(detail: "none")), writing: .notTried(.noOpenCollection))
      }
    }
    let found = try await DoctorStory.examine(machine)
    #expect(
      found.checks(.skip)
        == [
          "secret-service", "keyring", "keyring-unlocked", "keyring-writable", "keyring-doubles", "accounts", "network",
          "clock",
        ])
    #expect(found["accounts"].map(\.message) == ["not checked: session-bus failed"])
    #expect(found["network"].map(\.message) == ["not checked: the accounts cannot be read"])
  }

  @Test func `offline nothing is asked`() async throws {
    let machine = try DoctorStory.machine { $0.makeHTTP = { throw UnexpectedUse() } }
    let found = try await DoctorStory.examine(machine, isOffline: true)
    #expect(found.checks(.skip) == ["network", "clock"] && found["clock"].first?.message == "not checked: --offline")
    #expect(try await run("--offline", on: machine).code == 0)
  }

  @Test func `without an account no server is asked`() async throws {
    let machine = try DoctorStory.machine {
      $0.store = MemoryStore()
      $0.makeHTTP = { throw UnexpectedUse() }
    }
    let found = try await DoctorStory.examine(machine)
    #expect(found.checks(.skip) == ["network", "clock"] && found.checks(.fail).isEmpty)
  }

  @Test func `of many accounts three servers are asked, each once, and one that fails does not count`() async throws {
    func at(_ host: String, _ name: String) -> Session {
      Sample.session(provider: Sample.provider { $0.endpoints?.token = "https://\(host)/token?x" }) {
        $0.account = name
      }
    }
    let hosts = FakeHosts([
      "https://a.example": .success(.telling(Sample.now.addingTimeInterval(9000))),
      "https://b.example:8443": .success(.telling(Sample.now)),
      "https://c.example": .failure(.unreachable("c.example")),
    ])
    let machine = try DoctorStory.machine {
      $0.makeHTTP = { hosts }
      $0.store = try MemoryStore(
        at("a.example", "1"), at("a.example", "2"), at("b.example:8443", "3"), at("c.example", "4"),
        at("d.example", "5"))
    }
    let found = try await DoctorStory.examine(machine)
    #expect(
      Set(hosts.asked.all) == ["https://a.example/", "https://b.example:8443/", "https://c.example/"]
        && hosts.asked.all.count == 3)
    #expect(found["network"].map(\.result) == [.warn])
    // One server agrees with this machine, so the fault is the other's.
    #expect(found["clock"].map(\.result) == [.ok])
  }

  @Test func `a server that tells no time is no failure`() async throws {
    for date in [nil, "yesterday", "Fri, 15 Jan 2027 99:00:00 GMT"] {
      let reply = HTTPResponse(status: 200, headers: date.map { [HTTPHeader("Date", $0)] } ?? [])
      let found = try await DoctorStory.examine(
        try DoctorStory.machine { $0.makeHTTP = { FakeHosts(["https://id.acme.example": .success(reply)]) } })
      #expect(found["clock"].map(\.message) == ["not checked: no server told its time"])
    }
  }

  @Test func `a look that hangs is left behind, and the others go on`() async throws {
    let never = DispatchSemaphore(value: 0)
    defer { never.signal() }
    let time = FakeTime(holdsSleeps: true)
    let machine = try DoctorStory.machine {
      $0.time = time
      $0.folder = { path in
        guard path == DoctorStory.folder else { return nil }
        // It hangs, and the time that this check has is over; the others' is not.
        while time.fire() == 0 { usleep(1000) }
        never.wait()
        return nil
      }
    }
    let found = try await DoctorStory.examine(machine, isOffline: true)
    #expect(found.checks(.fail) == ["configuration"] && found["configuration"].first?.exitCode == 75)
    #expect(found["configuration"].first?.message == "no answer within 15 s" && found.last?.check == names.last)
  }

  @Test func `nothing is stored or unlocked, and no secret is shown`() async throws {
    let store = try MemoryStore(Sample.expired())
    let machine = try DoctorStory.machine { $0.store = store }
    let output = try await run(on: machine).output + run("--json", on: machine).output
    #expect(store.saves.isEmpty && store.count(.delete) == 0)
    for secret in ["access-1", "refresh-1"] { #expect(!output.contains(secret)) }
  }

  @Test func `colour is for a terminal that wants it`() {
    let finding = Finding.warn("m", remedy: "r")
    func lines(_ isTerminal: Bool, _ environment: [String: String]) -> String {
      DoctorPage(width: 1, style: TerminalStyle(isTerminal: isTerminal, environment: environment)).lines("c", finding)
    }
    #expect(lines(true, ["TERM": "xterm"]).hasPrefix("\u{1B}[33mwarn\u{1B}[39m  c  m\n"))
    for plain in [lines(false, ["TERM": "xterm"]), lines(true, ["TERM": "xterm", "NO_COLOR": "1"]), lines(true, [:])] {
      #expect(plain == "warn  c  m\n         try: r\n")
    }
  }

  @Test func `on a terminal lines are broken between words, below where they began`() {
    func lines(_ columns: Int?, _ finding: Finding) -> String {
      DoctorPage(width: 1, style: TerminalStyle(isTerminal: false, environment: [:]), columns: columns)
        .lines("c", finding)
    }
    let path = "/a/path/that/is/longer/than/a/line"
    let finding = Finding.warn("one two three four five six seven", remedy: "chmod go-w \(path) and more")
    #expect(
      lines(32, finding) == """
        warn  c  one two three four five
                 six seven
                 try: chmod go-w \(path) and more

        """)
    #expect(
      lines(40, finding) == """
        warn  c  one two three four five six
                 seven
                 try: chmod go-w
                      \(path)
                      and more

        """)
    #expect(lines(20, finding) == lines(nil, finding) && lines(nil, finding).split(separator: "\n").count == 2)
  }

  @Test func `a proxy that every host is exempt from is not called used`() async throws {
    func message(_ exceptions: String?) async throws -> String? {
      let proxy = ProxyReport.used(variable: "HTTPS_PROXY", proxy: "http://p:1", exceptions: exceptions)
      return try await DoctorStory.examine(try DoctorStory.machine { $0.proxy = { proxy } })["proxy"].first?.message
    }
    #expect(
      try await message("*") == "nothing goes through http://p:1 (HTTPS_PROXY): NO_PROXY is *, which exempts every host"
    )
    #expect(try await message("a.example") == "http://p:1 is used (HTTPS_PROXY), but not for loopback and a.example")
  }

  @Test func `manual and README list the checks`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let section = readme.split(separator: "\n## ").first { $0.hasPrefix("When something is wrong\n") } ?? ""
    let named = section.matches(of: #/`([a-z0-9]+(?:-[a-z0-9]+)*)`/#).map { String($0.1) }
    #expect(named.filter(names.contains) == names)
    let manual = try String(contentsOf: root.appending(path: "man/oauthctl.1"), encoding: .utf8)
    for check in DoctorCommand.checks {
      #expect(check.subject.first?.isLowercase == true && !check.subject.hasSuffix("."))
      let isInManual = manual.contains("\n\(check.name): ")
      #expect(isInManual, "\(check.name)")
      #expect(DoctorCommand.spec.discussion.contains("\(check.name): \(check.subject)."))
    }
    let needed = DoctorCommand.checks.compactMap(\.needs)
    #expect(Set(needed).isSubset(of: names))
  }
}
