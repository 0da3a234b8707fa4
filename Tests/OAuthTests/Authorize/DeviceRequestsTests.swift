import Crypto
import Foundation
import Testing

@testable import OAuth

/// The two requests of a device login.
@Suite struct DeviceRequestsTests {
  private static let stamp = RequestStamp(now: Date(timeIntervalSince1970: 1_700_000_000), id: "id-1")

  private static func client(
    _ id: String = "app", secret: String? = nil, method: ClientAuthMethod? = nil,
    _ change: (inout Provider) -> Void = { _ in }
  ) -> RequestingClient {
    var provider = Provider(name: "acme")
    change(&provider)
    return RequestingClient(
      provider: provider, registration: ClientRegistration(id: id, secret: secret.map { Secret($0) }, method: method))
  }

  private static func begin(
    _ client: RequestingClient, scopes: [String] = [], extra: [Parameter] = []
  ) throws -> HTTPRequest {
    try DeviceAuthorization.request(
      endpoint: "https://a.example/device", as: client, scopes: scopes, extra: extra, stamp: stamp)
  }

  private static func poll(
    _ client: RequestingClient, code: String = "d-1", scopes: [String] = ["a", "b"], extra: [Parameter] = []
  ) throws -> HTTPRequest {
    let authorization = DeviceAuthorization(
      deviceCode: Secret(code), userCode: "U-1", verificationURI: "https://a.example/d", verificationURIComplete: nil,
      expiresAt: stamp.now.addingTimeInterval(600), interval: 5, message: nil)
    return try authorization.poll(
      endpoint: "https://a.example/token", as: client, scopes: scopes, extra: extra, stamp: stamp)
  }

  private static func fields(_ request: HTTPRequest) -> [String: String] {
    let parameters = FormEncoding.decode(request.body?.reveal() ?? "")
    #expect(Set(parameters.map(\.name)).count == parameters.count, "a parameter is there twice")
    return Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// RFC 8628 sections 3.1 and 3.4.
  @Test func `the examples of RFC 8628 are made`() throws {
    let first = try Self.begin(Self.client("1406020730"), scopes: ["example_scope"])
    #expect(first.method == .post && first.url == "https://a.example/device")
    #expect(first.headers.contains(HTTPHeader("Content-Type", "application/x-www-form-urlencoded")))
    #expect(Self.fields(first) == ["client_id": "1406020730", "scope": "example_scope"])
    let poll = try Self.poll(Self.client("1406020730"), code: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS")
    #expect(poll.method == .post && poll.url == "https://a.example/token")
    let example =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
      + "&device_code=GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS&client_id=1406020730"
    #expect(poll.body?.reveal() == example)
  }

  @Test func `scopes are joined as the provider wants them, and none leave the parameter out`() throws {
    #expect(try Self.fields(Self.begin(Self.client(), scopes: [])) == ["client_id": "app"])
    let commas = Self.client { $0.scopeSeparator = "," }
    #expect(try Self.fields(Self.begin(commas, scopes: ["a", "b"]))["scope"] == "a,b")
  }

  @Test(
    arguments: [
      (nil, true), ([SecretStep.device], true), ([.code, .refresh], false), ([], false),
    ] as [([SecretStep]?, Bool)])
  func `the secret goes along where the provider's data says so`(_ steps: [SecretStep]?, _ isSent: Bool) throws {
    let client = Self.client(secret: "s", method: .post) { provider in
      provider.quirks = Quirks()
      provider.quirks?.secretOn = steps
    }
    for request in [try Self.begin(client), try Self.poll(client)] {
      #expect(
        Self.fields(request)["client_secret"] == (isSent ? "s" : nil) && Self.fields(request)["client_id"] == "app")
    }
  }

  @Test func `the provider's parameters go along, and the user's win`() throws {
    let client = Self.client { provider in
      provider.deviceParams = ["response_type": "device_code", "audience": "theirs"]
      provider.tokenParams = ["x": "1", "y": "1"]
    }
    let first = try Self.fields(Self.begin(client, extra: [Parameter("audience", "mine")]))
    #expect(first == ["client_id": "app", "response_type": "device_code", "audience": "mine"])
    let poll = try Self.fields(Self.poll(client, extra: [Parameter("y", "2")]))
    #expect(poll["x"] == "1" && poll["y"] == "2" && poll["response_type"] == nil)
  }

  @Test func `a provider's own way is taken`() throws {
    let client = Self.client { provider in
      provider.quirks = Quirks()
      provider.quirks?.device = DeviceStyle()
      provider.quirks?.device?.grantType = "device"
      provider.quirks?.device?.codeParam = "code"
      provider.quirks?.device?.userCodeParam = "user_code"
      provider.quirks?.device?.scopeParam = "scopes"
    }
    #expect(try Self.fields(Self.begin(client, scopes: ["a", "b"])) == ["client_id": "app", "scopes": "a b"])
    #expect(
      try Self.fields(Self.poll(client)) == [
        "grant_type": "device", "code": "d-1", "user_code": "U-1", "scopes": "a b", "client_id": "app",
      ])
  }

  @Test func `a poll is JSON where the provider's token requests are`() throws {
    let client = Self.client { provider in
      provider.quirks = Quirks()
      provider.quirks?.tokenRequest = .json
    }
    let request = try Self.poll(client)
    #expect(request.headers.contains(HTTPHeader("Content-Type", "application/json")))
    #expect(JSONValue(parsing: (request.body?.reveal() ?? "").utf8)?.members?["device_code"] == .string("d-1"))
  }

  @Test func `a bound login proves its key when it asks for tokens, and not before`() throws {
    var client = Self.client()
    client.binding = DPoPBinding(key: try PrivateKey.generate().pem())
    #expect(try !Self.begin(client).headers.contains { $0.name == "DPoP" })
    #expect(try Self.poll(client).headers.contains { $0.name == "DPoP" })
  }

  /// Each provider's device login, as its data has it.
  @Test func `the catalogue's device logins are complete`() throws {
    let found = ProviderCatalog.load().filter { $0.endpoints?.deviceAuthorization != nil }
    #expect(found.count >= 20)
    for provider in found {
      let client = RequestingClient(provider: provider, registration: ClientRegistration(id: "app", method: .post))
      let request = try DeviceAuthorization.request(
        endpoint: "https://a.example/device", as: client, scopes: provider.scopes ?? [], stamp: Self.stamp)
      #expect(request.method == .post, "\(provider.name)")
      let style = provider.effectiveQuirks.device
      let isOwn = style?.grantType != nil || style?.codeParam != nil || style?.statusErrors != nil
      #expect(isOwn || provider.endpoints?.deviceToken == nil, "\(provider.name): where are its polls judged?")
    }
  }
}
