/// The part of URL syntax (RFC 3986) that deciding where secrets may go needs.
///
/// Narrower than the RFC wherever two readers of the same text could see two hosts in it: no user information, no
/// percent sign in a host, no character that a browser or a library repairs in silence.
public struct WebURL: Sendable, Equatable {
  /// `https` or `http`, in lower case.
  public let scheme: String
  /// The host as written, an IPv6 address in its brackets, in lower case.
  public let host: String
  /// The port that the URL names; nil for the scheme's own.
  public let port: Int?
  /// Path, query and fragment, as written.
  public let rest: String

  /// The rule that ``isAcceptable(_:)`` checks, in words.
  public static let rule = "must be an https URL (http only to 127.0.0.1, ::1 or localhost)"

  /// Reads an absolute http or https URL; nil for anything else, for user information, and for characters that no URL has.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
      let colon = text.firstIndex(of: ":")
    else { return nil }
    scheme = text[..<colon].lowercased()
    guard scheme == "https" || scheme == "http", text[colon...].hasPrefix("://") else { return nil }
    let afterScheme = text[text.index(colon, offsetBy: 3)...]
    let end = afterScheme.firstIndex { "/?#".contains($0) } ?? afterScheme.endIndex
    rest = String(afterScheme[end...])
    guard let (host, port) = Self.split(authority: afterScheme[..<end]) else { return nil }
    self.host = host.lowercased()
    self.port = port
  }

  private static func split(authority: Substring) -> (host: Substring, port: Int?)? {
    var host = authority
    var portText: Substring?
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      host = authority[...close]
      let tail = authority[authority.index(after: close)...]
      guard tail.isEmpty || tail.hasPrefix(":") else { return nil }
      portText = tail.isEmpty ? nil : tail.dropFirst()
      guard isAddress(host.dropFirst().dropLast()) else { return nil }
    } else {
      if let separator = authority.firstIndex(of: ":") {
        host = authority[..<separator]
        portText = authority[authority.index(after: separator)...]
      }
      guard isName(host) else { return nil }
    }
    guard let portText else { return (host, nil) }
    guard portText.utf8.count <= 5, portText.utf8.allSatisfy(isDigit), let port = Int(portText),
      (1...65535).contains(port)
    else { return nil }
    return (host, port)
  }

  /// Labels of letters, digits, hyphens and underscores, none of them empty but what a final dot leaves.
  private static func isName(_ host: Substring) -> Bool {
    var labels = host.split(separator: ".", omittingEmptySubsequences: false)
    if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
    return host.utf8.count <= 253
      && labels.allSatisfy { label in
        !label.isEmpty
          && label.utf8.allSatisfy {
            isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
          }
      }
  }

  /// What an IPv6 address is written with; whether it is one, the network code finds out.
  private static func isAddress(_ text: Substring) -> Bool {
    text.utf8.contains(UInt8(ascii: ":"))
      && text.utf8.allSatisfy { byte in
        let isHexLetter = (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
        return isDigit(byte) || isHexLetter || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

  /// Whether the host is this machine, by the spellings that resolve nowhere else.
  public var isLoopback: Bool { Self.isLoopback(host: host) }

  /// Whether a host, in lower case and an IPv6 address in its brackets, is this machine.
  ///
  /// An IPv4 address is four decimal numbers without leading zeros: other forms are octal to one reader and decimal to
  /// the next.
  package static func isLoopback(host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in
        part.utf8.allSatisfy(isDigit) && UInt8(part) != nil && (part == "0" || !part.hasPrefix("0"))
      }
  }

  /// Scheme, host and port, written in one way whether or not the URL names the usual port.
  public var origin: String { "\(scheme)://\(host):\(port ?? (scheme == "https" ? 443 : 80))" }

  /// Whether a server may send us to a URL: one that is acceptable, and on this machine only if the server is, too.
  static func isAcceptable(_ text: String, from server: String) -> Bool {
    guard isAcceptable(text), let url = WebURL(text) else { return false }
    return !url.isLoopback || WebURL(server)?.isLoopback == true
  }

  /// Whether a URL may be given tokens and secrets: `https`, or `http` to loopback (RFC 8252 section 8.3).
  ///
  /// The parts in braces count as letters.
  public static func isAcceptable(_ text: String) -> Bool {
    let plain = text.replacing("{", with: "x").replacing("}", with: "x")
    guard let url = WebURL(plain) else { return false }
    return url.scheme == "https" || url.isLoopback
  }
}
