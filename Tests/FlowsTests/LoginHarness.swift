import Crypto
import Flows
import OAuth
import TestSupport
import Testing

/// A login at the sample provider, on fakes.
struct LoginHarness {
  static let state = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  static let nonce = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8"
  static let verifier = "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8"

  var http = FakeHTTPClient()
  var time = FakeTime(holdsSleeps: true)
  var listeners = FakeListeners()
  var browser: FakeBrowser? = FakeBrowser()
  var terminal = FakeTerminal()

  var listener: FakeListener { listeners.listener }

  func run(_ plan: LoginPlan = plan()) async throws -> LoginResult {
    try await BrowserLogin(
      network: Sample.network(http, time), listeners: listeners, browser: browser, terminal: terminal
    ).run(plan)
  }

  static func plan(
    _ provider: Provider = Sample.provider(), scopes: [String] = ["read"],
    redirect: LoginPlan.RedirectPlan = .listen(RedirectAddress()),
    _ change: (inout LoginPlan) -> Void = { _ in }
  ) -> LoginPlan {
    var plan = LoginPlan(client: Sample.client(at: provider), scopes: scopes)
    plan.redirect = redirect
    change(&plan)
    return plan
  }

  /// The redeeming of the code that comes back.
  static func exchange(
    _ code: String = "c-1", redirectURI: String = "http://127.0.0.1:4711/callback",
    answers response: HTTPResponse = Sample.rotated
  ) -> Exchange {
    .post(
      Sample.tokenURL,
      form: [
        "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "code_verifier": verifier,
        "client_id": "app",
      ], response)
  }

  /// A browser whose user allows the request at once: it comes back with a code and the state that it was sent with.
  static func willing(_ listener: FakeListener, code: String = "c-1", _ more: String = "") -> FakeBrowser {
    FakeBrowser { url in listener.request("code=\(code)&state=\(url.parameter("state") ?? "")\(more)") }
  }
}
