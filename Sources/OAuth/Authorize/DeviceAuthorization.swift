public import Crypto
public import FoundationEssentials

/// What a person needs to approve a login on another device, and what asks for the tokens meanwhile.
///
/// - See: https://www.rfc-editor.org/rfc/rfc8628#section-3.2
public struct DeviceAuthorization: Sendable, Equatable {
  /// What asks for the tokens.
  public let deviceCode: Secret
  /// What the person types: one line, fit for a terminal.
  public let userCode: String
  /// Where the person types it: an http or https URL in ASCII.
  public let verificationURI: String
  /// The same with the code in it, for a QR code or a browser.
  public let verificationURIComplete: String?
  /// When both codes end.
  public let expiresAt: Date
  /// The seconds to wait between two polls.
  public let interval: Int
  /// What the server would like the person to read: one line, fit for a terminal.
  public let message: String?

  /// The fields that are understood.
  static let fields = [
    "device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval", "message",
  ]
  /// How long the codes last where the server does not say, and at most.
  private static let (usualLifetime, longestLifetime) = (600.0, 86400.0)
  /// RFC 8628 section 3.2 has 5 for a missing interval; one of an hour is a mistake.
  static let (usualInterval, intervals) = (5, 1...300)

  /// Reads the device authorization response, as tolerantly as real servers need.
  ///
  /// Numbers may be strings, `verification_url` is as good as `verification_uri`, and a provider may have names of its
  /// own (`field_aliases`). A `verification_uri_complete` that is no URL is left out.
  ///
  /// - Parameter now: when it was received; expiry counts from here.
  /// - Throws: ``TokenFailure``.
  /// - See: https://www.rfc-editor.org/rfc/rfc8628#section-3.2
  public static func validate(
    _ response: HTTPResponse, provider: Provider, now: Date
  ) throws(TokenFailure) -> DeviceAuthorization {
    let style = provider.effectiveQuirks.device ?? DeviceStyle()
    let fields = named(try GoodReply.fields(response, provider: provider, now: now), style)
    func lacks(_ name: String) -> TokenFailure {
      .notATokenReply(ServerError(status: response.status), reason: "no usable \(name) in it")
    }
    guard let code = fields["device_code"]?.text, TokenResponse.isVisibleASCII(code) else {
      throw lacks("device_code")
    }
    guard let userCode = fields["user_code"]?.text, isPrintable(userCode) else { throw lacks("user_code") }
    let server = provider.endpoints?.deviceAuthorization ?? ""
    guard let address = webAddress(fields["verification_uri"], of: server) else { throw lacks("verification_uri") }
    return DeviceAuthorization(
      deviceCode: Secret(code), userCode: userCode, verificationURI: address,
      verificationURIComplete: webAddress(fields["verification_uri_complete"], of: server),
      expiresAt: now.addingTimeInterval(lifetime(fields["expires_in"], unit: style.expiresInUnit ?? .seconds)),
      interval: interval(fields["interval"]),
      message: fields["message"]?.text.map { PrintableText.printable($0, limit: 500) }.flatMap { $0.isEmpty ? nil : $0 }
    )
  }

  /// Gives the fields under the RFC's names; a field that has its own name already stays what it is.
  private static func named(_ fields: [String: JSONValue], _ style: DeviceStyle) -> [String: JSONValue] {
    var aliases = [
      "verification_url": "verification_uri", "verification_url_complete": "verification_uri_complete",
    ]
    aliases.merge(style.fieldAliases ?? [:]) { _, own in own }
    var named = fields
    for (name, meaning) in aliases.sorted(by: { $0.key < $1.key }) where fields[name] != nil {
      if named[meaning] == nil || named[meaning] == .null { named[meaning] = fields[name] }
    }
    return named
  }

  private static func isPrintable(_ text: String) -> Bool {
    !text.isEmpty && PrintableText.printable(text, limit: 64) == text
  }

  /// Only where a person may be sent with a code that lets somebody in, and what no terminal takes for anything but text.
  private static func webAddress(_ value: JSONValue?, of server: String) -> String? {
    value?.text.flatMap { $0.utf8.count <= 2048 && WebURL.isAcceptable($0, from: server) ? $0 : nil }
  }

  private static func lifetime(_ value: JSONValue?, unit: ExpiryUnit) -> Double {
    guard var seconds = Expiry.number(value) else { return usualLifetime }
    if unit == .milliseconds { seconds /= 1000 }
    return seconds > 0 ? min(seconds, longestLifetime) : usualLifetime
  }

  static func interval(_ value: JSONValue?) -> Int {
    guard let seconds = Expiry.number(value), seconds >= 0 else { return usualInterval }
    let bounded = min(seconds.rounded(.up), Double(intervals.upperBound))
    return max(Int(bounded), intervals.lowerBound)
  }
}
