import Crypto
import OAuth
import TestSupport
import Testing

/// A refusal of the client or of its proof keeps what had been shown: that is what a person has to look at.
struct RefusedClientTests {
  private func refused(_ code: String) throws(TokenFailure) -> TokenFailure {
    do {
      _ = try TokenResponse.validate(.error(code), provider: Sample.provider(), now: Sample.now)
    } catch {
      return error
    }
    return .notATokenReply(ServerError(), reason: "")
  }

  @Test(arguments: [
    "invalid_dpop_proof", "use_dpop_nonce", "invalid_authorization_details", "invalid_request_object",
    "invalid_request_uri", "request_not_supported",
  ]) func `what is wrong with a request is no word on the grant`(_ code: String) throws {
    #expect(try refused(code) == .clientRefused(ServerError(status: 400, code: code)))
  }

  @Test(arguments: [ClientAuthMethod.privateKeyJWT, .tls]) func `a key or a certificate is named`(
    _ method: ClientAuthMethod
  ) throws {
    let shown = ServerError.Shown(method: method, isBound: false)
    #expect(try refused("invalid_client").telling(shown).serverError.shown == shown)
    for code in ["invalid_grant", "invalid_scope", "invalid_request"] {
      #expect(try refused(code).telling(shown) == refused(code))
    }
  }

  @Test(arguments: [ClientAuthMethod.none, .basic, .post, .clientSecretJWT]) func `a secret needs no name`(
    _ method: ClientAuthMethod
  ) throws {
    let shown = ServerError.Shown(method: method, isBound: true)
    #expect(try refused("invalid_client").telling(shown) == refused("invalid_client"))
    #expect(try refused("invalid_dpop_proof").telling(shown).serverError.shown == shown)
  }

  @Test func `a server that wants one nonce after another may be asked later, and who sent no proof is told`() throws {
    let said = ServerError(status: 400, code: "use_dpop_nonce")
    let bound = ServerError.Shown(method: .none, isBound: true)
    #expect(try refused("use_dpop_nonce").telling(bound) == .transient(said, retryAfter: nil))
    let bearer = ServerError.Shown(method: .none, isBound: false)
    guard case .clientRefused(let error) = try refused("use_dpop_nonce").telling(bearer) else {
      Issue.record("it is not the client's matter")
      return
    }
    #expect(error.shown == bearer && error.redacted(by: Redactor()).shown == bearer)
  }
}
