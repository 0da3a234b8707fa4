import Crypto
import OAuth
import TestSupport
import Testing

struct EndSessionTests {
  @Test func `a logout names the login that ends, and the way back`() {
    let url = EndSession.url(
      "https://op/logout?x=1",
      EndSession.Request(
        idToken: Secret("a.b.c"), clientID: "app", postLogoutRedirectURI: "http://127.0.0.1:1/bye", state: "s t",
        logoutHint: "ada", uiLocales: "de en"))
    #expect(
      url
        == "https://op/logout?x=1&id_token_hint=a.b.c&client_id=app&post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fbye&state=s%20t&logout_hint=ada&ui_locales=de%20en"
    )
  }

  @Test func `what is not known is not said, and a state needs a way back`() {
    #expect(EndSession.url("https://op/logout", EndSession.Request(state: "s")) == "https://op/logout")
    #expect(EndSession.url("https://op/logout", EndSession.Request(clientID: "a")) == "https://op/logout?client_id=a")
  }

  @Test(arguments: [
    ("state=s", true), ("state=t", false), ("", false), ("state=s&state=s", false), ("x=1&state=s", true),
  ])
  func `the way back brings the state once`(_ query: String, _ isReturn: Bool) {
    #expect(EndSession.isReturn(FormEncoding.decode(query), state: "s") == isReturn)
  }
}
