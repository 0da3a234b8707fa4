import Foundation
import OAuth
import TestSupport
import Testing

/// When a token ends, as servers say it (cases I-1 to I-5).
struct ExpiryTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let members: String
    /// Seconds from now; nil is unknown.
    let left: Double?

    init(_ members: String, _ left: Double?) { (self.members, self.left) = (members, left) }

    var testDescription: String { members }
  }

  static let lifetimes = [
    Case(#""expires_in":3600"#, 3600), Case(#""expires_in":"3600""#, 3600), Case(#""expires_in":3600.0"#, 3600),
    Case(#""expires_in":3599.9"#, 3599), Case(#""expires_in":"3600.7""#, 3600), Case(#""expires_in":" 3600 ""#, 3600),
    Case(#""expires_in":3.6e3"#, 3600), Case(#""expires_in":"3.6e3""#, 3600), Case(#""expires_in":"+3600""#, 3600),
    Case(#""expires_in":0"#, 0), Case(#""expires_in":"0""#, 0), Case(#""expires_in":0.0"#, 0),
    Case(#""expires_in":0.9"#, 0),
    Case(#""expires_in":-0.0"#, 0), Case(#""expires_in":-5"#, nil), Case(#""expires_in":"-5""#, nil),
    Case(#""expires_in":-0.5"#, nil), Case(#""expires_in":null"#, nil), Case(#""x":1"#, nil),
    Case(#""expires_in":"""#, nil), Case(#""expires_in":"soon""#, nil), Case(#""expires_in":"NaN""#, nil),
    Case(#""expires_in":"nan""#, nil), Case(#""expires_in":"inf""#, nil), Case(#""expires_in":"Infinity""#, nil),
    Case(#""expires_in":"0x10""#, nil), Case(#""expires_in":"0x1p4""#, nil), Case(#""expires_in":"1e999""#, nil),
    Case(#""expires_in":"٣٦٠٠""#, nil), Case(#""expires_in":"3600s""#, nil), Case(#""expires_in":"1,000""#, nil),
    Case(#""expires_in":9223372036854775807"#, nil), Case(#""expires_in":99999999999999999999"#, nil),
    Case(#""expires_in":"99999999999999999999""#, nil), Case(#""expires_in":1e300"#, nil),
    Case(#""expires_in":true"#, nil), Case(#""expires_in":[]"#, nil), Case(#""expires_in":{}"#, nil),
    Case(#""expires_in":[3600]"#, nil), Case(#""expires_in":3162240000"#, 3_162_240_000),
    Case(#""expires_in":3162240001"#, nil), Case(#""expires":3600"#, 3600), Case(#""expires":"3600""#, 3600),
    Case(#""expires_in":null,"expires":60"#, 60), Case(#""expires_in":30,"expires":60"#, 30),
  ]

  @Test(arguments: lifetimes) func `a lifetime is read in every spelling, and nonsense is unknown`(_ row: Case) throws {
    #expect(try tokens(row.members).expiresAt == row.left.map { Sample.now.addingTimeInterval($0) })
  }

  /// The tests' now is 2027-01-15T08:00:00Z.
  static let points = [
    Case(#""expires_at":1800003600"#, 3600), Case(#""expires_at":"1800003600""#, 3600),
    Case(#""expires_at":1800003600.5"#, 3600.5), Case(#""expires_at":1800003600000"#, 3600),
    Case(#""expires_at":"2027-01-15T09:00:00Z""#, 3600), Case(#""expires_at":"2027-01-15T10:00:00+01:00""#, 3600),
    Case(#""expires_at":1799999990"#, -10), Case(#""expires_at":"2027-01-15T07:59:50Z""#, -10),
    Case(#""expires_at":0"#, nil), Case(#""expires_at":-1"#, nil), Case(#""expires_at":"""#, nil),
    Case(#""expires_at":"tomorrow""#, nil), Case(#""expires_at":null"#, nil), Case(#""expires_at":1e300"#, nil),
    Case(#""expires_at":"NaN""#, nil), Case(#""expires_at":9999999999"#, nil),
    Case(#""expires_in":60,"expires_at":1800003600"#, 60), Case(#""expires_in":-1,"expires_at":1800003600"#, 3600),
  ]

  @Test(arguments: points) func `a point in time is read in every spelling`(_ row: Case) throws {
    #expect(try tokens(row.members).expiresAt == row.left.map { Sample.now.addingTimeInterval($0) })
  }

  static let milliseconds = [
    Case(#""expires_in":3600000"#, 3600), Case(#""expires_in":"3600999""#, 3600), Case(#""expires_in":999"#, 0),
    Case(#""expires_in":-1000"#, nil), Case(#""expires_in":3162240000001"#, 3_162_240_000),
  ]

  @Test(arguments: milliseconds) func `a provider that counts in milliseconds is understood`(_ row: Case) throws {
    let provider = Sample.provider(quirks: { $0.expiresInUnit = .milliseconds })
    #expect(try tokens(row.members, provider).expiresAt == row.left.map { Sample.now.addingTimeInterval($0) })
  }

  static let refreshLifetimes = [
    Case(#""refresh_token_expires_in":86400"#, 86400), Case(#""refresh_expires_in":"86400""#, 86400),
    Case(#""x_refresh_token_expires_in":8726400"#, 8_726_400), Case(#""refresh_expires_in":0"#, nil),
    Case(#""refresh_token_expires_in":-1"#, nil), Case(#""refresh_token_expires_in":null,"refresh_expires_in":5"#, 5),
    Case(#""expires_in":60"#, nil),
  ]

  @Test(arguments: refreshLifetimes) func `a refresh token's end is known where the server tells; zero is never`(
    _ row: Case
  ) throws {
    #expect(try tokens(row.members).refreshExpiresAt == row.left.map { Sample.now.addingTimeInterval($0) })
  }

  private func tokens(_ members: String, _ provider: Provider = Sample.provider()) throws -> TokenSet {
    try TokenResponse.validate(.json(#"{"access_token":"a",\#(members)}"#), provider: provider, now: Sample.now)
  }
}
