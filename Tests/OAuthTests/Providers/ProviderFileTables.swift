import Testing

@testable import OAuth

/// A key of the schema and the objects that it stands in.
struct SchemaKey: Sendable, CustomTestStringConvertible {
  let path: [String]
  let name: String
  var testDescription: String { (path + [name]).joined(separator: ".") }
}

let allSchemas: [[SchemaKey]] = [
  Provider.CodingKeys.allCases.map { SchemaKey(path: [], name: $0.stringValue) },
  Endpoints.CodingKeys.allCases.map { SchemaKey(path: ["endpoints"], name: $0.stringValue) },
  Redirect.CodingKeys.allCases.map { SchemaKey(path: ["redirect"], name: $0.stringValue) },
  Quirks.CodingKeys.allCases.map { SchemaKey(path: ["quirks"], name: $0.stringValue) },
  RevocationStyle.CodingKeys.allCases.map { SchemaKey(path: ["quirks", "revocation"], name: $0.stringValue) },
]

let allKeys = allSchemas.flatMap(\.self).map(\.name)

struct Refusal: Sendable, CustomTestStringConvertible {
  let bytes: [UInt8]
  let key: String
  let problem: String
  let line: Int?
  var testDescription: String { "\(key) \(problem.prefix(40))" }

  init(_ member: String, _ key: String, _ problem: String, line: Int? = 3) {
    (bytes, self.key, self.problem, self.line) = (SampleFile.with(member), key, problem, line)
  }

