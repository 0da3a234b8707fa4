import Foundation
import Testing

/// Nothing hangs, whatever does not answer.
@Suite struct TimeLimitTests {
  @Test func `a bus that accepts and says nothing is given up`() throws {
    let folder = try TestFolder()
    let listener = try MuteListener(path: folder.path + "/bus")
    let answer = try Child.run(
      [Child.probe, "--limit", "1", "--do", "load", "session", "google", "work"],
      environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path)/bus"])
    #expect(answer.lines == ["error timedOut(seconds: 1)"])
    #expect(answer.seconds < 3)
    withExtendedLifetime(listener) {}
  }

  @Test(
    arguments: [
      ("unix:path=/nowhere", "Could not connect: No such file or directory"),
      ("unix:path=/etc/passwd", "Could not connect: Connection refused"),
      ("rubbish", "Address element “rubbish” does not contain a colon (:)"),
    ])
  func `an address that leads nowhere is no bus`(address: String, detail: String) throws {
    let answer = try Child.run(
      [Child.probe, "--do", "load", "session", "google", "work"], environment: ["DBUS_SESSION_BUS_ADDRESS": address])
    #expect(answer.lines == ["error noBus(detail: \"\(detail)\")"])
    #expect(answer.errors == "")
    #expect(answer.seconds < 2)
  }

  @Test(arguments: ["KEYRING_PID", "BUS_PID"])
  func `a daemon that stopped is given up`(stopped: String) throws {
    let answer = try Child.script(
      [],
      """
      kill -STOP $\(stopped)
      probe --limit 1 --do load session google work
      """)
    #expect(answer.lines == ["error timedOut(seconds: 1)"])
    #expect(answer.seconds < 4)
  }

  @Test func `a service that stops between two calls is given up, and found again`() throws {
    let answer = try Child.script(
      [],
      """
      {
        echo save session google work abc
        sleep 0.5; kill -STOP $KEYRING_PID
        echo load session google work
        sleep 1.5; kill -CONT $KEYRING_PID
        echo load session google work
      } | probe --limit 1
      """)
    #expect(answer.lines == ["saved", "error timedOut(seconds: 1)", "value abc"])
  }

  @Test func `eight threads before a mute service end together`() throws {
    let answer = try Child.script(
      [],
      """
      kill -STOP $KEYRING_PID
      probe --limit 1 --do threads 8 5
      """)
    #expect(answer.lines == ["timedOut(seconds: 1)"])
    #expect(answer.seconds < 4)
  }

  @Test(
    arguments: [
      ("KEYRING_PID", "noService(detail: \"The name org.freedesktop.secrets was not provided by any .service files\")"),
      ("BUS_PID", "noBus(detail: \"Could not connect: Connection refused\")"),
    ])
  func `a daemon that dies between two calls is named`(killed: String, error: String) throws {
    let answer = try Child.script(
      [],
      """
      {
        echo save session google work abc
        sleep 0.5; kill -KILL $\(killed); sleep 0.3
        echo load session google work
      } | probe
      """)
    #expect(answer.lines == ["saved", "error \(error)"])
    #expect(answer.status == 0)
  }
}

extension TimeLimitTests {
  @Test func `a service that was started anew between two calls answers the second`() throws {
    let answer = try Child.script(
      [],
      """
      {
        echo save session google work abc
        sleep 0.5; kill -KILL $KEYRING_PID; sleep 0.3
        gnome-keyring-daemon --foreground --components=secrets --unlock \\
          < <(printf %s "a password for tests") >/dev/null 2>&1 &
        anew=$!
        sleep 1
        echo load session google work
        echo save session google work def
        sleep 0.5; kill $anew
      } | probe
      """)
    #expect(answer.lines == ["saved", "value abc", "saved"])
  }
}

extension TimeLimitTests {
  @Test func `a service that is slow at each step, and answers, is waited for`() throws {
    let folder = try TestFolder()
    let bus = try FakeBus(path: folder.path + "/bus") { call in
      if ["Get", "SearchItems", "GetSecret"].contains(call.member) { Thread.sleep(forTimeInterval: 0.6) }
      return PromptTests.service(call)
    }
    let answer = try Child.run(
      [Child.probe, "--limit", "1", "--do", "load", "session", "google", "work"],
      environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path)/bus"])
    #expect(answer.lines == ["value abc"])
    #expect(answer.seconds > 1.5)
    #expect(bus.unexpected == [])
  }

  @Test func `a bus that was started anew between two calls is found`() throws {
    let answer = try Child.script(
      [],
      """
      {
        echo save session google work abc
        sleep 0.5; kill -KILL $BUS_PID; sleep 0.3
        echo load session google work
        rm -f $XDG_RUNTIME_DIR/bus
        dbus-daemon --config-file=$XDG_RUNTIME_DIR/bus.conf --nofork --nopidfile --nosyslog >/dev/null 2>&1 &
        bus=$!
        until [ -S $XDG_RUNTIME_DIR/bus ]; do sleep 0.05; done
        gnome-keyring-daemon --foreground --components=secrets --unlock \\
          < <(printf %s "a password for tests") >/dev/null 2>&1 &
        anew=$!
        sleep 1
        echo load session google work
        sleep 0.5; kill $anew $bus
      } | probe
      """)
    #expect(answer.lines.first == "saved")
    #expect(answer.lines.last == "value abc")
  }
}

/// A socket that takes connections, by its backlog, and never reads or answers.
private final class MuteListener {
  private let socket: Int32

  init(path: String) throws {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard bindUnix(socket, path), listen(socket, 8) == 0 else { throw POSIXError(.EIO) }
  }

  deinit {
    close(socket)
  }
}

/// Binds a socket to a path.
func bindUnix(_ socket: Int32, _ path: String) -> Bool {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
    }
  }
}
