import Testing

@testable import OAuth

/// A key of the schema and the objects that it stands in.
struct SchemaKey: Sendable, CustomTestStringConvertible {
  let path: [String]
  let name: String
  /// The section of the man page, where it is not the last object's name.
  var section: String?
  var testDescription: String { (path + [name]).joined(separator: ".") }
}

let allSchemas: [[SchemaKey]] = [
  Provider.CodingKeys.allCases.map { SchemaKey(path: [], name: $0.stringValue) },
  Endpoints.CodingKeys.allCases.map { SchemaKey(path: ["endpoints"], name: $0.stringValue) },
  Redirect.CodingKeys.allCases.map { SchemaKey(path: ["redirect"], name: $0.stringValue) },
  Quirks.CodingKeys.allCases.map { SchemaKey(path: ["quirks"], name: $0.stringValue) },
  ExtensionGrant.CodingKeys.allCases.map {
    SchemaKey(path: ["grants", "own"], name: $0.stringValue, section: "GRANTS")
  },
  DeviceStyle.CodingKeys.allCases.map { SchemaKey(path: ["quirks", "device"], name: $0.stringValue) },
  RevocationStyle.CodingKeys.allCases.map { SchemaKey(path: ["quirks", "revocation"], name: $0.stringValue) },
  IntrospectionStyle.CodingKeys.allCases.map { SchemaKey(path: ["quirks", "introspection"], name: $0.stringValue) },
  UserinfoStyle.CodingKeys.allCases.map { SchemaKey(path: ["quirks", "userinfo"], name: $0.stringValue) },
]

let allKeys = allSchemas.flatMap(\.self).map(\.name)

struct Stray: Sendable, CustomTestStringConvertible {
  let member: String
  let key: String
  let nearest: String?
  var line = 3
  var testDescription: String { key }

  init(_ member: String, _ key: String, nearest: String?, line: Int = 3) {
    (self.member, self.key, self.nearest, self.line) = (member, key, nearest, line)
  }
}

let strays: [Stray] = [
  .init(#""scope": []"#, "scope", nearest: "scopes"), .init(#""clientId": """#, "clientId", nearest: "client_id"),
  .init(#""Client-ID": """#, "Client-ID", nearest: "client_id"), .init(#""tilte": """#, "tilte", nearest: "title"),
  .init(#""token_endpoint": """#, "token_endpoint", nearest: "endpoints.token"),
  .init(#""jwks_uri": """#, "jwks_uri", nearest: "endpoints.jwks"),
  .init(#""token": """#, "token", nearest: "endpoints.token"), .init(#""port": []"#, "port", nearest: "redirect.port"),
  .init(#""basic_raw": true"#, "basic_raw", nearest: "quirks.basic_raw"),
  .init(#""endpoints": {"authorisation": ""}"#, "endpoints.authorisation", nearest: "endpoints.authorization"),
  .init(#""endpoints": {"scopes": ""}"#, "endpoints.scopes", nearest: "scopes"),
  .init(#""grants": {"own": {"granttype": ""}}"#, "grants.own.granttype", nearest: "grants.NAME.grant_type"),
  .init(#""quirks": {"device": {"code_parm": ""}}"#, "quirks.device.code_parm", nearest: "quirks.device.code_param"),
  .init(#""quirks": {"revocation": {"aut": ""}}"#, "quirks.revocation.aut", nearest: "quirks.revocation.auth"),
  .init(#""redirect_uri": """#, "redirect_uri", nearest: "redirect"),
  .init(#""frobnicate": 1"#, "frobnicate", nearest: nil),
  .init(#""": 1"#, "", nearest: nil), .init(#""x": 1"#, "x", nearest: nil),
  .init(
    "\"notes\": [\"flavour\"],\n// \"flavour\": 1\n\"variables\": {},\n\"flavour\": 1", "flavour", nearest: nil, line: 6
  ),
]
