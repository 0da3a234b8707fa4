import Foundation
import Testing

/// Locking and unlocking with nobody before a display.
@Suite struct DoorTests {
  @Test func `a locked keyring is unlocked by its password alone, and locked again`() throws {
    let answer = try Child.keyring(
      ["--locked"], "look", "unlock wrong", "look", "unlock a_password_for_tests", "look", "unlock wrong", "lock",
      "look", "lock", "look")
    #expect(
      answer.lines == [
        "'Login' locked takes password true", "error wrongPassword", "'Login' locked takes password true", "done",
        "'Login' open takes password true",
        // what is open needs no key
        "done", "done", "'Login' locked takes password true", "done", "'Login' locked takes password true",
      ])
  }

  @Test func `a keyring is made where there is none, and is the default from then on`() throws {
    let home = try TestFolder()
    let made = try Child.keyring(
      ["--empty", "--home", home.path], "look", "lock", "unlock x", "create new_word", "look",
      "save session google work abc")
    #expect(
      made.lines == [
        "'' missing takes password true", "error noCollection", "error store(Flows.StoreError.noCollection)", "done",
        "'Login' open takes password true", "saved",
      ])
    let later = try Child.keyring(
      ["--locked", "--home", home.path], "load session google work", "unlock new_word", "load session google work")
    #expect(later.lines == ["error locked", "done", "value abc"])
  }

  @Test func `a daemon is started where none runs, is there for the next program, and ends with its bus`() throws {
    let home = try TestFolder()
    _ = try Child.keyring(["--home", home.path], "save session google work abc")
    let answer = try Child.script(
      ["--no-service", "--home", home.path],
      """
      export OAUTHCTL_ACME_CLIENT_SECRET=not-for-children
      probe --do start
      probe --do unlock a_password_for_tests
      probe --do load session google work
      pid=$(gdbus call --session -d org.freedesktop.DBus -o /org/freedesktop/DBus \
        -m org.freedesktop.DBus.GetConnectionUnixProcessID org.freedesktop.secrets | grep -o '[0-9]*,' | tr -d ,)
      grep -c OAUTHCTL "/proc/$pid/environ" || true
      tr '\\0' ' ' <"/proc/$pid/cmdline"; echo
      echo "$pid"
      """)
    #expect(
      answer.lines.dropLast() == [
        "done", "done", "value abc", "0", "/usr/bin/gnome-keyring-daemon --daemonize --components=secrets ",
      ])
    let pid = try #require(answer.lines.last.flatMap { pid_t($0) })
    for _ in 1...200 where kill(pid, 0) == 0 { usleep(10_000) }
    #expect(kill(pid, 0) != 0)
  }

  @Test func `without the daemon's program, or a bus, that is said`() throws {
    let folder = try TestFolder()
    let answer = try Child.script(["--no-service"], "PATH=\(folder.path) probe --do start")
    #expect(answer.lines == ["error noDaemon"])
    let alone = try Child.keyring(["--no-dbus"], probe: ["--user-folder", "/nowhere"], "start", "look")
    #expect(
      alone.lines == [
        "error store(Flows.StoreError.noBus(detail: \"no session bus was found\"))", StateTests.noBus,
      ])
  }

  @Test func `a service without the interface is not handed the password`() throws {
    let folder = try TestFolder()
    let bus = try FakeBus(path: folder.path + "/bus") { call in
      call.member == "Introspect"
        ? .values([.text("<node><interface name=\"org.freedesktop.Secret.Service\"/></node>")])
        : PromptTests.service(call, locked: true)
    }
    let answer = try Child.run(
      [Child.probe, "--do", "unlock", "word"],
      environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path)/bus"])
    #expect(answer.lines == ["error onlyInItsWindow"])
    #expect(bus.unexpected == [])
  }
}
