internal import Crypto

extension CallbackPage {
  /// Gives the page that hands over the fragment of its own address, which no browser sends to a server.
  ///
  /// Its script takes the fragment out of the address bar and the history first, posts it to the path that it came to,
  /// and then shows the page that comes back. Where that fails, the address is put back for the user to paste.
  func relay() -> [UInt8] {
    response(
      .ok, type: "text/html; charset=utf-8", body: relayHTML,
      allowing: "script-src 'sha256-\(Self.scriptDigest)'; connect-src 'self'; ")
  }

  /// The page alone.
  var relayHTML: String {
    let name = Self.escaped(appName)
    let paste = "copy the whole address of this page from the address bar and paste it into the terminal."
    return document(
      title: "Handing over to the terminal", tone: .neutral,
      text: """
        <noscript><p>This browser runs no scripts, so \(name) was not given the answer yet: \(paste)</p></noscript>
        <p id="failed" hidden>\(name) could not be reached: if it is still waiting, \(paste)</p>
        <p id="empty" hidden>There is no answer in this page's address. Nothing was changed.</p>
        <script>\(Self.script)</script>
        """)
  }

  /// The digest of the script, for the one `script-src` that is allowed (CSP level 3 section 2.3.1).
  static let scriptDigest = Base64URL.encodeClassic(SHA256.digest(Array(script.utf8)))

  /// What the page does.
  ///
  /// A `fetch` and not a form's submission: with no referrer a form would send `Origin: null`, a fetch names its origin.
  static let script = """

    (async () => {
      const show = (id) => { document.getElementById(id).hidden = false };
      const address = location.href;
      const answer = location.hash.slice(1);
      if (!answer) return show("empty");
      history.replaceState(null, "", location.pathname);
      try {
        const reply = await fetch(location.pathname, {
          method: "POST", body: answer, headers: { "Content-Type": "application/x-www-form-urlencoded" },
          credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer",
        });
        if (!(reply.headers.get("Content-Type") || "").startsWith("text/html")) throw new Error(reply.status);
        const page = new DOMParser().parseFromString(await reply.text(), "text/html");
        document.documentElement.replaceWith(page.documentElement);
      } catch {
        history.replaceState(null, "", address);
        show("failed");
      }
    })();

    """
}
