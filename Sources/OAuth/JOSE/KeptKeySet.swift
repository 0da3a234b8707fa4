public import FoundationEssentials

/// A key set as it was read, and until when it may be used without being read again.
public struct KeptKeySet: Sendable, Equatable, Codable {
  /// What a server's word on that is held to, in seconds: a set that changes with each reading is of no use, and a key that
  /// was taken back must not be used for ever.
  private static let bounds = 300.0...86_400.0
  /// For how long a set is kept where the server says nothing, in seconds.
  private static let usual = 3600.0

  /// Where it is published.
  public var url: String
  /// The keys.
  public var set: JSONWebKeySet
  /// When it was read.
  public var readAt: Date
  /// Until when it need not be read again.
  public var freshUntil: Date

  enum CodingKeys: String, CodingKey {
    case url = "jwks_uri"
    case set = "jwks"
    case readAt = "read_at"
    case freshUntil = "fresh_until"
  }

  /// Reads a key set; nil where the response is none.
  ///
  /// - Parameter now: when it came.
  /// - See: https://www.rfc-editor.org/rfc/rfc7517#section-5, https://www.rfc-editor.org/rfc/rfc9111#section-4.2
  public init?(_ response: HTTPResponse, url: String, now: Date) {
    guard response.status == 200, let value = JSONValue(parsing: response.body, repairing: true),
      let set = JSONWebKeySet(value)
    else { return nil }
    self.url = url
    self.set = set
    readAt = now
    freshUntil = now.addingTimeInterval(Self.lifetime(response))
  }

  /// Whether it need not be read again; one from the future was kept under a clock that was wrong.
  public func isFresh(at now: Date) -> Bool { readAt.addingTimeInterval(-JWT.leeway) <= now && now < freshUntil }

  /// For how long a response says that it may be kept, held to our bounds.
  static func lifetime(_ response: HTTPResponse) -> Double {
    let directives = response.values(of: "Cache-Control").flatMap { $0.split(separator: ",") }.map { part in
      part.filter { !$0.isWhitespace && $0 != "\"" }.lowercased()
    }
    if directives.contains(where: { $0 == "no-store" || $0 == "no-cache" }) { return bounds.lowerBound }
    let stated = directives.lazy.compactMap { $0.hasPrefix("max-age=") ? Double($0.dropFirst(8)) : nil }.first
    guard let stated, stated >= 0 else { return usual }
    let age = response.header("Age").flatMap { Double($0) } ?? 0
    return min(max(stated - max(age, 0), bounds.lowerBound), bounds.upperBound)
  }
}
