import Foundation
import Testing

@testable import OAuth

@Suite struct CatalogTests {
  static let all = ProviderCatalog.load()
  static let names = all.map(\.name)

  /// Providers whose endpoints stand in more than one domain, each looked up by hand.
  static let domains: [String: Set<String>] = [
    "atlassian": ["atlassian.com"],
    "cognito": ["{domain}", "amazonaws.com"],
    "dropbox": ["dropbox.com", "dropboxapi.com"],
    "google": ["google.com", "googleapis.com"],
    "hubspot": ["hubspot.com", "hubapi.com"],
    "microsoft": ["microsoftonline.com", "microsoft.com"],
    "yandex": ["yandex.com", "yandex.ru"],
  ]

  @Test func `the catalogue is there, and what a person asks for first is in it`() {
    let names = Self.names
    #expect(names == names.sorted() && Set(names).count == names.count)
    let required: Set = [
      "github", "gitlab", "google", "microsoft", "bitbucket", "dropbox", "discord", "spotify", "slack", "oidc",
    ]
    #expect(required.isSubset(of: names), "missing: \(required.subtracting(names))")
    #expect(names.count >= 40)
  }

  @Test func `the file itself is in order and holds no key that the schema does not have`() throws {
    let file = Repository.root.appending(path: "Sources/OAuth/Providers/providers.json")
    let entries = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]])
    #expect(entries.map { $0["name"] as? String } == Self.all.map(\.name))
    for (entry, loaded) in zip(entries, Self.all) {
      let provider = try ProviderFile.read(Array(JSONSerialization.data(withJSONObject: entry)))
      #expect(provider == loaded)
    }
  }

  @Test(arguments: names) func `an entry survives being written as a file`(_ name: String) throws {
    let provider = try Self.provider(name)
    try ProviderSchema.validate(provider)
    let text = ProviderFile.write(provider)
    #expect(try ProviderFile.read(Array(text.utf8)) == provider)
    #expect(text.hasSuffix("}\n") && !text.contains("\\/"))
  }

  @Test(arguments: names) func `an entry tells a person what to do`(_ name: String) throws {
    let provider = try Self.provider(name)
    let notes = provider.notes ?? []
    #expect(provider.title?.isEmpty == false && !notes.isEmpty)
    #expect(provider.registerURL != nil || provider.issuer != nil)
    #expect(notes.allSatisfy { !$0.isEmpty && $0.count <= 160 && !$0.contains("\n") })
    if provider.clientAuth != nil {
      #expect(
        notes.contains { $0.contains("secret is needed") || $0.contains("client secret") }, "the secret is a surprise")
    }
    let redirect = provider.redirect ?? Redirect()
    for port in redirect.effectivePorts {
      // Two providers take any loopback address without its being registered.
      if port == 0, ["google", "strava"].contains(provider.name) { continue }
      let authority = redirect.effectiveHost + (port == 0 ? "" : ":\(port)")
      let url = "http://\(authority)\(redirect.effectivePath)"
      #expect(notes.contains { $0.contains(url) }, "nobody says to register \(url)")
    }
  }

  @Test(arguments: names) func `an entry holds nobody's client`(_ name: String) throws {
    let provider = try Self.provider(name)
    #expect(provider.clientID == nil)
    let params = [provider.authorizationParams, provider.tokenParams, provider.refreshParams, provider.headers]
    #expect(params.compactMap { $0 }.flatMap(\.values).allSatisfy { $0.count < 20 }, "as long as a key")
  }

  @Test(arguments: names) func `an entry's URLs are https and belong together`(_ name: String) throws {
    let provider = try Self.provider(name)
    let endpoints = Endpoints.all.compactMap { provider.endpoints?[keyPath: $0.keyPath] }
    for url in endpoints + [provider.issuer, provider.registerURL].compactMap({ $0 }) where !url.hasPrefix("{") {
      #expect(url.hasPrefix("https://"), "\(url)")
    }
    let found = Set((endpoints + [provider.issuer].compactMap { $0 }).map(Self.domain))
    let allowed = Self.domains[provider.name]
    #expect(found == (allowed ?? found) && (allowed != nil || found.count == 1), "\(found)")
    #expect(provider.issuer != nil || (provider.endpoints?.authorization != nil && provider.endpoints?.token != nil))
  }

  @Test(arguments: names) func `an entry asks for its variables by name, then is complete`(_ name: String) throws {
    let provider = try Self.provider(name)
    let needed = (provider.variables ?? [:]).filter(\.value.isEmpty).keys.sorted()
    var values = Dictionary(uniqueKeysWithValues: needed.map { ($0, "value") })
    for name in ["base_url", "issuer"] where values[name] != nil { values[name] = "https://sso.example.com/" }
    for name in ["domain", "host"] where values[name] != nil { values[name] = "sso.example.com" }
    for name in needed {
      var incomplete = values
      incomplete[name] = nil
      let error = #expect(throws: ProviderError.self) { try provider.filling(incomplete) }
      #expect(error == .missingVariable(name, provider: provider.name))
    }
    let filled = try provider.filling(values)
    let urls = Endpoints.all.compactMap { filled.endpoints?[keyPath: $0.keyPath] } + [filled.issuer].compactMap { $0 }
    for url in urls + [filled.registerURL].compactMap({ $0 }) {
      let rest = url.replacing("{client_id}", with: "x")
      #expect(!rest.contains("{") && !rest.dropFirst(8).contains("//"), "\(url)")
    }
    let error = #expect(throws: ProviderError.self) { try provider.filling(["no_such": "x"]) }
    #expect(
      error == .unknownVariable("no_such", provider: provider.name, known: (provider.variables ?? [:]).keys.sorted()))
  }

  @Test func `an entry that asks for openid can check who signed the answer`() {
    // Where neither is there, the tenant decides who the issuer is: nobody can know it beforehand.
    for provider in Self.all where provider.scopes?.contains("openid") == true {
      #expect(provider.issuer != nil || provider.endpoints?.jwks != nil, "\(provider.name)")
    }
  }

  private static func provider(_ name: String) throws -> Provider { try #require(all.first { $0.name == name }) }

  /// The last two labels of the host, or the whole of what a variable stands for.
  private static func domain(_ url: String) -> String {
    if url.hasPrefix("{") { return String(url.prefix { $0 != "/" }) }
    let host = url.dropFirst("https://".count).prefix { $0 != "/" }
    if host.hasPrefix("{") { return String(host) }
    return host.split(separator: ".").suffix(2).joined(separator: ".")
  }
}
