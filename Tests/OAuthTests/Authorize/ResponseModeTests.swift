import OAuth
import TestSupport
import Testing

/// The mode of the answer in the request.
struct ResponseModeTests {
  private static func parameters(_ mode: ResponseMode?) throws -> [Parameter] {
    let pending = PendingAuthorization(
      random: Sample.random(96), method: .s256, usesOpenID: false, redirectURI: "http://127.0.0.1:4711/callback",
      issuer: nil, requiresIssuer: false, responseMode: mode)
    return try AuthorizationRequest.parameters(for: Sample.client(), scopes: [], pending: pending)
  }

  @Test(arguments: ResponseMode.allCases) func `a mode is asked for by its name`(_ mode: ResponseMode) throws {
    #expect(try Self.parameters(mode).filter { $0.name == "response_mode" }.map(\.value) == [mode.rawValue])
  }

  @Test func `the response type's own is not asked for`() throws {
    #expect(!(try Self.parameters(nil)).contains { $0.name == "response_mode" })
  }

  @Test func `a mode is signed or not, posted or not, and fit for tokens or not`() {
    #expect(ResponseMode.allCases.filter(\.isSigned) == [.jwt, .queryJWT, .fragmentJWT, .formPostJWT])
    #expect(ResponseMode.allCases.filter(\.isPosted) == [.formPost, .formPostJWT])
    #expect(ResponseMode.allCases.filter { !$0.maySendTokens } == [.query, .queryJWT])
  }
}
