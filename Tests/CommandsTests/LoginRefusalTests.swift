import Crypto
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// What is said where a login, or what it left, is refused: a hint works as it is written.
struct LoginRefusalTests {
  private static let said = ServerError(status: 400, code: "invalid_grant")
  private static let assertion = StandingGrant.Assertion(
    issuer: "robot", subject: nil, audience: nil, key: ClientKey(pem: Secret("k")), holdsScope: false)

  static let flows: [Named<(LoginFlow, String?)>] = [
    Named("code", (.code, nil)), Named("device", (.device, "'oauthctl login acme/work --flow device' again")),
    Named(
      "password",
      (
        .direct(.password(username: "u", password: Secret("p"))),
        "check the user name and the password, then run 'oauthctl login acme/work --flow password' again"
      )),
    Named("assertion", (.direct(.assertion(Secret("a"))), "--assertion-file FILE'")),
    Named("key", (.direct(.signedAssertion(assertion)), "timedatectl")),
    Named("client", (.direct(.clientCredentials), "what the client may do")),
    Named(
      "exchange",
      (
        .direct(.tokenExchange(TokenExchange(subjectToken: Secret("t"), subjectTokenType: "urn:t"))),
        "--subject-token-file FILE'"
      )
    ),
  ]

  @Test(arguments: flows) func `a refused grant is told what to look at`(_ row: Named<(LoginFlow, String?)>) {
    let failure = row.value.0.refusal(TokenFailure.grantRefused(Self.said), "acme/work")
    #expect((failure == nil) == (row.value.1 == nil))
    guard let failure, let words = row.value.1 else { return }
    #expect(failure.exitCode == 77 && failure.hint?.contains(words) == true, "\(failure.hint ?? "none")")
    #expect(row.value.0.refusal(TokenFailure.transient(Self.said, retryAfter: nil), "acme") == nil)
  }

  @Test func `a code for another device that has ended is followed by one of the same grant`() {
    let ended = FlowError.deviceCodeEnded
    #expect(
      LoginFlow.device.refusal(ended, "acme")?.hint
        == "run 'oauthctl login acme --flow device' again: there will be a new code")
    #expect(LoginFlow.code.refusal(ended, "acme") == nil)
  }

  @Test func `where nobody can be asked the file of a password is named`() {
    let failure = LoginFlow.direct(.password(username: "u", password: Secret("p"))).refusal(
      TokenFailure.grantRefused(Self.said), "acme", isAsked: false)
    #expect(failure?.hint?.hasSuffix("'oauthctl login acme --username NAME --password-file FILE' again") == true)
  }

  @Test func `who has shown no secret is told how to give one, and of a variable that it was it`() throws {
    var said = ServerError(status: 401, code: "invalid_client")
    said.shown = ServerError.Shown(method: ClientAuthMethod.none, isBound: false)
    #expect(
      Failure(TokenFailure.clientRefused(said), login: "acme").hint
        == "the client has shown no secret: if it has one, give it: 'oauthctl login acme --client-secret-file FILE'; "
        + "else check the client id")
    said.shown = ServerError.Shown(method: .basic, isBound: false)
    let invocation = try CommandHarness.invocation(["refresh", "acme"])
    let failure = Failure(TokenFailure.clientRefused(said))
    let harness = try CommandHarness(variables: ["OAUTHCTL_ACME_CLIENT_SECRET": "bad"])
    let told = failure.naming(variableFor: "app", of: "acme", harness.environment(invocation, output: .silent))
    #expect(told.hint?.hasPrefix("the secret came from OAUTHCTL_ACME_CLIENT_SECRET: ") == true)
    let other = try failure.naming(
      variableFor: "app", of: "acme", CommandHarness().environment(invocation, output: .silent))
    #expect(other.hint == failure.hint)
  }

  @Test(arguments: ["login_required", "interaction_required", "consent_required", "account_selection_required"])
  func `what may not be asked is told how it may`(_ code: String) {
    let failure = Failure(FlowError.callback(.server(ServerError(code: code))))
    #expect(failure.exitCode == 77 && failure.hint?.hasSuffix("log in without --prompt none") == true)
  }

  static let lacking: [Named<(FlowError, String)>] = [
    Named("secret", (.noClientSecret(provider: "acme", clientID: "app"), "--client-secret-file FILE at")),
    Named("key", (.noClientKey(provider: "acme", clientID: "app"), "--private-key-file FILE at")),
    Named("certificate", (.noClientCertificate(provider: "acme", clientID: "app"), "--key-file FILE at")),
    Named("end", (.clientSecretEnded(provider: "acme", clientID: "app", at: Sample.now), "run")),
    Named("bound", (.unusableBindingKey(provider: "acme", reason: "r"), "run")),
  ]

  @Test(arguments: lacking) func `the account is named where it is known, else the provider`(
    _ row: Named<(FlowError, String)>
  ) {
    let hint = Failure(row.value.0, login: "acme/work").hint
    #expect(hint?.contains("\(row.value.1) 'oauthctl login acme/work'") == true, "\(hint ?? "none")")
    #expect(Failure(row.value.0).hint?.contains("\(row.value.1) 'oauthctl login acme'") == true)
  }

  private func hint(_ change: (inout Session) -> Void) throws -> String? {
    let store = try MemoryStore(Sample.session(change))
    return Failure(FlowError.noRefreshToken(Sample.account)).completed(SessionStore(store)).hint
  }

  @Test func `what has to be given anew is in the hint`() throws {
    func flow(_ name: String) -> (inout Session) -> Void {
      { session in
        session.choices = LoginChoices()
        session.choices?.flow = name
      }
    }
    #expect(try hint(flow("token-exchange")) == "run 'oauthctl login acme/work --subject-token-file FILE'")
    #expect(try hint(flow("jwt-bearer")) == "run 'oauthctl login acme/work --assertion-file FILE'")
    for name in ["code", "device", "implicit", "password", "client-credentials", "own"] {
      #expect(try hint(flow(name)) == "run 'oauthctl login acme/work'")
    }
    #expect(try hint { _ in } == "run 'oauthctl login acme/work'")
    #expect(Failure(FlowError.noRefreshToken(Sample.account)).completed(SessionStore(MemoryStore())).hint != nil)
  }

  @Test func `an ID token comes with the scopes that there were, and to no client`() throws {
    let person = Failure.noIDToken(Sample.account, Sample.session())
    #expect(person.exitCode == 77 && person.hint == "run 'oauthctl login acme/work --scope openid,read,write'")
    let client = Failure.noIDToken(
      Sample.account, Sample.session { $0.grant = StandingGrant(id: "1", kind: .clientCredentials) })
    #expect(client.exitCode == 78 && client.hint?.contains("no person") == true)
    let store = try MemoryStore(
      Sample.session {
        $0.choices = LoginChoices()
        $0.choices?.flow = "token-exchange"
      })
    #expect(
      person.completed(SessionStore(store)).hint
        == "run 'oauthctl login acme/work --subject-token-file FILE --scope openid,read,write'")
  }

  @Test func `a client's own token tells of no person`() {
    let refusal = Failure(Userinfo.Failure.refused(ServerError(status: 403)))
    let failure = Failure.noPerson(Sample.account, refusal)
    #expect(failure.exitCode == 78 && failure.message.contains("its client's own"))
    #expect(failure.hint?.contains("--userinfo") == true)
  }
}
