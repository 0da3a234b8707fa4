import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// Logins whose answer comes back in another way than a query, or signed.
@Suite(.timeLimit(.minutes(1))) struct ResponseModeLoginTests {
  private static let answer = "code=c-1&state=\(LoginHarness.state)"

  private static func claims(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
    var claims: [String: JSONValue?] = [
      "iss": .string(Sample.issuer), "aud": .string("app"), "state": .string(LoginHarness.state),
      "code": .string("c-1"), "exp": .integer(Int64(Sample.now.timeIntervalSince1970) + 300),
    ]
    claims.merge(changes) { _, new in new }
    return claims.compactMapValues(\.self)
  }

  private static func plan(_ mode: ResponseMode, _ change: (inout LoginPlan) -> Void = { _ in }) -> LoginPlan {
    LoginHarness.plan(SampleIssuer.provider()) {
      $0.responseMode = mode
      change(&$0)
    }
  }

  @Test(arguments: [
    (ResponseMode.formPost, CallbackPart.form), (.fragment, .fragment), (.query, .query),
  ]) func `a code comes back in the mode that was asked for`(_ mode: ResponseMode, _ part: CallbackPart) async throws {
    let listeners = FakeListeners()
    let browser = FakeBrowser { url in
      #expect(url.parameter("response_mode") == mode.rawValue)
      switch part {
      case .form: listeners.listener.post(form: Self.answer)
      case .fragment: listeners.listener.post(fragment: Self.answer)
      case .query: listeners.listener.request(Self.answer)
      }
    }
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange()), listeners: listeners, browser: browser)
    #expect(try await harness.run(Self.plan(mode)).tokens.accessToken == Secret("access-2"))
    #expect(harness.listener.parts.all == [part] && harness.listener.verdicts.all == ["accepted"])
  }

  private func signed(
    _ answer: String, mode: ResponseMode = .jwt, _ exchanges: [Exchange], terminal: FakeTerminal = FakeTerminal(),
    _ change: (inout LoginPlan) -> Void = { _ in }
  ) async throws -> (harness: LoginHarness, outcome: Result<LoginResult, any Error>) {
    let listeners = FakeListeners()
    let isForm = mode == .formPostJWT
    let browser = FakeBrowser { _ in
      isForm ? listeners.listener.post(form: answer) : listeners.listener.request(answer)
    }
    let http = FakeHTTPClient(exchanges)
    let harness = LoginHarness(http: http, listeners: listeners, browser: browser, terminal: terminal)
    do {
      return (harness, .success(try await harness.run(Self.plan(mode, change))))
    } catch {
      return (harness, .failure(error))
    }
  }

  @Test(arguments: [ResponseMode.jwt, .queryJWT, .formPostJWT])
  func `a signed answer is verified, then its code redeemed`(
    _ mode: ResponseMode
  ) async throws {
    let issuer = try SampleIssuer()
    let token = try issuer.sign(Self.claims()).reveal()
    let (harness, outcome) = try await signed(
      "response=\(token)", mode: mode, [issuer.publishes(), LoginHarness.exchange()])
    #expect(try outcome.get().tokens.accessToken == Secret("access-2"))
    #expect(harness.listener.verdicts.all == ["accepted"])
  }

  @Test func `keys that have changed since are read once more`() async throws {
    let (old, new) = (try SampleIssuer(), try SampleIssuer(keyID: "k-2"))
    let token = try new.sign(Self.claims()).reveal()
    let (_, outcome) = try await signed(
      "response=\(token)", [old.publishes(), new.publishes(), LoginHarness.exchange()])
    #expect(try outcome.get().tokens.accessToken == Secret("access-2"))
  }

  @Test func `an answer of other keys is not taken, whatever is published`() async throws {
    let (own, foreign) = (try SampleIssuer(), try SampleIssuer())
    let token = try foreign.sign(Self.claims()).reveal()
    let (_, outcome) = try await signed("response=\(token)", [own.publishes(), own.publishes()])
    let error = #expect(throws: JWT.Mismatch.self) { try outcome.get() }
    #expect(error?.claim == "signature")
  }

  @Test func `an answer for another client is not taken`() async throws {
    let issuer = try SampleIssuer()
    let token = try issuer.sign(Self.claims(["aud": .string("other")])).reveal()
    let (_, outcome) = try await signed("response=\(token)", [issuer.publishes()])
    let error = #expect(throws: JWT.Mismatch.self) { try outcome.get() }
    #expect(error?.claim == "aud")
  }

  @Test func `without keys nobody vouches for a signed answer`() async throws {
    let issuer = try SampleIssuer()
    let token = try issuer.sign(Self.claims()).reveal()
    let (_, outcome) = try await signed("response=\(token)", [.get(SampleIssuer.keysURL, .text("", status: 503))])
    let error = #expect(throws: KeySetError.self) { try outcome.get() }
    #expect(error?.status == 503)
  }

  @Test func `a signed refusal ends the login, and the page says so`() async throws {
    let issuer = try SampleIssuer()
    let token = try issuer.sign(Self.claims(["code": nil, "error": .string("access_denied")])).reveal()
    let (harness, outcome) = try await signed("response=\(token)", [issuer.publishes()])
    let error = #expect(throws: FlowError.self) { try outcome.get() }
    guard case .callback(.server(let said)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(said.code == "access_denied")
    #expect(harness.listener.verdicts.all == ["refused: the server answered: access_denied"])
  }

  @Test func `a plain answer in a signed one's place ends the login`() async throws {
    let issuer = try SampleIssuer()
    let (harness, outcome) = try await signed(Self.answer, [issuer.publishes()])
    let error = #expect(throws: FlowError.self) { try outcome.get() }
    guard case .callback(.unusable(parameter: "response", _, got: "a plain answer")) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(harness.listener.verdicts.all.first?.hasPrefix("refused: ") == true)
  }

  @Test func `an encrypted answer is told of once, and ends nothing before the time is up`() async throws {
    let issuer = try SampleIssuer()
    let token = try issuer.sign(Self.claims()).reveal()
    let (listeners, terminal, time) = (FakeListeners(), FakeTerminal(), FakeTime(holdsSleeps: true))
    let browser = FakeBrowser { _ in
      for _ in 0..<3 { listeners.listener.request("response=a.b.c.d.e") }
      listeners.listener.request("response=\(token)")
    }
    let harness = LoginHarness(
      http: FakeHTTPClient(issuer.publishes(), LoginHarness.exchange()), time: time, listeners: listeners,
      browser: browser, terminal: terminal)
    #expect(try await harness.run(Self.plan(.jwt)).tokens.accessToken == Secret("access-2"))
    #expect(terminal.notes.all.filter { $0.contains("authorization_encrypted_response_alg") }.count == 1)
    #expect(listeners.listener.verdicts.all == ["ignored", "ignored", "ignored", "accepted"])
  }

  @Test func `where nothing but an encrypted answer came, that is what failed`() async throws {
    let (issuer, listeners, time) = (try SampleIssuer(), FakeListeners(), FakeTime(holdsSleeps: true))
    let browser = FakeBrowser { _ in listeners.listener.request("response=a.b.c.d.e") }
    let harness = LoginHarness(
      http: FakeHTTPClient(issuer.publishes()), time: time, listeners: listeners, browser: browser)
    let login = Task { try await harness.run(Self.plan(.jwt)) }
    while listeners.listener.verdicts.all.isEmpty || time.sleeps.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    time.release()
    let error = await #expect(throws: FlowError.self) { try await login.value }
    guard case .callback(SignedResponse.isEncrypted) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a JWT that is pasted will do`() async throws {
    let issuer = try SampleIssuer()
    let token = try issuer.sign(Self.claims()).reveal()
    let terminal = FakeTerminal(.line("c-1"), .line(token))
    let harness = LoginHarness(
      http: FakeHTTPClient(issuer.publishes(), LoginHarness.exchange()), browser: nil, terminal: terminal)
    #expect(try await harness.run(Self.plan(.jwt)).tokens.accessToken == Secret("access-2"))
    #expect(terminal.notes.all.contains("that is not the redirect URL of this login"))
  }
}
