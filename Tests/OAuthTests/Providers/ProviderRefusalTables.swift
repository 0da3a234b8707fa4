import Testing

@testable import OAuth

/// A file that is refused: the key that is named, what is said about it, and its line.
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
  .init(
    #""client_auth": "Basic""#, "client_auth",
    "must be one of none, basic, post, client-secret-jwt, private-key-jwt, tls"),
  .init(
    #""client_auth": true"#, "client_auth", "must be one of none, basic, post, client-secret-jwt, private-key-jwt, tls"),
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
  .init(#""registration": "x""#, "registration", "must be an object"),
  .init(#""registration": {"": 1}"#, "registration", "must name each member"),
  .init(#""registration": {"scope": "x"}"#, "registration.scope", "is set by scopes"),
  .init(#""registration": {"jwks": {}}"#, "registration.jwks", "is set by oauthctl itself"),
  .init(
    #""registration": {"software_statement": "x"}"#, "registration.software_statement",
    "is given with --software-statement-file"),
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
  .init(
    #""client_auth_alg": "none""#, "client_auth_alg",
    "must be one of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA"),
  .init(
    #""client_auth": "client-secret-jwt", "client_auth_alg": "RS256""#, "client_auth_alg",
    "must be HS256, HS384 or HS512: a secret is no private key"),
  .init(
    #""client_auth": "private-key-jwt", "client_auth_alg": "HS256""#, "client_auth_alg",
    "is not for a private key: HS256 takes a secret"),
  .init(
    #""client_auth": "post", "client_auth_alg": "RS256""#, "client_auth_alg",
    "is for client-secret-jwt and private-key-jwt alone"),
  .init(#""flows": []"#, "flows", "must name a flow"),
  .init(
    #""flows": ["refresh"]"#, "flows",
    "must be a list of code, device, client-credentials, password, implicit, jwt-bearer, token-exchange, "
      + "refresh-token"),
  .init(#""audience": "a b""#, "audience", "must be a name without spaces"),
  .init(#""resource": ["api"]"#, "resource", "must be a list of absolute URIs without a fragment"),
  .init(#""resource": ["https://a.example/#x"]"#, "resource", "must be a list of absolute URIs without a fragment"),
  .init(#""par": "yes""#, "par", "must be true or false"),
  .init(#""device_params": {"client_id": "x"}"#, "device_params.client_id", "is set by oauthctl itself"),
  .init(#""device_params": {"scope": "x"}"#, "device_params.scope", "is set by scopes"),
  .init(
    #""device_params": {"scopes": "x"}, "quirks": {"device": {"scope_param": "scopes"}}"#, "device_params.scopes",
    "is set by scopes"),
  .init(#""grants": {"own": "x"}"#, "grants", "must be an object of objects"),
  .init(#""grants": {"own": {}}"#, "grants.own.grant_type", "is missing", line: nil),
  .init(
    #""grants": {"own": {"grant_type": "a b"}}"#, "grants.own.grant_type", "must be a URI or a name without spaces"),
  .init(#""grants": {"Own": {"grant_type": "a"}}"#, "grants.Own", "must have a name of 1 to 32 of a-z 0-9 _ -"),
  .init(#""grants": {"device": {"grant_type": "a"}}"#, "grants.device", "is a flow that oauthctl has itself"),
  .init(
    #""grants": {"own": {"grant_type": "a", "params": {"grant_type": "b"}}}"#, "grants.own.params.grant_type",
    "is set by oauthctl itself"),
]
