/// A provider file that uses every key of the schema once.
enum SampleFile {
  static let everyKey = """
    {
      // A comment, and "name": "in a comment".
      "name": "acme", "title": "ACME \\u00e9\\ud83d\\ude00",
      "issuer": "https://{host}/",
      "endpoints": {
        "authorization": "https://{host}/authorize", "token": "https://{host}/token",
        "refresh": "https://{host}/refresh", "device_authorization": "https://{host}/device",
        "device_token": "https://{host}/device/token",
        "revocation": "https://{host}/clients/{client_id}/revoke", "introspection": "https://{host}/introspect",
        "userinfo": "https://{host}/me", "registration": "https://{host}/register", "jwks": "https://{host}/jwks",
        "pushed_authorization_request": "https://{host}/par", "end_session": "https://{host}/logout"
      },
      "client_id": "id", "client_auth": "private-key-jwt", "client_auth_alg": "ES256",
      "flows": ["code", "jwt-bearer"],
      "grants": {"own": {"grant_type": "https://auth.example.com/grants/own", "params": {"device_id": "x", "account_id": ""}}},
      "scopes": ["read", "write"], "scope_separator": ",", "audience": "api", "resource": ["https://api.example.com/"],
      "pkce": "S256", "par": true, "request_object": true, "response_mode": "form_post", "dpop": true,
      "authorization_params": {"audience": "api"}, "token_params": {"a": "b"}, "refresh_params": {"c": "d"},
      "device_params": {"e": "f"},
      "headers": {"X-Version": "1"},
      /* A comment
         of two lines. */
      "redirect": {"host": "localhost", "port": [8085, 0], "path": "/cb"},
      "variables": {"host": "auth.example.com"},
      "registration": {"client_name": "Acme's", "contacts": ["me@acme.example"]},
      "register_url": "https://{host}/apps", "notes": ["One."],
      "quirks": {
        "basic_raw": true, "basic_charset": "latin1", "basic_empty": true, "assertion_audience": "issuer", "scope_on": ["refresh"],
        "scope_param": "user_scope", "token_request": "json", "token_path": "authed_user",
        "field_aliases": {"access": "scope"},
        "ok_field": "ok", "expires_in_unit": "ms", "assume_unexpired": false, "secret_on": ["code"],
        "error_aliases": {"bad": "invalid_grant"}, "issuer_aliases": ["auth.example.com"],
        "refresh_reuse_seconds": 30, "resource_on_refresh": false,
        "device": {"grant_type": "device", "code_param": "code", "user_code_param": "user_code",
                   "scope_param": "scopes", "field_aliases": {"link": "verification_uri"}, "expires_in_unit": "ms",
                   "error_field": "message", "status_errors": {"400": "authorization_pending"}},
        "revocation": {"method": "DELETE", "auth": "basic", "body": "json", "token_param": "t", "tokens": ["refresh"],
                       "cascades": false},
        "introspection": {"method": "GET", "auth": "bearer", "scheme": "OAuth", "token_in": "header"},
        "userinfo": {"method": "POST", "scheme": "OAuth", "headers": {"Accept": "x/y"}, "identity": "data.name"}
      }
    }

    """

  static func with(_ members: String) -> [UInt8] { Array("{\n\"name\": \"acme\",\n\(members)\n}".utf8) }
}
