import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// Further tokens of one grant: renewed by the account's one refresh token, under its lock, kept apart.
@Suite(.timeLimit(.minutes(1))) struct TokenVariantTests {
  static let read = TokenVariant.Request(scopes: ["read"])

  private func run(
    _ harness: RefreshHarness, _ request: TokenVariant.Request = Self.read, seen: String = ""
  ) async throws -> Session {
    try await RefreshSession(
      store: harness.store, lock: harness.lock, network: Sample.network(harness.http, harness.time)
    ).refresh(Sample.account, seen: seen, variant: request)
  }

  private func exchange(form: [String: String] = ["scope": "read"], _ response: HTTPResponse = Sample.rotated)
    -> Exchange
  {
    .post(
      Sample.tokenURL,
      form: ["grant_type": "refresh_token", "refresh_token": "refresh-1"].merging(form) { _, own in own },
      response)
  }

  @Test func `a variant is kept apart, and its refresh token is the account's`() async throws {
    let harness = RefreshHarness(try MemoryStore(Sample.session()), FakeHTTPClient(exchange()))
    let session = try await run(harness)
    #expect(session.tokens(for: Self.read)?.accessToken == Secret("access-2"))
    #expect(session.tokens(for: Self.read)?.refreshToken == nil)
    #expect(session.tokens.accessToken == Secret("access-1") && session.tokens.refreshToken == Secret("refresh-2"))
    #expect(session.tokens.expiresAt == Sample.tokens().expiresAt && session.pendingRefresh == nil)
    #expect(try harness.stored() == session && harness.lock.taken == ["acme/work"])
  }

  @Test func `a variant that is there and good is taken, whoever asked for it`() async throws {
    let harness = RefreshHarness(try MemoryStore(Sample.session()), FakeHTTPClient(exchange()))
    let session = try await run(harness)
    #expect(try await run(harness) == session && harness.http.requests.count == 1)
  }

  @Test func `the mark is set before it is asked for, as for the account's own token`() async throws {
    let store = try MemoryStore(Sample.session())
    let exchange = Exchange(.post, Sample.tokenURL) { _ in
      #expect(try store.session()?.pendingRefresh?.fingerprint == Secret("refresh-1").fingerprint)
      throw TransportError(kind: .broken, host: "h", message: "m", mayHaveArrived: true)
    }
    let harness = RefreshHarness(store, FakeHTTPClient(exchange))
    await #expect(throws: TransportError.self) { try await run(harness) }
    #expect(try harness.stored().pendingRefresh != nil)
  }

  static let refusals: [Named<HTTPResponse>] = [
    Named("invalid_scope", .error("invalid_scope")), Named("invalid_target", .error("invalid_target")),
    Named("a bare 400", .json("{}", status: 400)), Named("a bare 401", .text("no", status: 401)),
    Named("access_denied", .error("access_denied")), Named("invalid_grant", .error("invalid_grant")),
  ]

  @Test(arguments: refusals) func `a refusal of the variant is not one of the grant`(
    _ row: Named<HTTPResponse>
  ) async throws {
    let harness = RefreshHarness(try MemoryStore(Sample.session()), FakeHTTPClient(exchange(row.value)))
    await #expect(throws: (any Error).self) { try await run(harness) }
    let stored = try harness.stored()
    #expect(stored.refused == nil && stored.pendingRefresh == nil && stored.tokens == Sample.tokens())
  }

  @Test func `a login that somebody stored meanwhile is used, and its own refresh token asks`() async throws {
    let store = try MemoryStore(Sample.session())
    let newer = Sample.session { session in
      session.tokens.refreshToken = Secret("refresh-9")
      session.generation = 9
    }
    let first = Exchange(.post, Sample.tokenURL) { _ in
      try store.put(newer)
      return .error("invalid_grant")
    }
    let second = Exchange.post(Sample.tokenURL, form: ["refresh_token": "refresh-9", "scope": "read"], Sample.rotated)
    let harness = RefreshHarness(store, FakeHTTPClient(first, second))
    let session = try await run(harness)
    #expect(session.tokens(for: Self.read)?.accessToken == Secret("access-2") && session.generation > 9)
    #expect(session.tokens.accessToken == Secret("access-1") && session.refused == nil)
  }

  struct Target: CustomTestStringConvertible, Sendable {
    let id: String
    var request = TokenVariant.Request()
    let sent: [String]

    var testDescription: String { id }
  }

  static let targets = [
    Target(id: "the login's, for its own token", sent: ["audience=api", "resource=https://a/", "resource=https://b/"]),
    Target(
      id: "the login's, for other scopes", request: read,
      sent: ["scope=read", "audience=api", "resource=https://a/", "resource=https://b/"]),
    Target(id: "another audience", request: .init(audience: "other"), sent: ["audience=other"]),
    Target(id: "fewer resources", request: .init(resources: ["https://b/"]), sent: ["resource=https://b/"]),
    Target(
      id: "all at once", request: .init(scopes: ["y", "x"], audience: "o", resources: ["https://b/"]),
      sent: ["scope=x y", "audience=o", "resource=https://b/"]),
  ]

  @Test(arguments: targets) func `whom a token is for`(_ row: Target) async throws {
    let session = Sample.session { session in
      session.audience = "api"
      session.resources = ["https://a/", "https://b/"]
    }
    let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient(exchange(form: [:])))
    _ = try await run(harness, row.request, seen: Secret("access-1").fingerprint)
    let sent = FormEncoding.decode(harness.http.requests[0].text).map { "\($0.name)=\($0.value)" }
    #expect(sent.filter { $0.hasPrefix("scope") || $0.hasPrefix("audience") || $0.hasPrefix("resource") } == row.sent)
  }

  @Test func `a server that gives no more tokens for the login's resources is not asked for one without them`()
    async throws
  {
    let session = Sample.session { $0.resources = ["https://a/"] }
    let store = try MemoryStore(session)
    let harness = RefreshHarness(
      store,
      FakeHTTPClient(
        exchange(form: ["resource": "https://a/"], .error("invalid_target")),
        exchange(form: ["resource": "https://b/"], .error("invalid_target"))))
    let error = await #expect(throws: FlowError.self) {
      try await run(harness, .init(), seen: Secret("access-1").fingerprint)
    }
    guard case .targetRefused(Sample.account, ServerError(status: 400, code: "invalid_target")) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    // No token was spent, and the login can be used as it was.
    var left = try harness.stored()
    left.generation = session.generation
    #expect(left == session)
    // One that the caller named is the caller's matter.
    await #expect(throws: TokenFailure.self) { try await run(harness, .init(resources: ["https://b/"])) }
  }

  @Test(arguments: [
    (TokenVariant.Request(), [String]()), (TokenVariant.Request(scopes: ["read"]), []),
    (TokenVariant.Request(resources: ["https://a/"]), ["https://a/"]),
  ]) func `where the refresh token itself is narrowed, the login's resources are not repeated`(
    _ request: TokenVariant.Request, _ sent: [String]
  ) async throws {
    let session = Sample.session(provider: Sample.provider(quirks: { $0.resourceOnRefresh = false })) {
      $0.resources = ["https://a/", "https://b/"]
      $0.audience = "api"
    }
    let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient(exchange(form: [:])))
    _ = try await run(harness, request, seen: Secret("access-1").fingerprint)
    let form = FormEncoding.decode(harness.http.requests[0].text)
    #expect(form.filter { $0.name == "resource" }.map(\.value) == sent)
    #expect(form.contains { $0.name == "audience" } == request.resources.isEmpty)
    #expect(try harness.stored().resources == session.resources)
  }

  @Test(arguments: [
    (
      "read", TokenVariant.Request(),
      ["the server has taken scopes from acme/work: write; log in again to have them back"]
    ),
    ("read write more", TokenVariant.Request(), []), ("write read", TokenVariant.Request(), []),
    ("read", read, []),
    ("read write", read, ["the server gave a token of acme/work for read write, not for read"]),
    ("read", TokenVariant.Request(audience: "a"), []),
  ]) func `scopes that are other than they should be are told`(
    _ given: String, _ request: TokenVariant.Request, _ told: [String]
  ) async throws {
    let warnings = Recorder<String>()
    let reply = #"{"access_token":"access-2","token_type":"Bearer","refresh_token":"refresh-2","scope":"\#(given)"}"#
    let refresh = RefreshSession(
      store: try MemoryStore(Sample.session(tokens: Sample.tokens { $0.scope = ["read", "write"] })), lock: FakeLock(),
      network: Sample.network(FakeHTTPClient(exchange(form: [:], .json(reply)))), warn: { warnings.add($0) })
    let seen = request.isEmpty ? Secret("access-1").fingerprint : ""
    _ = try await refresh.refresh(Sample.account, seen: seen, variant: request)
    #expect(warnings.all == told)
  }

  @Test func `scopes are repeated at a refresh where the provider's data says so`() async throws {
    for (granted, sent) in [(["read"], "read"), (nil, "read write")] as [([String]?, String)] {
      let session = Sample.session(
        provider: Sample.provider(quirks: { $0.scopeOn = [.refresh] }), tokens: Sample.tokens { $0.scope = granted })
      let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient(exchange(form: ["scope": sent])))
      _ = try await run(harness, TokenVariant.Request(), seen: Secret("access-1").fingerprint)
    }
  }

  @Test func `the oldest of more than sixteen goes`() async throws {
    var session = Sample.session()
    for number in 0..<20 {
      session.take(Sample.tokens { $0.accessToken = Secret("a-\(number)") }, for: .init(audience: "\(number)"))
    }
    #expect(session.variants?.map(\.request.audience) == (4..<20).map { "\($0)" })
    session.take(Sample.tokens(), for: .init(audience: "7"))
    #expect(session.variants?.count == 16 && session.variants?.last?.request.audience == "7")
  }

  @Test func `a standing grant is redeemed for a variant, and a refusal of that marks nothing`() async throws {
    let session = Sample.session(tokens: Sample.tokens { $0.refreshToken = nil }) { session in
      session.grant = StandingGrant(id: "g-1", kind: .clientCredentials, parameters: ["x": "1", "audience": "first"])
      session.clientAuth = ClientAuthMethod.none
    }
    let form = ["grant_type": "client_credentials", "scope": "read write", "audience": "other", "x": "1"]
    let harness = RefreshHarness(
      try MemoryStore(session),
      FakeHTTPClient(
        .post(Sample.tokenURL, form: form, Sample.rotated), .post(Sample.tokenURL, .json("{}", status: 400))))
    let stored = try await run(harness, .init(audience: "other"))
    #expect(stored.tokens == session.tokens && stored.variants?.first?.tokens.refreshToken == nil)
    await #expect(throws: TokenFailure.self) { try await run(harness) }
    #expect(try harness.stored().refused == nil)
  }
}
