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
        "revocation": "https://{host}/clients/{client_id}/revoke", "introspection": "https://{host}/introspect",
        "userinfo": "https://{host}/me", "registration": "https://{host}/register", "jwks": "https://{host}/jwks",
        "pushed_authorization_request": "https://{host}/par", "end_session": "https://{host}/logout"
      },
      "client_id": "id", "client_auth": "basic",
      "scopes": ["read", "write"], "scope_separator": ",", "pkce": "S256",
      "authorization_params": {"audience": "api"}, "token_params": {"a": "b"}, "refresh_params": {"c": "d"},
      "headers": {"X-Version": "1"},
      /* A comment
         of two lines. */
      "redirect": {"host": "localhost", "port": [8085, 0], "path": "/cb"},
      "variables": {"host": "auth.example.com"},
      "register_url": "https://{host}/apps", "notes": ["One."],
      "quirks": {
        "basic_raw": true, "scope_param": "user_scope", "token_request": "json", "token_path": "authed_user",
        "ok_field": "ok", "expires_in_unit": "ms", "assume_unexpired": false, "secret_on": ["code"],
        "error_aliases": {"bad": "invalid_grant"}, "issuer_aliases": ["auth.example.com"],
        "refresh_reuse_seconds": 30,
        "revocation": {"method": "DELETE", "auth": "basic", "body": "json", "token_param": "t", "tokens": ["refresh"],
                       "cascades": false}
      }
    }

    """

  static func with(_ members: String) -> [UInt8] { Array("{\n\"name\": \"acme\",\n\(members)\n}".utf8) }
}
