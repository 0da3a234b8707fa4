import Crypto
import Flows
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands

/// What is left of a client that this program registered, once the server has ended it.
struct ForgetClientTests {
  private static let uri = "https://id.acme.example/register/c-1"
  private static let file = """
    {
      // the one at work
      "name": "acme",
      "client_id": "c-1", // registered
      "issuer": "https://id.acme.example"
    }

    """
  private static let without = file.replacing(#""client_id": "c-1","#, with: "")

  private func harness(_ file: String = file, managed: Bool = true, answers status: Int? = 204) throws -> CommandHarness
  {
    let store = MemoryStore()
    var client = ClientRegistration(id: "c-1", method: ClientAuthMethod.none)
    if managed {
      client.management = RegistrationManagement(uri: Self.uri, token: Secret("reg-1"), redirectURIs: [])
    }
    try store.put(client)
    let http =
      status.map { status in FakeHTTPClient(Exchange(.delete, Self.uri) { _ in .text("", status: status) }) }
      ?? FakeHTTPClient()
    let harness = try CommandHarness(store, http: http)
    try harness.addFile("acme", file)
    return harness
  }

  private func text(_ harness: CommandHarness) -> String? { harness.folder.read("oauthctl/providers/acme.json") }

  @Test(arguments: [204, 401, 404]) func `the file that names it names none, and is else as it was`(_ status: Int)
    async throws
  {
    let harness = try harness(answers: status)
    let path = harness.folder.path + "/oauthctl/providers/acme.json"
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let outcome = try await harness.run("logout", "acme", "--forget-client")
    #expect(outcome.code == 0 && text(harness) == Self.without)
    #expect(outcome.messages.contains("oauthctl: took its id out of \(path)"))
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    #expect(try harness.environment("login", "acme").providers.find("acme")?.provider.clientID == nil)
  }

  @Test func `a client that may be there yet stays in the file`() async throws {
    for harness in [try harness(answers: 403), try harness(managed: false, answers: nil)] {
      #expect(try await harness.run("logout", "acme", "--forget-client").code == 0)
      #expect(text(harness) == Self.file)
    }
    let local = try harness(answers: nil)
    #expect(try await local.run("logout", "acme", "--forget-client", "--local").code == 0)
    #expect(text(local) == Self.file)
  }

  @Test func `another client's file is nobody's business`() async throws {
    let other = Self.file.replacing("c-1", with: "mine")
    let harness = try harness(other)
    #expect(try await harness.run("logout", "acme", "--forget-client").code == 0)
    #expect(text(harness) == other)
  }

  @Test func `a file that cannot be changed with certainty is left alone, and its line is named`() async throws {
    let escaped = Self.file.replacing("client_id", with: "client\\u005fid")
    let odd = try harness(escaped)
    let outcome = try await odd.run("logout", "acme", "--forget-client")
    #expect(outcome.code == 0 && text(odd) == escaped)
    #expect(outcome.messages.contains { $0.contains("acme.json still names the client c-1, which is no more") })
    let linked = try harness()
    let path = linked.folder.path + "/oauthctl/providers/acme.json"
    try FileManager.default.moveItem(atPath: path, toPath: linked.folder.path + "/real.json")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: linked.folder.path + "/real.json")
    let link = try await linked.run("logout", "acme", "--forget-client")
    #expect(link.messages.contains { $0.contains("acme.json (line 4) still names the client c-1") })
    #expect(linked.folder.read("real.json") == Self.file)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == linked.folder.path + "/real.json")
  }

  @Test func `a registration whose file cannot be written is ended, and one that is written is named`() async throws {
    let register = "https://id.acme.example/register"
    let reply =
      #"{"client_id":"c-1","registration_client_uri":"\#(Self.uri)","registration_access_token":"reg-1"}"#
    let words = [
      "providers", "add", "acme", "--authorization-endpoint", "https://id.acme.example/authorize", "--token-endpoint",
      "https://id.acme.example/token", "--registration-endpoint", register, "--register", "--json",
    ]
    let good = try CommandHarness(http: FakeHTTPClient(.post(register, .json(reply, status: 201))))
    let outcome = try await good.run(words: words)
    #expect(outcome.output == #"{"client_id":"c-1","name":"acme","result":"ok"}"# + "\n")
    let folder = Shared<TestFolder?>(nil)
    let bad = try CommandHarness(
      http: FakeHTTPClient(
        Exchange(.post, register) { _ in
          try folder.value?.write("a file in the folder's place", to: "oauthctl/providers")
          return .json(reply, status: 201)
        }, Exchange(.delete, Self.uri) { _ in .text("", status: 204) }))
    folder.value = bad.folder
    #expect(try await bad.run(words: words).code != 0)
    #expect(bad.store.items.isEmpty)
  }
}
