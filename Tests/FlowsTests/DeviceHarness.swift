import Crypto
import Flows
import OAuth
import TestSupport

/// What a login on another device says to the sample provider, and what that answers.
enum DeviceStory {
  static let startURL = "https://id.acme.example/device"
  static let page = "https://id.acme.example/activate"
  static let complete = "https://id.acme.example/activate?user_code=BCDF-GHJK"

  static func provider(_ change: (inout Provider) -> Void = { _ in }) -> Provider {
    Sample.provider {
      $0.endpoints?.deviceAuthorization = startURL
      change(&$0)
    }
  }

  /// The request for a code.
  static func start(
    _ members: String = #","interval":5,"expires_in":600,"verification_uri_complete":"\#(complete)""#,
    form: [String: String] = ["client_id": "app", "scope": "read"]
  ) -> Exchange {
    .post(startURL, form: form, reply(members))
  }

  /// The answer to that.
  static func reply(_ members: String = "") -> HTTPResponse {
    .json(#"{"device_code":"dc-1","user_code":"BCDF-GHJK","verification_uri":"\#(page)"\#(members)}"#)
  }

  static let form = [
    "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "dc-1", "client_id": "app",
  ]

  /// One poll.
  static func poll(_ response: HTTPResponse = Sample.rotated) -> Exchange {
    .post(Sample.tokenURL, form: form, response)
  }

  static let pending = HTTPResponse.error("authorization_pending")

  /// A poll whose answer does not come until the login is over.
  static let silent = Exchange(.post, Sample.tokenURL, form: form) { _ in
    try await Task.sleep(for: .seconds(3600))
    return pending
  }
}
