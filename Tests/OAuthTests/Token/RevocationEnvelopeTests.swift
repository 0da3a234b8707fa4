import OAuth
import TestSupport
import Testing

/// A provider's own ways to say no hold for a revocation too.
struct RevocationEnvelopeTests {
  @Test func `an envelope that says no is a refusal, with a code or without`() {
    let provider = Sample.provider(quirks: { $0.okField = "ok" })
    for body in [#"{"ok":false,"error":"nope"}"#, #"{"ok":false}"#, #"{"ok":false,"error":""}"#] {
      let outcome = Revocation.validate(.json(body), provider: provider)
      guard case .refused = outcome else {
        Issue.record("\(body): \(outcome)")
        continue
      }
    }
    #expect(Revocation.validate(.json(#"{"ok":true}"#), provider: provider) == .revoked)
  }

  @Test func `a provider's own code for a token that is no more means that`() {
    let provider = Sample.provider(quirks: { $0.errorAliases = ["token_gone": "invalid_grant"] })
    #expect(Revocation.validate(.error("token_gone"), provider: provider) == .revoked)
  }
}
