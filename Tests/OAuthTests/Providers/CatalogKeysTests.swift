import Foundation
import Testing

@testable import OAuth

/// The keys of the schema and the entries of the catalogue need each other.
@Suite struct CatalogKeysTests {
  /// What belongs to a client, an account or a user's wish rather than to a provider that everybody can use.
  static let ofOneUser: Set = [
    "client_id", "client_auth_alg", "audience", "resource", "par", "request_object", "response_mode", "dpop",
    "refresh_params", "pkce", "registration",
    "endpoints.refresh", "endpoints.registration", "redirect.path", "quirks.basic_raw", "quirks.basic_charset",
    "quirks.field_aliases", "quirks.expires_in_unit", "quirks.assume_unexpired", "quirks.secret_on",
    "quirks.resource_on_refresh",
  ]

  @Test(arguments: allSchemas.flatMap(\.self)) func `a key of what providers do is used by one of them`(
    _ key: SchemaKey
  ) throws {
    let isUsed = try CatalogTests.all.contains { provider in
      let json = try JSONSerialization.jsonObject(with: Data(ProviderFile.write(provider).utf8))
      return Self.has(json, key.section == "GRANTS" ? ["grants", "*"] : key.path, key.name)
    }
    let name = (key.path + [key.name]).joined(separator: ".")
    #expect(isUsed != Self.ofOneUser.contains(name), "\(name)")
  }

  @Test func `an entry offers what its endpoints make possible`() {
    for provider in CatalogTests.all {
      let flows = provider.effectiveFlows
      #expect(flows.contains(.code), "\(provider.name)")
      #expect(flows.contains(.device) == (provider.endpoints?.deviceAuthorization != nil), "\(provider.name)")
      #expect(Set(flows).count == flows.count)
      #expect(provider.flowNames.starts(with: flows.map(\.rawValue)))
    }
  }

  @Test func `a grant of one provider is known by name`() throws {
    let found = CatalogTests.all.flatMap { provider in (provider.grants ?? [:]).map { (provider, $0.key, $0.value) } }
    #expect(found.contains { $0.2.neededParams.isEmpty } && found.contains { $0.2.neededParams == ["account_id"] })
    for (provider, name, grant) in found {
      #expect(provider.flowNames.contains(name) && !grant.grantType.isEmpty)
      #expect((provider.notes ?? []).contains { $0.contains("--flow \(name)") }, "nobody says what \(name) is")
    }
  }

  private static func has(_ json: Any?, _ path: [String], _ name: String) -> Bool {
    guard let object = json as? [String: Any] else { return false }
    guard let first = path.first else { return object[name] != nil }
    if first == "*" { return object.values.contains { has($0, Array(path.dropFirst()), name) } }
    return has(object[first], Array(path.dropFirst()), name)
  }
}
