import Foundation
import Testing

/// What a look at the keyring shows, in each of its states, and that it leaves nothing behind.
@Suite struct InspectionTests {
  /// The report's lines with what differs from run to run taken out.
  private static let inspect = """
    look() {
      probe --user-folder /nowhere --do inspect "$1" | sed -e "s|$DBUS_SESSION_BUS_ADDRESS|ADDRESS|" \
        -e "s|service ${KEYRING_PID:-none} .*gnome-keyring-d[a-z]* |service PID gnome-keyring |"
    }
    found() {
      gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets \
        -m org.freedesktop.Secret.Service.SearchItems "{'type': 'probe'}"
    }
    left() { # PROCESS: a probe that was left behind
      printf x | secret-tool store --label=left application oauthctl type probe process "$1"
    }

    """

  @Test func `an open keyring is found good, and left as it was`() throws {
    let answer = try Child.script(
      [],
      Self.inspect + """
        look write
        found
        probe --do list session
        look look
        """)
    let head = ["bus variable ADDRESS", "service PID gnome-keyring running true unlocks true"]
    #expect(
      answer.lines == head + ["collection Login locked false", "writing works", "doubles []", "(@ao [], @ao [])", "[]"]
        + head + [
          "collection Login locked false", "writing notTried(Keyring.KeyringReport.Writing.WhyNot.notAsked)",
          "doubles []",
        ])
  }

  @Test(
    arguments: [
      ("--locked", "collection Login locked true", "-"), ("--empty", "collection none", "[]"),
    ])
  func `a keyring that is not open is not written to`(state: String, collection: String, doubles: String) throws {
    let answer = try Child.script([state], Self.inspect + "look write")
    #expect(
      answer.lines == [
        "bus variable ADDRESS", "service PID gnome-keyring running true unlocks true", collection,
        "writing notTried(Keyring.KeyringReport.Writing.WhyNot.noOpenCollection)", "doubles \(doubles)",
      ])
  }

  @Test func `without a service or a bus the first part that fails says so`() throws {
    let unreached = ["writing notTried(Keyring.KeyringReport.Writing.WhyNot.noOpenCollection)", "doubles -"]
    let withoutService = try Child.script(["--no-service"], Self.inspect + "look write")
    #expect(
      withoutService.lines == ["bus variable ADDRESS", "service \(StateTests.noService)", "collection -"] + unreached)
    let withoutBus = try Child.keyring(["--no-dbus"], probe: ["--user-folder", "/nowhere"], "inspect write")
    #expect(withoutBus.lines == ["bus \(StateTests.noBus)", "service -", "collection -"] + unreached)
  }

  @Test func `the bus's source is told`() throws {
    let answer = try Child.script(
      [],
      """
      unset DBUS_SESSION_BUS_ADDRESS
      probe --user-folder /nowhere --do inspect look | sed -n "s|$XDG_RUNTIME_DIR|FOLDER|; 1p"
      folder=$XDG_RUNTIME_DIR
      unset XDG_RUNTIME_DIR
      probe --user-folder "$folder" --do inspect look | sed -n "s|$folder|FOLDER|; 1p"
      """)
    #expect(answer.lines == ["bus runtimeFolder unix:path=FOLDER/bus", "bus userFolder unix:path=FOLDER/bus"])
  }

  @Test func `what a killed inspection left is removed, what a running one uses is not`() throws {
    let answer = try Child.script(
      [],
      Self.inspect + """
        left 999999999
        left $$
        look write | grep writing
        found | grep -o login/[0-9]*
        """)
    #expect(answer.lines == ["writing works", "login/2"])
  }

  @Test func `doubles are counted`() throws {
    let answer = try Child.script(
      [],
      Self.inspect + """
        double() {
          printf x | secret-tool store --label=double "$@" application oauthctl type session provider google account work
        }
        probe --do save session google work abc
        double more one
        double more two
        probe --do save session google home abc
        look write | grep -e doubles -e writing
        """)
    #expect(answer.lines == ["saved", "saved", "writing works", #"doubles ["google/work 3"]"#])
  }

  @Test(arguments: ["KEYRING_PID", "BUS_PID"])
  func `a daemon that stopped is told, within the time limit of each part`(stopped: String) throws {
    let answer = try Child.script(
      [],
      """
      kill -STOP $\(stopped)
      probe --limit 1 --do inspect write
      """)
    let line = stopped == "BUS_PID" ? "bus" : "service"
    #expect(answer.lines.contains("\(line) error timedOut(seconds: 1)"))
    #expect(answer.seconds < 5)
  }

  @Test func `a service that keeps what it removes is not written to`() throws {
    let folder = try TestFolder()
    let bus = try FakeBus(path: folder.path + "/bus") { call in
      switch call.member {
      case "NameHasOwner": .values([.flag(true)])
      case "GetConnectionUnixProcessID": .values([.number(0)])
      case "Introspect": .values([.text("<node><interface name=\"org.freedesktop.Secret.Service\"/></node>")])
      case "Get" where call.words.last == "Label": .values([.open(.text("Mine\u{1b}[31m"))])
      case "SearchItems": .values([.list(of: "o", []), .list(of: "o", [])])
      default: PromptTests.service(call)
      }
    }
    let answer = try Child.run(
      [Child.probe, "--do", "inspect", "write"],
      environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path)/bus"])
    #expect(
      answer.lines.dropFirst() == [
        "service 0 ? running true unlocks false", "collection Mine [31m locked false",
        "writing notTried(Keyring.KeyringReport.Writing.WhyNot.leavesTraces)", "doubles []",
      ])
    #expect(bus.unexpected == [])
    #expect(!bus.calls.contains("CreateItem"))
  }
}
