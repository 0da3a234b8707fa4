import Foundation
import Testing

/// A value that exists nowhere else finds a place, and the caller learns which.
@Suite struct LastCopyTests {
  private static let lock = """
    lock() { probe --do lock; }
    found() {
      gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets \
        -m org.freedesktop.Secret.Service.SearchItems '{"account": "work"}' | sed -E 's|/[0-9]+|/N|g'
    }

    """

  @Test func `where the keyring was locked meanwhile, it is kept in the service's memory and found by its generation`()
    throws
  {
    let answer = try Child.script(
      [],
      Self.lock + """
        probe --do save session google work 1.old
        lock
        probe --do save session google work 2.ordinary
        probe --do save-last session google work 2.last
        probe --do load session google work
        probe --do save session google work 3.later
        probe --do unlock a_password_for_tests
        probe --do load session google work
        probe --do save session google work 4.whole
        probe --do load session google work
        found
        """)
    #expect(
      answer.lines == [
        "saved", "done", "error locked", "saved sessionOnly", "value 2.last", "saved sessionOnly", "done",
        "value 3.later", "saved", "value 4.whole",
        "([objectpath '/org/freedesktop/secrets/collection/login/N'], @ao [])",
      ])
  }

  @Test(arguments: ["--locked", "--empty"])
  func `where nothing is open but the service's memory, it is put there`(state: String) throws {
    let answer = try Child.keyring([state], "save-last session google work 1.only", "load session google work")
    #expect(answer.lines == ["saved sessionOnly", "value 1.only"])
  }

  @Test(arguments: ["--no-service", "--no-dbus"])
  func `where nobody is there, it says so`(state: String) throws {
    let answer = try Child.keyring(
      [state], probe: ["--user-folder", "/nowhere"], "save-last session google work 1.only")
    #expect(answer.lines == [state == "--no-dbus" ? StateTests.noBus : StateTests.noService])
  }

  @Test func `where an item cannot be replaced, another is made beside it`() throws {
    let made = "/org/freedesktop/secrets/collection/c/2"
    let folder = try TestFolder()
    let bus = try FakeBus(path: folder.path + "/bus") { call in
      switch (call.member, call.path) {
      case ("SetSecret", _): .error("org.freedesktop.DBus.Error.Failed", "the disk is full")
      case ("CreateItem", _): .values([.path(made), .path("/")])
      case ("GetSecret", made): PromptTests.secret("2.new")
      case ("Get", _) where call.words.last == "Collections": .values([.open(.list(of: "o", []))])
      default: PromptTests.service(call)
      }
    }
    func save(_ step: String) throws -> [String] {
      try Child.run(
        [Child.probe, "--do", step, "session", "google", "work", "2.new"],
        environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path)/bus"]
      ).lines
    }
    #expect(try save("save") == ["error failed(detail: \"the disk is full\")"])
    #expect(!bus.calls.contains("CreateItem"))
    #expect(try save("save-last") == ["saved newItem"])
    #expect(bus.unexpected == [])
    #expect(!bus.calls.contains("Delete"))
  }

  @Test func `a full disk costs no login, and what was kept in memory is stored when there is room`() throws {
    let folder = try TestFolder()
    let steps =
      Self.lock + """
        probe() { "$PROBE" "$@"; }
        probe --do save session google work 1.old
        dd if=/dev/zero of="$HOME/fill" bs=1k 2>/dev/null || true
        probe --do save session google work 2.ordinary
        probe --do load session google work
        probe --do save-last session google work 2.last
        probe --do load session google work
        probe --do inspect write | grep -e writing -e doubles
        rm "$HOME/fill"
        probe --do save session google work 3.later
        probe --do load session google work
        found
        """
    // A disk of its own, in a mount namespace of its own.
    let answer = try Child.run(
      [
        "unshare", "--map-current-user", "--keep-caps", "--mount", "bash", "-c",
        "mount -t tmpfs -o size=128k tmpfs \"$FOLDER\" && exec \"$@\"", "disk", Child.withKeyring, "--home",
        folder.path,
        "bash", "-c", steps,
      ], environment: ["FOLDER": folder.path])
    #expect(
      answer.lines == [
        "saved", #"error failed(detail: "Couldn\'t set item secret")"#, "value 1.old", "saved sessionOnly",
        "value 2.last",
        #"writing failed(Flows.StoreError.failed(detail: "Couldn\'t create item: An error occurred on the device"))"#,
        #"doubles ["google/work 2"]"#, "saved", "value 3.later",
        "([objectpath '/org/freedesktop/secrets/collection/login/N'], @ao [])",
      ])
  }
}