  init(file: String, _ key: String, _ problem: String, line: Int?) {
    (bytes, self.key, self.problem, self.line) = (Array(file.utf8), key, problem, line)
  }
}

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
  .init(#""quirks": {"revocation": {"aut": ""}}"#, "quirks.revocation.aut", nearest: "quirks.revocation.auth"),
  .init(#""redirect_uri": """#, "redirect_uri", nearest: "redirect"),
  .init(#""frobnicate": 1"#, "frobnicate", nearest: nil),
  .init(#""": 1"#, "", nearest: nil), .init(#""x": 1"#, "x", nearest: nil),
  .init(
    "\"notes\": [\"flavour\"],\n// \"flavour\": 1\n\"variables\": {},\n\"flavour\": 1", "flavour", nearest: nil, line: 6
  ),
]

let refusals: [Refusal] = [
  .init(file: "[]", "", "a provider file holds one JSON object", line: 1),
  .init(file: "\n\n\"x\"", "", "a provider file holds one JSON object", line: 3),
  .init(file: "{}", "name", "is missing", line: nil),
  .init(file: "{\n\"name\": 1}", "name", "must be a string", line: 2),
  .init(file: #"{"name": ""}"#, "name", Name.rule, line: 1),
  .init(file: #"{"name": "a/b"}"#, "name", Name.rule, line: 1),
  .init(#""name": "x""#, "name", "is there twice"),
  .init(#""quirks": {"ok_field": "a", "ok_field": "b"}"#, "quirks.ok_field", "is there twice"),
  .init(#""scopes": "read""#, "scopes", "must be a list of strings"),
  .init(#""scopes": [1]"#, "scopes", "must be a list of strings"),
  .init(#""scopes": ["a b"]"#, "scopes", "must hold one scope an element"),
  .init(#""scopes": ["a,b"], "scope_separator": ",""#, "scopes", "must hold one scope an element"),
  .init(#""client_auth": "Basic""#, "client_auth", "must be one of none, basic, post"),
  .init(#""client_auth": true"#, "client_auth", "must be one of none, basic, post"),
  .init(#""client_id": "a\nb""#, "client_id", "must be printable ASCII"),
  .init(#""pkce": "s256""#, "pkce", "must be one of S256, plain, none"),
  .init(#""scope_separator": """#, "scope_separator", "must be one to three printable characters"),
  .init(#""scope_separator": "\n""#, "scope_separator", "must be one to three printable characters"),
  .init(#""headers": {"a": 1}"#, "headers", "must be an object whose values are strings"),
  .init(
    #""headers": {"a b": "c"}"#, "headers.a b",
    "must be a header line: a name without spaces, a value without line breaks"),
  .init(
    #""headers": {"a": "b\r\nc: d"}"#, "headers.a",
    "must be a header line: a name without spaces, a value without line breaks"),
  .init(#""headers": {"Authorization": "x"}"#, "headers.Authorization", "is set by oauthctl itself"),
  .init(#""authorization_params": {"state": "x"}"#, "authorization_params.state", "is set by oauthctl itself"),
  .init(#""authorization_params": {"scope": "x"}"#, "authorization_params.scope", "is set by scopes"),
  .init(#""token_params": {"redirect_uri": "x"}"#, "token_params.redirect_uri", "is set by oauthctl itself"),
  .init(#""refresh_params": {"refresh_token": "x"}"#, "refresh_params.refresh_token", "is set by oauthctl itself"),
  .init("\"endpoints\": {\n\"token\": \"http://a.example\"}", "endpoints.token", WebURL.rule, line: 4),
  .init(#""endpoints": {"token": "https://a.example/#x"}"#, "endpoints.token", "must have no fragment"),
  .init(
    #""endpoints": {"token": "https://a.example/{client_id}"}"#, "endpoints.token",
    "cannot hold {client_id}: that is for revocation alone"),
  .init(
    #""endpoints": {"token": "https://a.example/{"}"#, "endpoints.token",
    "has braces that hold no name: a variable's name must be 1 to 32 of a-z A-Z 0-9 _"),
  .init(#""endpoints": []"#, "endpoints", "must be an object"),
  .init(#""issuer": "https://a.example/?x""#, "issuer", "must have no query"),
  .init(#""issuer": "a.example""#, "issuer", WebURL.rule),
  .init(#""register_url": "example""#, "register_url", WebURL.rule),
  .init(#""variables": {"a-b": ""}"#, "variables.a-b", Template.rule),
  .init(#""variables": {"a": "b c"}"#, "variables.a", "must be part of a URL"),
  .init(#""variables": {"a": ""}"#, "variables.a", "is a variable that no URL has a place for: {a}"),
  .init(#""redirect": {"host": "example.com"}"#, "redirect.host", "must be one of 127.0.0.1, localhost, [::1]"),
  .init(#""redirect": {"port": 8085}"#, "redirect.port", "must be a list of port numbers"),
  .init(#""redirect": {"port": [1.0e3]}"#, "redirect.port", "must be a list of port numbers"),
  .init(#""redirect": {"port": [1.5]}"#, "redirect.port", "must be a list of port numbers"),
  .init(#""redirect": {"port": [1e999]}"#, "redirect.port", "must be a list of port numbers"),
  .init(#""redirect": {"port": [99999999999999999999999]}"#, "redirect.port", "must be a list of port numbers"),
  .init(#""redirect": {"port": [65536]}"#, "redirect.port", "must be a list of 1 to 100 ports from 0 to 65535"),
  .init(#""redirect": {"port": [-1]}"#, "redirect.port", "must be a list of 1 to 100 ports from 0 to 65535"),
  .init(#""redirect": {"port": []}"#, "redirect.port", "must be a list of 1 to 100 ports from 0 to 65535"),
  .init(#""redirect": {"path": "cb"}"#, "redirect.path", "must begin with a slash and have no query"),
  .init(#""redirect": {"path": "/cb?a"}"#, "redirect.path", "must begin with a slash and have no query"),
  .init(#""quirks": {"basic_raw": "yes"}"#, "quirks.basic_raw", "must be true or false"),
  .init(#""quirks": {"token_request": "xml"}"#, "quirks.token_request", "must be one of form, json, query"),
  .init(#""quirks": {"expires_in_unit": "h"}"#, "quirks.expires_in_unit", "must be one of s, ms"),
  .init(#""quirks": {"secret_on": ["login"]}"#, "quirks.secret_on", "must be a list of code, refresh, device"),
  .init(#""quirks": {"scope_param": ""}"#, "quirks.scope_param", "must be a name"),
  .init(
    #""quirks": {"error_aliases": {"a": "bad"}}"#, "quirks.error_aliases.a",
    "must be one of access_denied, authorization_pending, consent_required, expired_token, interaction_required, "
      + "invalid_client, invalid_grant, invalid_request, invalid_scope, invalid_target, login_required, server_error, "
      + "slow_down, temporarily_unavailable, unauthorized_client, unsupported_grant_type"),
  .init(#""quirks": {"revocation": {"tokens": []}}"#, "quirks.revocation.tokens", "must name a token"),
  .init(
    #""quirks": {"revocation": {"body": "none"}}"#, "quirks.revocation.body", "sends no token unless auth is bearer"),
  .init(
    #""quirks": {"revocation": {"body": "none", "auth": "bearer"}}"#, "quirks.revocation",
    "authenticates by the access token: tokens must be [\"access\"]"),
]
