import Testing

@testable import Host

/// Commands are split and filled in without a shell.
struct BrowserCommandTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var words: [String]?
    var testDescription: String { text }
  }

  static let splits: [Case] = [
    Case(text: "firefox", words: ["firefox"]),
    Case(text: "  firefox\t--new-window  %s ", words: ["firefox", "--new-window", "%s"]),
    Case(text: "'/opt/my browser/run' -x", words: ["/opt/my browser/run", "-x"]),
    Case(text: #"/opt/my\ browser "a \"b\" \$c \d" 'e\'"#, words: ["/opt/my browser", #"a "b" $c \d"#, #"e\"#]),
    Case(text: "a'b'\"c\"d ''", words: ["abcd", ""]),
    Case(text: "sh $(touch x); `y` | z & > f", words: ["sh", "$(touch", "x);", "`y`", "|", "z", "&", ">", "f"]),
    Case(text: "firefox 'unfinished", words: nil), Case(text: "firefox \\", words: nil),
    Case(text: "", words: nil), Case(text: "  ", words: nil), Case(text: "'' x", words: nil),
  ]

  @Test(arguments: splits)
  func `a command is split with quotes and nothing else of a shell`(_ one: Case) {
    #expect(BrowserCommand(one.text)?.words == one.words)
  }

  @Test(arguments: [
    Case(text: "b", words: ["U%25s"]), Case(text: "b -x %s", words: ["-x", "U%25s"]),
    Case(text: "b --app=%s -y", words: ["--app=U%25s", "-y"]), Case(text: "b %s %s", words: ["U%25s", "U%25s"]),
    Case(text: "b 100%% %%s %x", words: ["100%", "%s", "%x", "U%25s"]), Case(text: "b %", words: ["%", "U%25s"]),
  ])
  func `the URL stands for each %s, else comes last`(_ one: Case) throws {
    #expect(try #require(BrowserCommand(one.text)).arguments(url: "U%25s") == one.words)
  }

  @Test(arguments: [
    Case(text: "firefox", words: ["firefox", "--private-window"]),
    Case(
      text: "/usr/bin/firefox-esr --new-tab %s", words: ["/usr/bin/firefox-esr", "--private-window", "--new-tab", "%s"]),
    Case(text: "chromium-browser", words: ["chromium-browser", "--incognito"]),
    Case(text: "some-chrome-stable", words: ["some-chrome-stable", "--incognito"]),
    Case(text: "brave-browser", words: ["brave-browser", "--incognito"]),
    Case(text: "vivaldi-stable", words: ["vivaldi-stable", "--incognito"]),
    Case(text: "opera", words: ["opera", "--incognito"]),
    Case(text: "some-edge", words: ["some-edge", "--inprivate"]),
    Case(text: "epiphany", words: ["epiphany", "--incognito-mode"]),
    Case(
      text: "flatpak run --branch=stable org.mozilla.firefox @@u %s @@",
      words: ["flatpak", "run", "--branch=stable", "org.mozilla.firefox", "--private-window", "@@u", "%s", "@@"]),
    Case(text: "my-wrapper firefox", words: nil), Case(text: "fire", words: nil),
    Case(text: "chromiumlike", words: nil),
  ])
  func `a private window is asked for in each browser's own way`(_ one: Case) throws {
    #expect(PrivateWindow.command(try #require(BrowserCommand(one.text)))?.words == one.words)
  }

  @Test func `the Exec line of a desktop entry is read, without that of its actions`() {
    let entry = """
      # comment
      [Desktop Entry]
      Name=Exec=no
      Exec="/opt/a b/firefox" --name %c %i %u
      [Desktop Action private]
      Exec=firefox --other
      """
    #expect(PrivateWindow.execCommand(inEntry: entry)?.words == ["/opt/a b/firefox", "--name", "%s"])
    #expect(PrivateWindow.execCommand(inEntry: "[Desktop Action x]\nExec=firefox") == nil)
    #expect(PrivateWindow.execCommand(inEntry: "") == nil)
  }
}
