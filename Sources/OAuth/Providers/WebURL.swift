/// The part of URL syntax (RFC 3986) that deciding where secrets may go needs.
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
  public static let rule = "is an https URL (http only to 127.0.0.1, ::1 or localhost)"

  /// Reads an absolute http or https URL; nil for anything else, for user information, and for characters that no URL has.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }), let colon = text.firstIndex(of: ":")
    else { return nil }
    scheme = text[..<colon].lowercased()
    guard scheme == "https" || scheme == "http", text[colon...].hasPrefix("://") else { return nil }
    let afterScheme = text[text.index(colon, offsetBy: 3)...]
    let end = afterScheme.firstIndex { "/?#".contains($0) } ?? afterScheme.endIndex
    var authority = afterScheme[..<end]
    rest = String(afterScheme[end...])
    guard !authority.contains("@") else { return nil }
    var portText: Substring?
    if authority.hasPrefix("["), let close = authority.firstIndex(of: "]") {
      let tail = authority[authority.index(after: close)...]
      guard tail.isEmpty || tail.hasPrefix(":") else { return nil }
      portText = tail.isEmpty ? nil : tail.dropFirst()
      authority = authority[...close]
    } else if let separator = authority.lastIndex(of: ":") {
      portText = authority[authority.index(after: separator)...]
      authority = authority[..<separator]
      guard !authority.contains(":") else { return nil }
    }
    guard !authority.isEmpty else { return nil }
    host = authority.lowercased()
    if let portText {
      guard let number = Int(portText), (1...65535).contains(number) else { return nil }
      port = number
    } else {
      port = nil
    }
  }

  /// Whether the host is this machine, by the spellings that resolve nowhere else.
  public var isLoopback: Bool {
    host == "localhost" || host == "[::1]" || Self.isLoopbackIPv4(host)
  }

  private static func isLoopbackIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { UInt8($0) != nil && ($0 == "0" || !$0.hasPrefix("0")) && !$0.hasPrefix("+") }
  }

  /// Whether a URL may be given tokens and secrets: `https`, or `http` to loopback (RFC 8252 section 8.3). `{name}`
  /// parts count as letters.
  public static func isAcceptable(_ text: String) -> Bool {
    let plain = text.replacing("{", with: "x").replacing("}", with: "x")
    guard let url = WebURL(plain) else { return false }
    return url.scheme == "https" || url.isLoopback
  }
}
