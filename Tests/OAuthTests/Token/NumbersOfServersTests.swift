import Foundation
import OAuth
import TestSupport
import Testing

/// Numbers that a server may send and no clock has.
struct NumbersOfServersTests {
  @Test func `a lifetime beyond all numbers is unknown, and the reply is still one`() throws {
    let reply = HTTPResponse.json(#"{"access_token":"a","expires_in":1e999}"#)
    #expect(try TokenResponse.validate(reply, provider: Sample.provider(), now: Sample.now).expiresAt == nil)
  }

  @Test func `a date beyond a century is unknown, as a number is`() throws {
    let reply = HTTPResponse.json(#"{"access_token":"a","expires_at":"9999-12-31T23:59:59Z"}"#)
    #expect(try TokenResponse.validate(reply, provider: Sample.provider(), now: Sample.now).expiresAt == nil)
  }

  @Test func `a date with a fraction of a second is read`() throws {
    let reply = HTTPResponse.json(#"{"access_token":"a","expires_at":"2027-01-15T09:00:00.123Z"}"#)
    let expiry = try TokenResponse.validate(reply, provider: Sample.provider(), now: Sample.now).expiresAt
    #expect(expiry.map { Int($0.timeIntervalSince(Sample.now)) } == 3600)
  }

  @Test func `an ID token issued at the end of time is refused, and ends nothing else`() async {
    await #expect(processExitsWith: .success) {
      let token = Sample.jwt(#"{"iss":"i","sub":"s","aud":"app","exp":9223372036854775807,"iat":9223372036854775807}"#)
      let error = #expect(throws: JWT.Mismatch.self) {
        try IDToken.verify(token, expecting: IDToken.Expectation(issuers: [], clientID: "app"), now: Sample.now)
      }
      #expect(error?.claim == "iat")
    }
  }

  @Test(arguments: [("\(3600)", 3600), ("\"3600\"", 3600), ("1800003600", 3600), ("1800003600000", 3600)])
  func `expires is a lifetime or a point in time, by its size`(_ value: String, _ left: Int) throws {
    let reply = HTTPResponse.json("{\"access_token\":\"a\",\"expires\":\(value)}")
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let expiry = try TokenResponse.validate(reply, provider: Sample.provider(), now: now).expiresAt
    #expect(expiry.map { Int($0.timeIntervalSince(now)) } == left)
  }
}
