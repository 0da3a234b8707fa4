import Crypto
import Flows
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// A login that is begun in one run of the program and finished in another.
@Suite(.timeLimit(.minutes(1))) struct TwoStepLoginTests {
  private let redirectURI = "http://127.0.0.1:28765/callback"

  private func login(_ harness: LoginHarness, _ plan: LoginPlan = LoginHarness.plan()) -> BrowserLogin {
    BrowserLogin(
      network: Sample.network(harness.http, harness.time), listeners: harness.listeners, browser: nil,
      terminal: harness.terminal)
  }

  private func pending(_ harness: LoginHarness, _ plan: LoginPlan = LoginHarness.plan()) async throws -> PendingLogin {
    let begun = try await login(harness).begin(plan, redirectURI: redirectURI)
    return PendingLogin(
      id: PendingLoginID(expiresAt: Sample.now.addingTimeInterval(900), random: Sample.random(3)), account: "work",
      client: begun.plan.client.registration, plan: begun.plan, authorization: begun.authorization,
      startedAt: Sample.now)
  }

  /// Finishes the login; gives what came of it, and how often it was used up.
  private func finish(
    _ harness: LoginHarness, _ pasted: String?, _ plan: LoginPlan = LoginHarness.plan()
  ) async throws -> (outcome: Result<LoginResult, any Error>, uses: Int) {
    let pending = try await pending(harness, plan)
    let uses = Recorder<Void>()
    do {
      let result = try await login(harness).finish(
        pending, pending.plan(try #require(pending.client), now: Sample.now), pasted: pasted
      ) { uses.add(()) }
      return (.success(result), uses.all.count)
    } catch {
      return (.failure(error), uses.all.count)
    }
  }

  private var exchange: Exchange { LoginHarness.exchange(redirectURI: redirectURI) }
  private var good: String { "\(redirectURI)?code=c-1&state=\(LoginHarness.state)" }

  @Test func `the first step binds nothing and opens nothing`() async throws {
    let harness = LoginHarness(browser: FakeBrowser())
    let begun = try await login(harness).begin(LoginHarness.plan(), redirectURI: redirectURI)
    #expect(begun.url.parameter("redirect_uri") == redirectURI && begun.url.parameter("state") == LoginHarness.state)
    #expect(begun.urlEndsAt == nil && !begun.url.contains(LoginHarness.verifier))
    #expect(harness.listeners.bound.all.isEmpty && harness.browser?.opened.all.isEmpty == true)
  }

  @Test func `a client that could not redeem the code is told before anybody opens the page`() async throws {
    var plan = LoginHarness.plan()
    plan.client = Sample.client(ClientRegistration(id: "app", method: .post))
    let harness = LoginHarness(browser: FakeBrowser())
    await #expect(throws: FlowError.self) { try await login(harness).begin(plan, redirectURI: redirectURI) }
  }

  @Test func `the second step redeems the code, and uses the login up`() async throws {
    let harness = LoginHarness(http: FakeHTTPClient(exchange))
    let (outcome, uses) = try await finish(harness, good)
    #expect(try outcome.get().tokens.accessToken == Secret("access-2") && uses == 1)
  }

  @Test func `a bare code is as good`() async throws {
    let harness = LoginHarness(http: FakeHTTPClient(exchange))
    let (outcome, uses) = try await finish(harness, " c-1\n")
    #expect(try outcome.get().tokens.accessToken == Secret("access-2") && uses == 1)
  }

  @Test func `a pushed request's end is told`() async throws {
    let endpoint = "https://id.acme.example/par"
    let harness = LoginHarness(
      http: FakeHTTPClient(.post(endpoint, .json(#"{"request_uri":"urn:1","expires_in":60}"#, status: 201))))
    let plan = LoginHarness.plan(Sample.provider { $0.endpoints?.pushedAuthorizationRequest = endpoint }) {
      $0.pushesRequest = true
    }
    let begun = try await login(harness).begin(plan, redirectURI: redirectURI)
    #expect(begun.urlEndsAt == Sample.now.addingTimeInterval(60) && !begun.url.contains(LoginHarness.state))
  }

  static let others: [Named<String>] = [
    Named("no state", "http://127.0.0.1:28765/callback?code=c-1"),
    Named("another state", "http://127.0.0.1:28765/callback?code=c-1&state=x"),
    Named("the page's own URL", "https://id.acme.example/authorize?client_id=app&state=\(LoginHarness.state)"),
    Named("words", "no such thing"),
    Named("an error of another", "error=access_denied&state=x"),
  ]

  @Test(arguments: others) func `what is not of this login leaves it for another try`(_ row: Named<String>) async throws
  {
    let (outcome, uses) = try await finish(LoginHarness(), row.value)
    guard case .failure(PendingLoginFailure.notItsAnswer) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(uses == 0)
  }

  @Test func `nothing is no answer`() async throws {
    for (harness, pasted) in [
      (LoginHarness(), ""), (LoginHarness(), " \n"), (LoginHarness(terminal: FakeTerminal(.end)), nil),
    ] {
      let (outcome, uses) = try await finish(harness, pasted)
      guard case .failure(PendingLoginFailure.noAnswer) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(uses == 0)
    }
  }

  @Test func `a person is asked until it is the right one`() async throws {
    let harness = LoginHarness(
      http: FakeHTTPClient(exchange), terminal: FakeTerminal(.line("https://acme.example/?code=x&state=y"), .line(good))
    )
    let (outcome, uses) = try await finish(harness, nil)
    #expect(try outcome.get().tokens.accessToken == Secret("access-2") && uses == 1)
    #expect(harness.terminal.questions.all.map(\.prompt) == Array(repeating: "paste the redirect URL here: ", count: 2))
    #expect(harness.terminal.notes.all.contains("that is not the redirect URL of this login"))
  }

  static let answers: [Named<String>] = [
    Named("denied", "error=access_denied&state=\(LoginHarness.state)"),
    Named("from another issuer", "code=c-1&iss=https%3A%2F%2Fevil&state=\(LoginHarness.state)"),
    Named("two codes", "code=c-1&code=c-2&state=\(LoginHarness.state)"),
  ]

  @Test(arguments: answers) func `an answer that says no uses it up`(_ row: Named<String>) async throws {
    let plan = LoginHarness.plan(Sample.provider { $0.issuer = Sample.issuer })
    let (outcome, uses) = try await finish(LoginHarness(), row.value, plan)
    guard case .failure(FlowError.callback) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(uses == 1)
  }

  static let replies: [Named<(HTTPResponse, uses: Int)>] = [
    Named("the code is spent", (.error("invalid_grant"), 1)),
    Named("no token reply", (.json("{}"), 1)),
    Named("an outage", (.text("", status: 503), 0)),
    Named("the client's fault", (.error("invalid_client", status: 401), 0)),
  ]

  @Test(arguments: replies) func `what becomes of it where the code is not taken`(
    _ row: Named<(HTTPResponse, uses: Int)>
  ) async throws {
    let refused = LoginHarness.exchange(redirectURI: redirectURI, answers: row.value.0)
    let (outcome, uses) = try await finish(LoginHarness(http: FakeHTTPClient(refused)), good)
    guard case .failure(is TokenFailure) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(uses == row.value.uses)
  }

  @Test func `a word that is no code leaves it for another try`() async throws {
    let refused = Exchange.post(Sample.tokenURL, form: ["code": "clear"], .error("invalid_grant"))
    #expect(try await finish(LoginHarness(http: FakeHTTPClient(refused)), "clear").uses == 0)
  }

  @Test func `an ID token of another login is refused, and the login is used up`() async throws {
    let token = Sample.idToken(nonce: "another").reveal()
    let reply = HTTPResponse.json(
      #"{"access_token":"a","token_type":"Bearer","expires_in":3600,"id_token":"\#(token)"}"#)
    let plan = LoginHarness.plan(Sample.provider { $0.issuer = Sample.issuer }, scopes: ["openid"])
    let http = FakeHTTPClient(LoginHarness.exchange(redirectURI: redirectURI, answers: reply))
    let (outcome, uses) = try await finish(LoginHarness(http: http), good, plan)
    guard case .failure(let mismatch as JWT.Mismatch) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(mismatch.claim == "nonce" && uses == 1)
  }

  @Test func `tokens in a pasted fragment are taken`() async throws {
    let plan = LoginHarness.plan { $0.isImplicit = true }
    let (outcome, uses) = try await finish(
      LoginHarness(),
      "\(redirectURI)#access_token=a-1&token_type=Bearer&expires_in=60&state=\(LoginHarness.state)", plan)
    #expect(try outcome.get().tokens.accessToken == Secret("a-1") && uses == 1)
  }
}
