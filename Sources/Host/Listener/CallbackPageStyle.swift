internal import Crypto

/// How the callback page looks; kept apart from what it says.
enum CallbackPageStyle {
  /// The mood of a page, and its class in the sheet.
  enum Tone: String, Sendable {
    case good, bad, neutral

    /// The inside of a 48 by 48 drawing: a ring and a sign in it.
    var drawing: String {
      let sign =
        switch self {
        case .good: "M15.5 24.8l5.9 5.9 11.6-12.9"
        case .bad: "M17.5 17.5l13 13m0-13l-13 13"
        case .neutral: "M24 14.5v11.5m0 6.6v.2"
        }
      return """
        <circle cx="24" cy="24" r="22" fill="none" stroke="currentColor" stroke-opacity=".22" stroke-width="2"/>\
        <path d="\(sign)" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
        """
    }

    /// Reads well on light and on dark tab bars alike.
    fileprivate var iconColor: String {
      switch self {
      case .good: "2e9e6b"
      case .bad: "d0564b"
      case .neutral: "8a7f5c"
      }
    }
  }

  /// The tab's icon, in the page itself: no second request is made for it.
  static func icon(_ tone: Tone) -> String {
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
      + "%3Ccircle cx='8' cy='8' r='6' fill='%23\(tone.iconColor)'/%3E%3C/svg%3E"
  }

  /// The digest of the sheet, for the one `style-src` that is allowed (CSP level 3 section 2.3.1).
  static let digest = Base64URL.encodeClassic(SHA256.digest(Array(sheet.utf8)))

  /// The style sheet.
  ///
  /// All colours keep a contrast of at least 4.5 to 1 for text.
  static let sheet = """

    :root { color-scheme: light dark; --page: #f4f3ef; --card: #fff; --line: #e4e2da; --text: #23272b; --quiet: #646a70;
      --good: #1f7a4f; --bad: #b23a30; --neutral: #75683c; --shadow: 0 1px 2px rgb(30 28 20 / 5%), 0 12px 40px -12px rgb(30 28 20 / 14%) }
    @media (prefers-color-scheme: dark) {
      :root { --page: #15171a; --card: #1d2024; --line: #2c3036; --text: #e8e9ea; --quiet: #9ea5ac;
        --good: #6fcf9f; --bad: #f0887e; --neutral: #cdbb83; --shadow: 0 12px 40px -12px rgb(0 0 0 / 50%) }
    }
    * { box-sizing: border-box; margin: 0 }
    html { height: 100%; -webkit-text-size-adjust: 100% }
    body { min-height: 100%; display: grid; grid-template-rows: 1fr auto; justify-items: center; align-items: center;
      gap: 1.5rem; padding: 2rem 1.25rem 1.5rem; background: var(--page); color: var(--text);
      font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif }
    main { width: 100%; max-width: 27rem; padding: 2.75rem 2.25rem 2.5rem; text-align: center; background: var(--card);
      border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow) }
    .mark { display: block; width: 3.5rem; height: 3.5rem; margin: 0 auto 1.5rem }
    .good .mark { color: var(--good) } .bad .mark { color: var(--bad) } .neutral .mark { color: var(--neutral) }
    h1 { margin-bottom: .75rem; font-size: 1.375rem; line-height: 1.3; font-weight: 600; letter-spacing: -.01em; text-wrap: balance }
    p { text-wrap: balance }
    p + p, blockquote + p { margin-top: .5rem }
    .quiet { color: var(--quiet); font-size: .9375rem }
    blockquote { margin: 1.25rem 0; padding: .75rem 1rem; text-align: start; font-size: .9375rem; overflow-wrap: anywhere;
      background: var(--page); border: 1px solid var(--line); border-radius: .5rem }
    footer { color: var(--quiet); font: .8125rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace }
    @media (max-width: 30rem) { body { padding: 1rem } main { padding: 2rem 1.25rem } }

    """
}
