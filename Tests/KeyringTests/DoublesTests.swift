import Foundation
import Testing

/// Several items of one key: which counts, and what becomes of the others.
@Suite struct DoublesTests {
  private static func item(_ number: Int) -> String { "/org/freedesktop/secrets/collection/c/\(number)" }

  /// A service with an item for each value, of which only the first takes another.
  private final class Service: @unchecked Sendable {
    // @unchecked: the values are behind the lock.
    private let lock = NSLock()
    private var values: [String]

    init(_ values: [String]) { self.values = values }

    func answer(_ call: Call, afterStoring others: [String]) -> Reply? {
      lock.withLock { () -> Reply? in
        switch (call.member, call.words.last) {
        case ("SearchItems", _):
          return .values([.list(of: "o", values.indices.map { .path(DoublesTests.item($0)) }), .list(of: "o", [])])
        case ("SetSecret", _):
          values = ["5.new"] + others
          return .values([])
        case ("GetSecret", _):
          return values.indices.first { DoublesTests.item($0) == call.path }.map { PromptTests.secret(values[$0]) }
        case ("Get", "Modified"): return .values([.open(.number(7))])
        default: return PromptTests.service(call)
        }
      }
    }
  }

  /// Saves `5.new` where there are items, and gives the answer and the calls.
  private func save(
    over values: [String], afterStoring others: [String], _ answer: @escaping @Sendable (Call) -> Reply?
  ) throws -> (lines: [String], calls: [String], unexpected: [String], seconds: Double) {
    let folder = try TestFolder()
    let service = Service(values)
    let bus = try FakeBus(path: folder.path + "/bus") { answer($0) ?? service.answer($0, afterStoring: others) }
    let answer = try Child.run(
      [Child.probe, "--do", "save", "session", "google", "work", "5.new"],
      environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path)/bus"])
    #expect(answer.errors == "")
    return (answer.lines, bus.calls, bus.unexpected, answer.seconds)
  }

  @Test func `doubles that are not removed before somebody is asked cost a second in all and no error`() throws {
    let result = try save(over: ["4.old", "3.a", "2.b"], afterStoring: ["3.a", "2.b"]) { call in
      switch call.member {
      case "Delete": .values([.path(PromptTests.prompt)])
      case "Prompt": .values([])
      case "Dismiss": .completing(prompt: PromptTests.prompt, dismissed: true, .text(""))
      default: nil
      }
    }
    #expect(result.lines == ["saved"])
    #expect(result.calls.last == "Dismiss")
    #expect(result.unexpected == [])
    // What the program takes by itself does not count: a sanitizer makes that long.
    #expect(result.seconds - (try save(over: ["4.old"], afterStoring: []) { _ in nil }.seconds) < 1.5)
  }

  @Test(arguments: ["Delete", "SearchItems"])
  func `where nothing can be removed, what is stored is stored`(failing: String) throws {
    let stored = Counter()
    let result = try save(over: ["4.old", "3.a"], afterStoring: ["3.a"]) { call in
      if call.member == "SetSecret" { stored.count() }
      guard call.member == failing, stored.value > 0 else { return nil }
      return .error("org.freedesktop.DBus.Error.Failed", "the disk is full")
    }
    #expect(result.lines == ["saved"])
    #expect(result.unexpected == [])
  }

  @Test func `a service that is mute from then on costs a second`() throws {
    let result = try save(over: ["4.old", "3.a"], afterStoring: ["3.a"]) { call in
      call.member == "Delete" ? .silence : nil
    }
    #expect(result.lines == ["saved"])
    // What the program takes by itself does not count: a sanitizer makes that long.
    #expect(result.seconds - (try save(over: ["4.old"], afterStoring: []) { _ in nil }.seconds) < 1.5)
  }

  @Test func `a newer one that somebody else has stored meanwhile stays`() throws {
    let result = try save(over: ["4.old"], afterStoring: ["6.theirs", "5.like", "unnumbered"]) { call in
      call.member == "Delete" ? .values([.path("/")]) : nil
    }
    #expect(result.lines == ["saved"])
    #expect(result.calls.filter { $0 == "Delete" }.count == 2)
    #expect(result.unexpected == [])
  }

  /// Stores an item in a collection, whatever there is elsewhere.
  private static let put = """
    put() {
      printf %s "$2" | secret-tool store --collection="$1" --label=other \\
        application oauthctl type session provider google account work
    }

    """

  @Test func `a copy in memory that is older than the locked item is not handed out`() throws {
    let answer = try Child.script(
      [],
      Self.put + """
        put session 1.old
        sleep 1.1
        put default 2.new
        probe --do load session google work
        probe --do lock
        probe --do load session google work
        probe --prompt --do load session google work
        probe --do unlock a_password_for_tests
        probe --do load session google work
        """)
    #expect(answer.lines == ["value 2.new", "done", "error locked", "error locked", "done", "value 2.new"])
  }

  @Test func `a copy in memory that is newer than the locked item is handed out`() throws {
    let answer = try Child.script(
      [],
      Self.put + """
        put default 1.old
        sleep 1.1
        put session 2.new
        probe --do lock
        probe --do load session google work
        """)
    #expect(answer.lines == ["done", "value 2.new"])
  }
}
