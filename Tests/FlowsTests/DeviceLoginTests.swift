import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// A login on another device, alone.
@Suite(.timeLimit(.minutes(1))) struct DeviceLoginTests {
  private struct Harness {
    var http: FakeHTTPClient
    var time = FakeTime()
    var browser: FakeBrowser?
    var terminal = FakeTerminal()

    func run(_ plan: LoginPlan = LoginHarness.plan(DeviceStory.provider())) async throws -> LoginResult {
      try await DeviceLogin(network: Sample.network(http, time), browser: browser, terminal: terminal).run(plan)
    }
  }

  @Test func `a person is told where to go, and polls bring the tokens`() async throws {
    let harness = Harness(
      http: FakeHTTPClient(
        DeviceStory.start(), DeviceStory.poll(DeviceStory.pending), DeviceStory.poll(DeviceStory.pending),
        DeviceStory.poll()))
    let result = try await harness.run()
    #expect(result.tokens.accessToken == Secret("access-2") && result.grant == nil)
    #expect(
      harness.terminal.shown.all == [
        "on any device, open: \(DeviceStory.page)", "and enter the code:  BCDF-GHJK",
      ])
    #expect(harness.terminal.codes.all == [DeviceStory.complete])
    #expect(harness.time.sleeps == [.seconds(6), .seconds(6), .seconds(6)])
    #expect(harness.terminal.statuses.all.first == "waiting for you to enter the code")
    #expect(harness.terminal.statuses.all.last == .some(nil))
  }

  @Test func `a browser that is here opens the page that has the code in it`() async throws {
    let browser = FakeBrowser()
    let harness = Harness(http: FakeHTTPClient(DeviceStory.start(), DeviceStory.poll()), browser: browser)
    _ = try await harness.run()
    #expect(browser.opened.all == [DeviceStory.complete])
    #expect(harness.terminal.shown.all.count == 2)
  }

  @Test func `a browser that cannot be opened is no obstacle`() async throws {
    let harness = Harness(
      http: FakeHTTPClient(DeviceStory.start(""), DeviceStory.poll()),
      browser: FakeBrowser(error: .noDisplay(reason: "over SSH")))
    _ = try await harness.run()
    #expect(harness.terminal.codes.all == [DeviceStory.page])
  }

  @Test func `slow_down counts for good, outages back off, and an answer ends that`() async throws {
    let broken = TransportError(kind: .timedOut, host: "h", message: "m", mayHaveArrived: true)
    let harness = Harness(
      http: FakeHTTPClient(
        DeviceStory.start(), DeviceStory.poll(.error("slow_down")), DeviceStory.poll(DeviceStory.pending),
        DeviceStory.poll(.json(#"{"error":"slow_down","interval":20}"#, status: 429)),
        .failing(.post, Sample.tokenURL, with: broken), DeviceStory.poll(.text("<html>", status: 503)),
        DeviceStory.poll(DeviceStory.pending), DeviceStory.poll()))
    _ = try await harness.run()
    #expect(harness.time.sleeps == [6, 11, 11, 21, 41, 61, 21].map { .seconds($0) })
  }

  static let ends: [Named<(HTTPResponse, TokenFailure)>] = [
    Named("denied", (.error("access_denied"), .grantRefused(ServerError(status: 400, code: "access_denied")))),
    Named(
      "denied with success",
      (.error("access_denied", status: 200), .grantRefused(ServerError(status: 200, code: "access_denied")))),
    Named("expired", (.error("expired_token"), .grantRefused(ServerError(status: 400, code: "expired_token")))),
    Named(
      "the client",
      (.error("invalid_client", status: 401), .clientRefused(ServerError(status: 401, code: "invalid_client")))),
    Named("nobody knows it", (.error("odd"), .grantRefused(ServerError(status: 400, code: "odd")))),
  ]

  @Test(arguments: ends) func `any other error ends the wait at once`(_ row: Named<(HTTPResponse, TokenFailure)>) async
  {
    let harness = Harness(http: FakeHTTPClient(DeviceStory.start(), DeviceStory.poll(row.value.0)))
    await #expect(throws: row.value.1) { try await harness.run() }
    #expect(harness.terminal.statuses.all.last == .some(nil))
  }

  @Test func `a network that cannot be trusted is not waited for`() async {
    let error = TransportError(kind: .tls, host: "h", message: "m", mayHaveArrived: false)
    let harness = Harness(http: FakeHTTPClient(DeviceStory.start(), .failing(.post, Sample.tokenURL, with: error)))
    await #expect(throws: error) { try await harness.run() }
  }

  @Test func `a code that ends before the next poll ends the wait`() async {
    let time = FakeTime()
    let late = Exchange(.post, Sample.tokenURL, form: DeviceStory.form) { _ in
      time.now += 595
      return DeviceStory.pending
    }
    let harness = Harness(http: FakeHTTPClient(DeviceStory.start(), late), time: time)
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .deviceCodeEnded = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a code that ends before the interval does is asked for once`() async throws {
    let start = DeviceStory.start(#","interval":30,"expires_in":20"#)
    let harness = Harness(http: FakeHTTPClient(start, DeviceStory.poll()))
    #expect(try await harness.run().tokens.accessToken == Secret("access-2"))
    #expect(harness.time.sleeps == [.seconds(19)])
  }

  static let starts: [Named<(HTTPResponse, FailureWords)>] = [
    Named("a page", (.text("<html>", status: 503), FailureWords(isTransient: true))),
    Named("nothing", (.json("{}"), FailureWords(reason: "no usable device_code in it"))),
    Named("an empty body", (.text(""), FailureWords(reason: "an empty body"))),
    Named("no such place", (.text("", status: 404), FailureWords(reason: "a status"))),
    Named("not for this client", (.error("unauthorized_client"), FailureWords())),
    Named("denied", (.error("access_denied"), FailureWords())),
  ]

  struct FailureWords: Sendable {
    var isTransient = false
    var reason: String?
  }

  @Test(arguments: starts) func `what is wrong with the reply to the first request is said of that endpoint`(
    _ row: Named<(HTTPResponse, FailureWords)>
  ) async {
    let harness = Harness(http: FakeHTTPClient(.post(DeviceStory.startURL, row.value.0)))
    let failure = await #expect(throws: TokenFailure.self) { try await harness.run() }
    #expect(failure?.serverError.endpoint == .deviceAuthorization)
    if case .transient = failure { #expect(row.value.1.isTransient) } else { #expect(!row.value.1.isTransient) }
    if case .notATokenReply(_, let reason) = failure {
      #expect(row.value.1.reason.map { reason.hasPrefix($0) } == true)
    } else {
      #expect(row.value.1.reason == nil)
    }
  }

  @Test func `a refusal of a poll is said of the token endpoint, and of what the client showed`() async throws {
    let key = ClientKey(pem: try PrivateKey.generate().pem())
    let plan = LoginHarness.plan(DeviceStory.provider { $0.clientAuth = .privateKeyJWT }) {
      $0.client.registration.key = key
    }
    let harness = Harness(
      http: FakeHTTPClient(
        .post(DeviceStory.startURL, DeviceStory.reply()), .post(Sample.tokenURL, .error("invalid_client", status: 401)))
    )
    let failure = await #expect(throws: TokenFailure.self) { try await harness.run(plan) }
    #expect(failure?.serverError.endpoint == nil && failure?.serverError.shown?.method == .privateKeyJWT)
  }

  @Test func `a server that wants one nonce after another is asked again later`() async throws {
    func wanting(_ nonce: String) -> Exchange {
      .post(
        Sample.tokenURL, form: DeviceStory.form,
        .json(#"{"error":"use_dpop_nonce"}"#, status: 400, headers: [HTTPHeader("DPoP-Nonce", nonce)]))
    }
    let bound = HTTPResponse.json(#"{"access_token":"a","token_type":"DPoP"}"#)
    let harness = Harness(
      http: FakeHTTPClient(DeviceStory.start(), wanting("n-1"), wanting("n-2"), DeviceStory.poll(bound)))
    let binding = DPoPBinding(key: try PrivateKey.generate().pem())
    let result = try await harness.run(LoginHarness.plan(DeviceStory.provider()) { $0.client.binding = binding })
    #expect(result.client.binding?.nonces == ["https://id.acme.example": "n-2"])
    #expect(harness.time.sleeps == [.seconds(6), .seconds(11)])
  }

  @Test func `a time limit is waited for to its end`() async {
    let harness = Harness(http: FakeHTTPClient(DeviceStory.start()))
    let plan = LoginHarness.plan(DeviceStory.provider()) { $0.timeout = .seconds(4) }
    let error = await #expect(throws: FlowError.self) { try await harness.run(plan) }
    guard case .deviceTimedOut(seconds: 4) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(harness.time.sleeps == [.seconds(4)])
  }

  @Test func `resources and parameters go along where they belong`() async throws {
    let plan = LoginHarness.plan(DeviceStory.provider()) {
      $0.resources = ["https://api.example/"]
      $0.authorizationParameters = [Parameter("prompt", "login")]
      $0.tokenParameters = [Parameter("tenant", "t-1")]
    }
    let harness = Harness(
      http: FakeHTTPClient(
        DeviceStory.start(form: ["resource": "https://api.example/", "prompt": "login"]), DeviceStory.poll()))
    _ = try await harness.run(plan)
    let poll = harness.http.requests[1].form
    #expect(poll["resource"] == "https://api.example/" && poll["tenant"] == "t-1" && poll["prompt"] == nil)
  }

  @Test func `without the endpoint, or the client's secret, nothing is sent`() async {
    let bare = await #expect(throws: FlowError.self) {
      try await Harness(http: FakeHTTPClient()).run(LoginHarness.plan())
    }
    guard case .noEndpoint(provider: "acme", endpoint: "device_authorization") = bare else {
      Issue.record("\(String(describing: bare))")
      return
    }
    let confidential = LoginHarness.plan(DeviceStory.provider { $0.clientAuth = .basic })
    let lacking = await #expect(throws: FlowError.self) { try await Harness(http: FakeHTTPClient()).run(confidential) }
    guard case .noClientSecret = lacking else {
      Issue.record("\(String(describing: lacking))")
      return
    }
  }

  @Test func `a server's echo of the code is not shown`() async {
    let echo = HTTPResponse.error("invalid_grant", description: "dc-of-some-length is unknown")
    let start = Exchange.post(
      DeviceStory.startURL,
      .json(#"{"device_code":"dc-of-some-length","user_code":"A","verification_uri":"\#(DeviceStory.page)"}"#))
    let harness = Harness(http: FakeHTTPClient(start, .post(Sample.tokenURL, echo)))
    let error = await #expect(throws: TokenFailure.self) { try await harness.run() }
    #expect(error?.serverError.description == "[redacted] is unknown")
  }

  @Test func `somebody who gives up leaves the poll under way a moment to end`() async {
    let asked = AsyncStream<Void>.makeStream()
    let slow = Exchange(.post, Sample.tokenURL, form: DeviceStory.form) { _ in
      asked.continuation.yield()
      try await Task.sleep(for: .seconds(3600))
      return DeviceStory.pending
    }
    let harness = Harness(http: FakeHTTPClient(DeviceStory.start(), slow))
    let task = Task { try await harness.run() }
    for await _ in asked.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(harness.time.sleeps == [.seconds(6), .seconds(2)])
  }

  @Test func `an ID token without a nonce tells who it is, and must be the client's`() async throws {
    func login(_ token: Secret) async throws -> LoginResult {
      let reply = HTTPResponse.json(#"{"access_token":"a","id_token":"\#(token.reveal())"}"#)
      let harness = Harness(http: FakeHTTPClient(DeviceStory.start(form: ["scope": "openid"]), DeviceStory.poll(reply)))
      return try await harness.run(
        LoginHarness.plan(DeviceStory.provider { $0.issuer = Sample.issuer }, scopes: ["openid"]))
    }
    #expect(try await login(Sample.idToken()).identity == "ada@example.com")
    let error = await #expect(throws: JWT.Mismatch.self) { try await login(Sample.idToken(aud: "other")) }
    #expect(error?.claim == "aud")
  }

  @Test func `a token that is not bound as it had to be is refused`() async throws {
    let reply = HTTPResponse.json(#"{"access_token":"a","token_type":"DPoP"}"#)
    let harness = Harness(http: FakeHTTPClient(DeviceStory.start(), DeviceStory.poll(reply)))
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .unexpectedTokenType(expected: "Bearer", got: "DPoP", provider: "acme") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
