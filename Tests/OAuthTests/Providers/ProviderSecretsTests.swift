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
    #expect(provider.secretParameters == ["token_params.password", "headers.Authorization", "headers.X-Api-Key"])
  }

  @Test func `no provider of the catalogue has one`() {
    for provider in ProviderCatalog.load() { #expect(provider.secretParameters.isEmpty, "\(provider.name)") }
  }
}
