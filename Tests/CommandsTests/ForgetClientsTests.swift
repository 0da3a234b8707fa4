import Crypto
import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

/// The further clients of a provider that `logout --forget-client` ends.
@Suite(.timeLimit(.minutes(1))) struct ForgetClientsTests {
  private static func uri(_ id: String) -> String { "https://id.acme.example/register/\(id)" }

  private static func put(_ store: MemoryStore, _ ids: String...) throws {
    for id in ids {
      var client = ClientRegistration(id: id, method: ClientAuthMethod.none)
      client.management = RegistrationManagement(uri: uri(id), token: Secret("reg-\(id)"), redirectURIs: [])
      try store.put(client)
    }
  }

  private static func delete(_ id: String, _ status: Int = 204) -> Exchange {
    Exchange(.delete, uri(id)) { _ in .text("", status: status) }
  }

  private static let revocations: [Exchange] = ["refresh-1", "access-1"].map {
    .post(Sample.revocationURL, form: ["token": $0], .text(""))
  }

  private func clients(_ store: MemoryStore) throws -> [String] { try ClientStore(store).ids(provider: "acme") }

  @Test func `a client that fails does not stop the others, and is told`() async throws {
    let store = MemoryStore()
    try Self.put(store, "a", "b", "c")
    let http = FakeHTTPClient(Self.delete("a", 503), Self.delete("b"), Self.delete("c"))
    let outcome = try await CommandHarness(store, http: http).run("logout", "acme", "--forget-client")
    #expect(outcome.code == 75 && outcome.messages.joined().contains("the client a of acme is still registered"))
    #expect(try clients(store) == ["a"])
  }

  @Test func `each that fails is told`() async throws {
    let store = MemoryStore()
    try Self.put(store, "a", "b", "c")
    let http = FakeHTTPClient(Self.delete("a", 503), Self.delete("b"), Self.delete("c", 503))
    let outcome = try await CommandHarness(store, http: http).run("logout", "acme", "--forget-client", "--json")
    #expect(outcome.code == 75)
    for id in ["a", "c"] {
      #expect(outcome.messages.contains { $0.contains("the client \(id) of acme is still registered") })
    }
    #expect(outcome.json?.members?["clients"] == .integer(1))
    #expect(try clients(store) == ["a", "c"])
  }

  @Test func `with an account logged out, registrations that nothing needs are ended too`() async throws {
    let store = try MemoryStore(
      Sample.session(), Sample.session { ($0.account, $0.clientID) = ("home", "used") })
    try Self.put(store, "app", "used", "left", "over")
    try store.put(ClientRegistration(id: "given", secret: Secret("s")))
    let http = FakeHTTPClient(
      Self.revocations[0], Self.revocations[1], Self.delete("app"), Self.delete("left", 503), Self.delete("over"))
    let outcome = try await CommandHarness(store, http: http).run("logout", "acme/work", "--forget-client")
    #expect(outcome.code == 75 && outcome.messages.joined().contains("the client left of acme is still registered"))
    // One that a person has given, and one that an account needs, stay.
    #expect(try clients(store) == ["given", "left", "used"])
  }

  @Test func `without the server none is forgotten that only the server could end`() async throws {
    let store = try MemoryStore(Sample.session())
    try Self.put(store, "app", "left")
    #expect(try await CommandHarness(store).run("logout", "acme/work", "--forget-client", "--local").code == 0)
    #expect(try clients(store) == ["left"])
  }
}
