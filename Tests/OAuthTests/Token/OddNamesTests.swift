import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

/// What servers write otherwise: charsets and names.
struct OddNamesTests {
  private static let provider = Sample.provider(quirks: {
    $0.fieldAliases = [
      "api_token": "access_token", "renewalToken": "refresh_token", "ttl": "expires_in", "rights": "scope",
      "fault": "error", "why": "error_description",
    ]
  })

  private static func read(_ text: String, _ provider: Provider = provider) throws -> TokenSet {
    try TokenResponse.validate(.json(text), provider: provider, now: Sample.now)
  }

  @Test func `fields by a provider's own names are read, and not kept twice`() throws {
    let tokens = try Self.read(#"{"api_token":"a","renewalToken":"r","ttl":60,"rights":"x y","other":1}"#)
    #expect(tokens.accessToken == Secret("a") && tokens.refreshToken == Secret("r") && tokens.scope == ["x", "y"])
    #expect(tokens.expiresAt == Sample.now.addingTimeInterval(60) && tokens.fields == ["other": .integer(1)])
  }

  @Test func `the standard name is meant where a reply has both`() throws {
    let tokens = try Self.read(#"{"api_token":"b","access_token":"a"}"#)
    #expect(tokens.accessToken == Secret("a") && tokens.fields == ["api_token": .string("b")])
    #expect(try Self.read(#"{"api_token":"b","access_token":null}"#).accessToken == Secret("b"))
  }

  @Test func `an error by another name is one`() {
    let failure = #expect(throws: TokenFailure.self) { try Self.read(#"{"fault":"invalid_grant","why":"gone"}"#) }
    #expect(failure == .grantRefused(ServerError(status: 200, code: "invalid_grant", description: "gone")))
  }

  @Test func `names within an object of the reply are read as well`() throws {
    var provider = Self.provider
    provider.quirks?.tokenPath = "data"
    let tokens = try Self.read(#"{"data":{"api_token":"a","ttl":"60"}}"#, provider)
    #expect(tokens.accessToken == Secret("a") && tokens.expiresAt == Sample.now.addingTimeInterval(60))
  }

  @Test(arguments: [
    (BasicCharset.latin1, true, "é:ÿ", [0xE9, 0x3A, 0x3A, 0xFF] as [UInt8]),
    (.latin1, false, "é:ÿ", Array("%E9%3A:%FF".utf8)), (.utf8, true, "é:ÿ", Array("é::ÿ".utf8)),
    (.latin1, true, "é:€", Array("é::€".utf8)),
  ]) func `HTTP Basic is in the charset that the server reads`(
    _ charset: BasicCharset, _ isRaw: Bool, _ words: String, _ pair: [UInt8]
  ) throws {
    let provider = Sample.provider(quirks: { ($0.basicCharset, $0.basicRaw) = (charset, isRaw) })
    let parts = words.split(separator: ":").map(String.init)
    let client = ClientRegistration(id: parts[0] + ":", secret: Secret(parts[1]))
    let request = try TokenRequest.build(
      .refreshToken(Secret("r")), endpoint: "https://h", as: Sample.client(client, at: provider), stamp: Sample.stamp)
    // A part that Latin-1 cannot write is in UTF-8, and so is the other.
    #expect(request.headers("Authorization") == ["Basic " + Base64URL.encodeClassic(pair)])
  }
}
