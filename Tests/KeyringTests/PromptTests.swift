import Foundation
import Testing

/// Services that ask somebody, answer nothing, or do not keep what they are given.
@Suite struct PromptTests {
  static let item = "/org/freedesktop/secrets/collection/c/1"
  static let prompt = "/org/freedesktop/secrets/prompt/1"

  /// A service with one item, `abc`, and a plain session.
  static func service(_ call: Call, locked: Bool = false, knowsItems: Bool = true) -> Reply? {
    switch (call.member, call.words.last) {
    case ("GetAll", _): .values([.list(of: "{sv}", [])])
    case ("OpenSession", _) where call.words == ["plain"]:
      .values([.open(.text("")), .path("/org/freedesktop/secrets/session/1")])
    case ("OpenSession", _): .error("org.freedesktop.DBus.Error.NotSupported", "plain only")
    case ("Get", "Locked"): .values([.open(.flag(locked))])
    case ("Get", "Items"): .values([.open(.list(of: "o", knowsItems ? [.path(item)] : []))])
    case ("SearchItems", _): found(locked: locked)
    case ("GetSecret", _): secret("abc")
    case ("Unlock", _): .values([.list(of: "o", []), .path(prompt)])
    case ("SetSecret", _): .values([])
    case ("ReadAlias", "session"): .values([.path("/")])
    default: nil
    }
  }

  static func found(locked: Bool) -> Reply {
    let (none, one) = (Wire.list(of: "o", []), Wire.list(of: "o", [.path(item)]))
    return .values(locked ? [none, one] : [one, none])
  }

  static func secret(_ text: String) -> Reply {
    .values([
      .tuple([
        .path("/org/freedesktop/secrets/session/1"), .bytes([]), .bytes(Array(text.utf8)), .text("text/plain"),
      ])
    ])
  }

  /// Runs the probe on a bus of the test's and gives its answer, the calls the bus saw and those it did not expect.
  static func probe(
    _ arguments: [String], answer: @escaping @Sendable (Call) -> Reply?
  ) throws -> (lines: [String], calls: [String], unexpected: [String], seconds: Double) {
    let folder = try TestFolder()
    let bus = try FakeBus(path: folder.path + "/bus", answer: answer)
    let answer = try Child.run(
      [Child.probe] + arguments, environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path)/bus"])
    #expect(answer.errors == "")
    return (answer.lines, bus.calls, bus.unexpected, answer.seconds)
  }

  @Test func `a dismissed prompt is not a missing item`() throws {
    let result = try Self.probe(["--prompt", "--do", "load", "session", "google", "work"]) { call in
      call.member == "Prompt"
        ? .completing(prompt: Self.prompt, dismissed: true, .list(of: "o", [])) : Self.service(call, locked: true)
    }
    #expect(result.lines == ["waiting", "error unlockDismissed"])
    #expect(result.unexpected == [])
  }

  @Test func `an answered prompt leads to the value`() throws {
    let result = try Self.probe(["--prompt", "--do", "load", "session", "google", "work"]) { call in
      call.member == "Prompt"
        ? .completing(prompt: Self.prompt, dismissed: false, .list(of: "o", [.path(Self.item)]))
        : Self.service(call, locked: true)
    }
    #expect(result.lines == ["waiting", "value abc"])
    #expect(result.unexpected == [])
  }

  @Test func `a prompt that nobody answers is taken back`() throws {
    let result = try Self.probe(["--prompt", "--prompt-limit", "1", "--do", "load", "session", "google", "work"]) {
      call in
      switch call.member {
      case "Prompt": .values([])
      case "Dismiss": .completing(prompt: Self.prompt, dismissed: true, .list(of: "o", []))
      default: Self.service(call, locked: true)
      }
    }
    #expect(result.lines == ["waiting", "error timedOut(seconds: 1)"])
    #expect(result.calls.last == "Dismiss")
    #expect(result.seconds < 3)
  }

