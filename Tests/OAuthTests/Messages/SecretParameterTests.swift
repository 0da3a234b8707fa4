import Crypto
import OAuth
import Testing

/// The parameters, members and fields of each grant and client authentication: what of them a trace may show.
struct SecretParameterTests {
  private static let jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"

  /// Sent in a form, in JSON and in a query, and found in all three.
  static let secrets = [
    "client_secret", "client_assertion", "assertion", "subject_token", "actor_token", "device_code", "user_code",
    "password", "code", "code_verifier", "refresh_token", "access_token", "id_token", "id_token_hint", "token",
    "request_uri", "registration_access_token", "initial_access_token", "logout_token", "state", "nonce", "otp", "totp",
    "mfa_token", "mfa_code", "verification_code", "private_key", "jwt",
  ]

  @Test(arguments: secrets) func `its value is taken out of whatever it stands in`(_ name: String) {
    let redactor = Redactor()
    #expect(redactor.redact("a=b&\(name)=V4lue-1.x&c=d") == "a=b&\(name)=[redacted]&c=d")
    #expect(redactor.redact(#"{"\#(name)":"V4lue-2.x","c":"d"}"#) == #"{"\#(name)":"[redacted]","c":"d"}"#)
    #expect(redactor.redact("GET https://h/p?\(name)=V4lue-3.x#f") == "GET https://h/p?\(name)=[redacted]#f")
    #expect(redactor.redact("V4lue-1.x V4lue-2.x V4lue-3.x") == "[redacted] [redacted] [redacted]")
  }

  @Test(arguments: ["user_code", "password", "otp", "totp", "mfa_code", "verification_code"])
  func `what a person types has no fingerprint`(_ name: String) {
    #expect(Redactor().redact("\(name)=a-rather-long-value-of-it", fingerprints: true) == "\(name)=[redacted]")
  }

  static let fields: [(text: String, redacted: String)] = [
    ("DPoP: \(jwt)", "DPoP: [redacted]"), ("Authorization: DPoP \(jwt)", "Authorization: DPoP [redacted]"),
    ("Authorization: DPoP abc", "Authorization: DPoP [redacted]"),
    (
      "Location: https://h/cb#access_token=a&token_type=DPoP&id_token=b",
      "Location: https://h/cb#access_token=[redacted]&token_type=DPoP&id_token=[redacted]"
    ),
    (
      #"{"request_uri":"urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c","expires_in":60}"#,
      #"{"request_uri":"[redacted]","expires_in":60}"#
    ),
  ]

  @Test(arguments: fields) func `a field's credentials are taken out`(_ row: (text: String, redacted: String)) {
    #expect(Redactor().redact(row.text) == row.redacted)
  }

  static let shapes = [
    "\(jwt)", "got \(jwt) here", "request=\(jwt)&x=y", #"{"software_statement":"\#(jwt)"}"#, "/\(jwt)/", "[\(jwt)]",
    "x=\(jwt)&", #"{"proof":"\#(jwt)"}"#, "%22\(jwt)%22",
    "v1.\(jwt)", "key_\(jwt)", "lin-\(jwt)", "\(jwt)~WyJzYWx0IiwgIm5hbWUiLCAidmFsdWUiXQ~",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.", "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..aXY.Y2lwaGVy.dGFn",
  ]

  @Test(arguments: shapes) func `a token in the form of a JWT is taken out wherever it stands`(_ text: String) {
    let shown = Redactor().redact(text)
    #expect(shown.contains("[redacted]") && !shown.contains("eyJ") && !shown.contains("c2lnbmF0dXJl"), "\(shown)")
  }

  @Test func `a private key in PEM is taken out`() {
    for kind in ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
      let key = "-----BEGIN \(kind)-----\nMC4CAQAwBQYDK2VwBCIEIA\nabcd\n-----END \(kind)-----"
      #expect(Redactor().redact("a\n\(key)\nb") == "a\n[redacted]\nb")
      let escaped = key.replacing("\n", with: "\\n")
      #expect(Redactor().redact(#"{"x":"\#(escaped)\n","y":1}"#) == #"{"x":"[redacted]\n","y":1}"#)
      #expect(Redactor().redact("a -----BEGIN \(kind)-----\nMC4CAQ") == "a [redacted]")
    }
  }

  static let open = [
    "WWW-Authenticate: Bearer resource_metadata=\"https://h/.well-known/oauth-protected-resource\", scope=\"a b\"",
    "WWW-Authenticate: Bearer authorization_uri=https://h/authorize, error=invalid_token",
    "WWW-Authenticate: DPoP error=\"use_dpop_nonce\", algs=\"ES256 PS256\"", "DPoP-Nonce: eyJ7S_zG.eyJH0-Z.HX4w-7v",
    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&client_id=c",
    "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&scope=a",
    "subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token&resource=https%3A%2F%2Fh",
    "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer",
    #"{"issued_token_type":"urn:ietf:params:oauth:token-type:id_token","token_type":"N_A","expires_in":60}"#,
    #"{"grant_types_supported":["urn:ietf:params:oauth:grant-type:device_code","password"],"request_parameter_supported":true}"#,
    #"{"client_secret_expires_at":0,"require_pushed_authorization_requests":true,"request_uri_parameter_supported":true}"#,
    #"{"token_endpoint_auth_methods_supported":["client_secret_jwt","private_key_jwt"],"request_uris":["https://h/r"]}"#,
    #"{"verification_uri":"https://h/device","interval":5,"user_code_hint":"8 letters"}"#,
    "dpop_jkt=0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I&code_challenge=x&prompt=login&max_age=0",
    "the request: https://h/ was refused", #"{"error":"x","request":"/oauth/token"}"#,
    "-----BEGIN CERTIFICATE-----\nMIIB",
  ]

  @Test(arguments: open) func `what helps to see what went wrong stays`(_ text: String) {
    let redactor = Redactor()
    #expect(redactor.redact(text) == text)
    #expect(redactor.redact(text) == text)
  }
}
