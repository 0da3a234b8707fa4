import Testing

/// The five things that may be wrong with a keyring, each told apart from the others.
@Suite struct StateTests {
  /// The answers to the four operations, in a state.
  struct Expectation: CustomTestStringConvertible {
    var id: String
    var state: [String]
    var load: String
    var save: String
    var delete: String
    var list: String
    var testDescription: String { id }
  }

  static let noService =
    "error noService(detail: \"The name org.freedesktop.secrets was not provided by any .service files\")"
  static let noBus = "error noBus(detail: \"no session bus was found\")"

  static let expectations = [
    Expectation(id: "unlocked", state: [], load: "nil", save: "saved", delete: "deleted", list: "[google/work]"),
    Expectation(
      id: "locked, without the item", state: ["--locked"], load: "error locked", save: "error locked",
      delete: "deleted", list: "error locked"),
    Expectation(
      id: "no collection", state: ["--empty"], load: "error noCollection", save: "error noCollection",
      delete: "deleted", list: "error noCollection"),
    Expectation(
      id: "no service", state: ["--no-service"], load: noService, save: noService, delete: noService, list: noService),
    Expectation(id: "no bus", state: ["--no-dbus"], load: noBus, save: noBus, delete: noBus, list: noBus),
  ]

  @Test(arguments: expectations)
  func `each state has its own answer`(expected: Expectation) throws {
    let answer = try Child.keyring(
      expected.state, probe: ["--user-folder", "/nowhere"],
      "load session google work", "save session google work abc", "list session", "delete session google work")
    #expect(answer.lines == [expected.load, expected.save, expected.list, expected.delete])
    #expect(answer.errors == "")
    #expect(answer.status == 0)
    #expect(answer.seconds < 3)
  }

  @Test(arguments: [[], ["--prompt"]])
  func `an item in a keyring locked since its start is locked, not missing`(options: [String]) throws {
    let home = try TestFolder()
    let saved = try Child.keyring(["--home", home.path], "save session google work abc")
    #expect(saved.lines == ["saved"])
    let answer = try Child.keyring(
      ["--home", home.path, "--locked"], probe: options,
      "load session google work", "load session google other", "load client google work",
      "save session google work new", "delete session google work", "list session", "list session other")
    #expect(
      answer.lines == [
        "error locked", "error locked", "error locked", "error locked", "error locked", "error locked", "error locked",
      ])
    #expect(answer.seconds < 5)
    let after = try Child.keyring(["--home", home.path], "load session google work")
    #expect(after.lines == ["value abc"])
  }

  @Test func `a keyring locked in the session still lists its items`() throws {
    let answer = try Child.script(
      [],
      """
      probe --do save session google work abc
      gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets \
        -m org.freedesktop.Secret.Service.Lock "[objectpath '/org/freedesktop/secrets/collection/login']" >/dev/null
      probe --do list session
      probe --do load session google work
      probe --do save session google work new
      probe --do delete session google work
      """)
    #expect(answer.lines == ["saved", "[google/work]", "error locked", "error locked", "error locked"])
  }

  @Test func `cron's environment reaches the user's bus, and children do not inherit the address`() throws {
    let answer = try Child.script(
      [],
      """
      folder=$XDG_RUNTIME_DIR
      unset XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS
      printf 'save session google work abc\\nload session google work\\nenvironment DBUS_SESSION_BUS_ADDRESS\\n' |
        probe --user-folder "$folder"
      export XDG_RUNTIME_DIR=$folder
      probe --user-folder /nowhere --do load session google work
      export DBUS_SESSION_BUS_ADDRESS=
      probe --user-folder /nowhere --do load session google work
      export DBUS_SESSION_BUS_ADDRESS=autolaunch:
      probe --user-folder /nowhere --do load session google work
      """)
    #expect(answer.lines == ["saved", "value abc", "unset", "value abc", "value abc", "value abc"])
  }

  @Test func `no bus is ever started`() throws {
    let folder = try TestFolder()
    // A dbus-launch that tells on its caller, with a display so that GIO would believe in it.
    let answer = try Child.run(
      [
        "bash", "-c",
        """
        printf '#!/bin/sh\\ntouch %s/launched\\n' "$FOLDER" >"$FOLDER/dbus-launch"
        chmod +x "$FOLDER/dbus-launch"
        for address in '' autolaunch: 'autolaunch:scope=*' 'unix:path=/nowhere;autolaunch:'; do
          DBUS_SESSION_BUS_ADDRESS=$address PATH=$FOLDER:$PATH DISPLAY=:99 "$PROBE" --user-folder "$FOLDER" --do list session
        done
        touch "$FOLDER/bus"   # a file, but no socket
        PATH=$FOLDER:$PATH DISPLAY=:99 XDG_RUNTIME_DIR=$FOLDER "$PROBE" --user-folder "$FOLDER" --do list session
        ls "$FOLDER"
        """,
      ], environment: ["FOLDER": folder.path])
    #expect(answer.lines == Array(repeating: Self.noBus, count: 5) + ["bus", "dbus-launch"])
  }
}
