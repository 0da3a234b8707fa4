import Testing

/// What is stored, and how it is found again.
@Suite struct ItemTests {
  @Test func `a stored value comes back, and storing again replaces it`() throws {
    let answer = try Child.keyring(
      [], "save session google work abc", "load session google work", "save session google work def",
      "load session google work", "load session google home", "load client google work",
      "delete session google work", "load session google work", "delete session google work")
    #expect(
      answer.lines == ["saved", "value abc", "saved", "value def", "nil", "nil", "deleted", "nil", "deleted"])
  }

  @Test(arguments: [0, 1, 15, 16, 8192, 8193, 16_384, 1_048_576])
  func `a value of any size comes back whole`(count: Int) throws {
    let answer = try Child.keyring(
      [], "save session google work size:\(count)", "load session google work",
      "save session google work short", "load session google work")
    let shown = count > 256 ? "size:\(count)" : "value " + "0123456789abcdef".prefix(count)
    #expect(answer.lines == ["saved", shown, "saved", "value short"])
  }

  @Test func `items are listed by kind and provider`() throws {
    let answer = try Child.keyring(
      [], "save session google work a", "save session google home b", "save session acme work c",
      "save client google id d", "list session", "list session google", "list session none", "list client")
    #expect(
      answer.lines.suffix(4) == [
        "[acme/work google/home google/work]", "[google/home google/work]", "[]", "[google/id]",
      ])
  }

  @Test func `the attributes, the label and the content type stay as they are`() throws {
    let answer = try Child.script(
      [],
      """
      probe --do save session google work abc
      probe --do save client google id abc
      show() {
        gdbus call --session -d org.freedesktop.secrets -o "/org/freedesktop/secrets/collection/login/$1" \
          -m org.freedesktop.DBus.Properties.Get org.freedesktop.Secret.Item "$2"
      }
      show 1 Attributes
      show 2 Attributes
      show 1 Label
      """)
    #expect(
      answer.lines == [
        "saved", "saved",
        "(<{'account': 'work', 'application': 'oauthctl', 'provider': 'google', 'type': 'session', "
          + "'xdg:schema': 'org.oauthctl.Session'}>,)",
        "(<{'application': 'oauthctl', 'client_id': 'id', 'provider': 'google', 'type': 'client', "
          + "'xdg:schema': 'org.oauthctl.Client'}>,)",
        "(<'oauthctl: google/work'>,)",
      ])
  }

  @Test func `savers in two processes leave one item, and neither complains`() throws {
    let answer = try Child.script(
      [],
      """
      for saver in one two; do
        { for step in $(seq 15); do echo "save session google work $saver$step"; done; } | probe >"$HOME/$saver" &
        savers+=" $!"
      done
      for pid in $savers; do wait "$pid"; done
      sort "$HOME/one" "$HOME/two" | uniq -c | tr -s ' '
      gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets \
        -m org.freedesktop.Secret.Service.SearchItems '{"account": "work"}'
      """)
    #expect(
      answer.lines == [" 30 saved", "([objectpath '/org/freedesktop/secrets/collection/login/1'], @ao [])"])
  }

  @Test func `eight threads may use one keyring`() throws {
    let answer = try Child.keyring([], probe: ["--limit", "30"], "threads 8 50", "list session")
    #expect(answer.lines == ["ok", "[common/one]"])
  }

  /// Stores an item in gnome-keyring's other collection, which lives in memory and is never locked.
  private static let elsewhere = """
    elsewhere() {
      printf %s "$1" | secret-tool store --collection=session --label=other \
        application oauthctl type session provider google account work
    }
    found() {
      gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets \
        -m org.freedesktop.Secret.Service.SearchItems '{"account": "work"}' | sed -E 's|/[0-9]+|/N|g'
    }
    """

  @Test(arguments: ["--locked", "--empty"])
  func `an item in memory alone is found and replaced there, as long as there is no other place`(state: String) throws {
    let answer = try Child.script(
      [state],
      Self.elsewhere + """

        elsewhere old
        probe --do load session google work
        probe --do save session google work new
        probe --do load session google work
        found
        """)
    #expect(
      answer.lines == [
        "value old", "saved sessionOnly", "value new",
        "([objectpath '/org/freedesktop/secrets/collection/session/N'], @ao [])",
      ])
  }

  @Test func `an item in memory alone moves to the default collection when that is open`() throws {
    let answer = try Child.script(
      [],
      Self.elsewhere + """

        elsewhere old
        probe --do load session google work
        probe --do save session google work new
        probe --do load session google work
        found
        """)
    #expect(
      answer.lines == [
        "value old", "saved", "value new", "([objectpath '/org/freedesktop/secrets/collection/login/N'], @ao [])",
      ])
  }

  @Test func `of two items the newer generation counts, whichever was changed last`() throws {
    let answer = try Child.script(
      [],
      Self.elsewhere + """

        probe --do save session google work 7.first
        sleep 1.1
        elsewhere 6.second
        probe --do load session google work
        elsewhere unnumbered
        probe --do load session google work
        elsewhere 10.third
        probe --do load session google work
        probe --do save session google work 11.fourth
        found
        probe --do load session google work
        """)
    #expect(
      answer.lines == [
        "saved", "value 7.first", "value 7.first", "value 10.third", "saved",
        "([objectpath '/org/freedesktop/secrets/collection/login/N'], @ao [])", "value 11.fourth",
      ])
  }

  @Test func `of two items of one generation the one changed last counts, and storing leaves one`() throws {
    let answer = try Child.script(
      [],
      Self.elsewhere + """

        probe --do save session google work first
        sleep 1.1
        elsewhere second
        probe --do load session google work
        probe --do list session
        probe --do save session google work third
        found
        probe --do load session google work
        """)
    #expect(
      answer.lines == [
        "saved", "value second", "[google/work]", "saved",
        "([objectpath '/org/freedesktop/secrets/collection/login/N'], @ao [])", "value third",
      ])
  }
}
