import Crypto
import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

/// Whose a client's secret is: at a resource, whose server may be another one any day, and in a file that somebody edits.
struct ClientOfServerTests {
  private static let here = "https://id.acme.example"
  private static let elsewhere = "https://other.example"

  private func kept(at issuer: String?) -> ClientRegistration {
    var client = ClientRegistration(id: "web", secret: Secret("kept"))
    client.server = issuer.map { ClientServer(issuer: $0) }
    return client
  }

  private func store(_ issuer: String?) throws -> MemoryStore {
    let store = MemoryStore()
    try store.put(kept(at: issuer))
    return store
  }

  /// The secret that a login for the client `web` goes on with.
  private func secret(
    _ store: MemoryStore, isForResource: Bool, variable: String? = nil, _ words: String...
  ) async throws -> Secret? {
    let harness = try CommandHarness(
      store, variables: variable.map { ["OAUTHCTL_ACME_CLIENT_SECRET": $0] } ?? [:], files: ["f": Secret("given")])
    let invocation = try CommandHarness.invocation(["login", "acme", "--client-id", "web"] + words)
    let environment = harness.environment(invocation, output: .silent)
    let provider = Sample.provider { $0.issuer = Self.here }
    return try await ClientChoice(
      environment, provider, LoginOptions(invocation, environment), isForResource: isForResource
    ).choose(stored: nil, isOptional: false).secret
  }

  @Test func `a resource's server is given what was given for its issuer`() async throws {
    #expect(try await secret(store(Self.here), isForResource: true) == Secret("kept"))
    for other in [Self.elsewhere, Self.here + "/tenant", nil] {
      let failure = await #expect(throws: Failure.self) { try await secret(store(other), isForResource: true) }
      #expect(failure?.exitCode == 78 && failure?.hint?.contains("--client-secret-file FILE") == true)
      #expect(
        try await secret(store(other), isForResource: true, "--client-secret-file", "f") == Secret("given"))
      #expect(try await secret(store(other), isForResource: true, "--client-auth", "none") == nil)
    }
  }

  @Test func `a provider that the user names is given what an older version has kept, and nothing of another's`()
    async throws
  {
    for same in [Self.here, nil] {
      #expect(try await secret(store(same), isForResource: false) == Secret("kept"))
    }
    let failure = await #expect(throws: Failure.self) { try await secret(store(Self.elsewhere), isForResource: false) }
    #expect(failure?.exitCode == 78 && failure?.message.contains(Self.elsewhere) == true)
    #expect(try await secret(store(Self.elsewhere), isForResource: false, variable: "v") == Secret("v"))
  }

  @Test func `the environment's secret is for the one issuer that is known under the name`() async throws {
    #expect(try await secret(MemoryStore(), isForResource: true, variable: "v") == Secret("v"))
    #expect(try await secret(store(Self.here), isForResource: true, variable: "v") == Secret("v"))
    let session = MemoryStore()
    try session.put(Sample.session { $0.provider.issuer = Self.elsewhere })
    for other in [session, try store(Self.elsewhere)] {
      let failure = await #expect(throws: Failure.self) {
        try await secret(other, isForResource: true, variable: "v", "--client-secret-file", "f")
      }
      #expect(failure?.exitCode == 78 && failure?.message.contains("OAUTHCTL_ACME_CLIENT_SECRET") == true)
      #expect(try await secret(session, isForResource: false, variable: "v") == Secret("v"))
    }
  }

  @Test func `a client of another server is not offered`() async throws {
    for (issuer, isForResource, isKnown) in [
      (Self.here, true, true), (Self.elsewhere, true, false), (Self.here, false, true), (Self.elsewhere, false, false),
    ] {
      let environment = try CommandHarness(store(issuer)).environment("login", "acme")
      let options = try LoginOptions(CommandHarness.invocation(["login", "acme"]), environment)
      let provider = Sample.provider { $0.issuer = Self.here }
      let choice = ClientChoice(environment, provider, options, isForResource: isForResource)
      #expect(try await choice.knownID(nil) == (isKnown ? "web" : nil))
    }
  }

  @Test func `a secret that is given is not put aside for what was chosen without one`() async throws {
    let store = MemoryStore()
    try store.put(ClientRegistration(id: "web", method: ClientAuthMethod.none))
    #expect(try await secret(store, isForResource: false, "--client-secret-file", "f") == Secret("given"))
    #expect(try await secret(store, isForResource: false, variable: "v") == Secret("v"))
    for method in ["none", "tls", "private-key-jwt"] {
      let failure = await #expect(throws: Failure.self) {
        try await secret(store, isForResource: false, "--client-secret-file", "f", "--client-auth", method)
      }
      #expect(failure?.exitCode == 64)
    }
  }
}
