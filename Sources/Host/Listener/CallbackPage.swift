internal import OAuth

/// Renders what the browser shows when it comes back: whole HTTP responses, self-contained, and but for the one that hands
/// over a fragment without script.
///
/// Nothing of the request is in them: no code, no state. Only the server's refusal is quoted, escaped.
struct CallbackPage: Sendable {
  /// What a callback was.
  enum Outcome: Equatable, Sendable {
    /// Not the one that is waited for.
    case ignored
    /// The one, and it is good.
    case accepted
    /// The one, and it says no, in these words.
    case refused(message: String)
  }

  /// The program that the page speaks for.
  let appName: String

  /// Gives the response to a callback.
  func response(_ outcome: Outcome) -> [UInt8] {
    let status: Status
    switch outcome {
    case .accepted, .refused: status = .ok
    case .ignored: status = .badRequest
    }
    return response(status, type: "text/html; charset=utf-8", body: html(outcome))
  }

  /// Gives a response for what is no callback; a bodiless one answers `HEAD`.
  func plain(_ status: Status, bodiless: Bool = false, allow: String = "GET") -> [UInt8] {
    let body = status == .noContent ? "" : "\(status.reason.lowercased())\n"
    let fields = status == .methodNotAllowed ? ["Allow: \(allow)"] : []
    return response(status, type: "text/plain; charset=utf-8", body: body, bodiless: bodiless, fields: fields)
  }

  /// The page alone.
  func html(_ outcome: Outcome) -> String {
    let name = Self.escaped(appName)
    switch outcome {
    case .accepted:
      return document(
        title: "Authorization received", tone: .good,
        text: "<p>\(name) is finishing in the terminal.</p>\n<p class=\"quiet\">You can close this page.</p>")
    case .refused(let message):
      let words = PrintableText.printable(message, limit: 400)
      let quote = words.isEmpty ? "" : "<blockquote dir=\"auto\">\(Self.escaped(words))</blockquote>\n"
      return document(
        title: "Authorization failed", tone: .bad,
        text: """
          <p>The authorization server refused, and \(name) was not given access.</p>
          \(quote)<p class="quiet">The terminal shows what to do next.<br>You can close this page.</p>
          """)
    case .ignored:
      return document(
        title: "Not the page we are waiting for", tone: .neutral,
        text: """
          <p>This page belongs to another login, or to one that is over. Nothing was changed.</p>
          <p class="quiet">If a login is under way, go on in the page that \(name) opened for it.</p>
          """)
    }
  }

  func document(title: String, tone: CallbackPageStyle.Tone, text: String) -> String {
    let role = tone == .bad ? "alert" : "status"
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="robots" content="noindex">
      <title>\(title) – \(Self.escaped(appName))</title>
      <link rel="icon" href="\(CallbackPageStyle.icon(tone))">
      <style>\(CallbackPageStyle.sheet)</style>
      </head>
      <body class="\(tone.rawValue)">
      <main role="\(role)">
      <svg class="mark" viewBox="0 0 48 48" aria-hidden="true">\(tone.drawing)</svg>
      <h1>\(title)</h1>
      \(text)
      </main>
      <footer>\(Self.escaped(appName))</footer>
      </body>
      </html>

      """
  }

  /// A whole response; `allowing` is what its policy allows beside the style sheet and the icon.
  func response(
    _ status: Status, type: String, body: String, bodiless: Bool = false, fields: [String] = [], allowing: String = ""
  ) -> [UInt8] {
    var lines = ["HTTP/1.1 \(status.code) \(status.reason)"]
    // RFC 9110 section 8.6: none with a 204.
    if status != .noContent { lines += ["Content-Type: \(type)", "Content-Length: \(body.utf8.count)"] }
    lines += fields + Self.guardingFields(allowing: allowing)
    let head = lines.map { $0 + "\r\n" }.joined() + "\r\n"
    return Array(head.utf8) + (bodiless ? [] : Array(body.utf8))
  }

  private static func guardingFields(allowing: String) -> [String] {
    [
      "Connection: close",
      "Cache-Control: no-store",
      "Content-Security-Policy: default-src 'none'; style-src 'sha256-\(CallbackPageStyle.digest)'; img-src data:; "
        + allowing + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      // The address has the code in it; it is spent, and still nobody else's business.
      "Referrer-Policy: no-referrer",
      "X-Content-Type-Options: nosniff",
      "X-Frame-Options: DENY",
      "Cross-Origin-Opener-Policy: same-origin",
      "Cross-Origin-Resource-Policy: same-origin",
    ]
  }
}

extension CallbackPage {
  /// The statuses that are ever sent.
  enum Status: CaseIterable, Sendable {
    case ok, noContent, badRequest, forbidden, notFound, methodNotAllowed, lengthRequired, contentTooLarge
    case unsupportedType, misdirected, tooLarge, unavailable

    /// The number on the status line.
    var code: Int {
      switch self {
      case .ok: 200
      case .noContent: 204
      case .badRequest: 400
      case .forbidden: 403
      case .notFound: 404
      case .methodNotAllowed: 405
      case .lengthRequired: 411
      case .contentTooLarge: 413
      case .unsupportedType: 415
      case .misdirected: 421
      case .tooLarge: 431
      case .unavailable: 503
      }
    }

    /// The words beside it.
    var reason: String {
      switch self {
      case .ok: "OK"
      case .noContent: "No Content"
      case .badRequest: "Bad Request"
      case .forbidden: "Forbidden"
      case .notFound: "Not Found"
      case .methodNotAllowed: "Method Not Allowed"
      case .lengthRequired: "Length Required"
      case .contentTooLarge: "Content Too Large"
      case .unsupportedType: "Unsupported Media Type"
      case .misdirected: "Misdirected Request"
      case .tooLarge: "Request Header Fields Too Large"
      case .unavailable: "Service Unavailable"
      }
    }
  }

  /// Makes text harmless between tags and in quoted attributes.
  static func escaped(_ text: String) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": output += "&amp;"
      case "<": output += "&lt;"
      case ">": output += "&gt;"
      case "\"": output += "&quot;"
      case "'": output += "&#39;"
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }
}
