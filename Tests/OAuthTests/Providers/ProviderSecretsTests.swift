import Testing

@testable import OAuth

/// What in a provider's data looks like a secret.
struct ProviderSecretsTests {
  @Test func `names of credentials are told, ordinary ones are not`() {
    var provider = Provider(name: "acme")
    #expect(provider.secretParameters.isEmpty)
    provider.headers = [
      "X-Api-Key": "hush", "Authorization": "Basic eA==", "Accept": "text/plain", "X-Empty-Token": "",
    ]
    provider.tokenParams = ["password": "hush", "state": "x", "resource": "https://r.example"]
    provider.authorizationParams = ["prompt": "consent", "nonce": "n"]
    provider.deviceParams = ["response_type": "device_code", "client_secret": "hush"]
    provider.grants = ["own": ExtensionGrant(grantType: "own", params: ["password": "hush", "device_id": "x"])]
    var quirks = Quirks()
    quirks.userinfo = UserinfoStyle()
    quirks.userinfo?.headers = ["X-Api-Key": "hush", "Accept": "text/plain"]
    provider.quirks = quirks
    #expect(
      provider.secretParameters == [
        "token_params.password", "device_params.client_secret", "headers.Authorization", "headers.X-Api-Key",
        "quirks.userinfo.headers.X-Api-Key", "grants.own.params.password",
      ])
  }

  @Test func `no provider of the catalogue has one`() {
    for provider in ProviderCatalog.load() { #expect(provider.secretParameters.isEmpty, "\(provider.name)") }
  }
}