  @Test(arguments: ["load", "save", "delete"])
  func `without leave nothing is unlocked and nobody asked`(operation: String) throws {
    let value = operation == "save" ? ["abc"] : []
    let result = try Self.probe(["--do", operation, "session", "google", "work"] + value) { call in
      Self.service(call, locked: true)
    }
    #expect(result.lines == ["error locked"])
    #expect(!result.calls.contains("Unlock"))
    #expect(result.unexpected == [])
  }

  @Test func `a service that knows no locked items is not searched`() throws {
    let result = try Self.probe(["--do", "load", "session", "google", "work"]) { call in
      Self.service(call, locked: true, knowsItems: false)
    }
    #expect(result.lines == ["error locked"])
    #expect(!result.calls.contains("SearchItems"))
  }

  @Test(arguments: ["GetAll", "OpenSession", "Get", "SearchItems", "GetSecret"])
  func `whatever stays unanswered, it ends in time`(member: String) throws {
    let result = try Self.probe(["--limit", "1", "--do", "load", "session", "google", "work"]) { call in
      call.member == member ? .silence : Self.service(call)
    }
    #expect(result.lines == ["error timedOut(seconds: 1)"])
    #expect(result.seconds < 3)
  }

  @Test func `a change that the service finishes by a prompt is finished, with nobody asked`() throws {
    let created = Counter()
    let result = try Self.probe(["--do", "save", "session", "google", "work", "abc"]) { call in
      switch call.member {
      case "CreateItem": return .values([.path("/"), .path(Self.prompt)])
      case "Prompt":
        created.count()
        return .completing(prompt: Self.prompt, dismissed: false, .path(Self.item))
      case "SearchItems" where created.value == 0: return .values([.list(of: "o", []), .list(of: "o", [])])
      default: return Self.service(call)
      }
    }
    #expect(result.lines == ["saved"])
    #expect(result.unexpected == [])
  }

  @Test(arguments: ["ab", "", "abc"])
  func `a service that keeps a piece or the old value is found out`(kept: String) throws {
    let result = try Self.probe(["--do", "save", "session", "google", "work", "abcdef"]) { call in
      call.member == "GetSecret" ? Self.secret(kept) : Self.service(call)
    }
    #expect(
      result.lines == ["error failed(detail: \"the keyring gives back something else than what was stored\")"])
  }

  @Test func `a service's words are cleaned`() throws {
    let result = try Self.probe(["--do", "load", "session", "google", "work"]) { call in
      call.member == "SearchItems"
        ? .error("org.example.Odd", "two\nlines\u{1b}[31m") : Self.service(call)
    }
    #expect(result.lines == ["error failed(detail: \"two lines [31m\")"])
  }

  @Test func `an answer of another type is an error`() throws {
    let result = try Self.probe(["--do", "load", "session", "google", "work"]) { call in
      call.member == "SearchItems" ? .values([.text("?")]) : Self.service(call)
    }
    #expect(result.lines.first?.hasPrefix("error failed(detail:") == true)
  }
}

extension PromptTests {
  @Test func `all threads that wait for somebody are ended at once`() throws {
    let asked = Counter()
    let result = try Self.probe(["--prompt", "--do", "interrupt", "8"]) { call in
      switch call.member {
      case "Unlock":
        .values([.list(of: "o", []), .path("/org/freedesktop/secrets/prompt/p\(asked.count())")])
      case "Prompt": .values([])
      case "Dismiss": .completing(prompt: call.path, dismissed: true, .list(of: "o", []))
      default: Self.service(call, locked: true)
      }
    }
    #expect(result.lines.last == Array(repeating: "unlockDismissed", count: 8).joined(separator: " "))
    #expect(asked.value == 8)
    #expect(result.seconds < 5)
    #expect(result.unexpected == [])
  }
}

/// How often something has happened.
final class Counter: @unchecked Sendable {
  // @unchecked: the number is behind the lock.
  private let lock = NSLock()
  private var number = 0

  var value: Int { lock.withLock { number } }
  @discardableResult
  func count() -> Int {
    lock.withLock {
      number += 1
      return number
    }
  }
}
