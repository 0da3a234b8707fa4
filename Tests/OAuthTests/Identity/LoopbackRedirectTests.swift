import OAuth
import Testing

struct LoopbackRedirectTests {
  @Test func `a loopback redirect is registered with its port and without`() {
    #expect(
      LoopbackRedirect.registered(for: "http://127.0.0.1:8085/callback") == [
        "http://127.0.0.1:8085/callback", "http://127.0.0.1/callback",
      ])
    #expect(LoopbackRedirect.registered(for: "http://[::1]:1/") == ["http://[::1]:1/", "http://[::1]/"])
    for uri in [
      "http://localhost/cb", "https://app.example:8443/cb", "https://127.0.0.1:1/cb", "com.example:/cb", "urn:x",
      "http://app.example:8080/cb",
    ] {
      #expect(LoopbackRedirect.registered(for: uri) == [uri])
    }
    #expect(
      LoopbackRedirect.ports(in: ["http://127.0.0.1:8/a", "http://localhost/a", "https://h:9/", "http://[::1]:7/"]) == [
        8, 7,
      ])
  }

  @Test func `a registered loopback redirect without a port stands for any`() {
    let taken = LoopbackRedirect.isTaken
    #expect(taken("http://127.0.0.1:5/cb", ["http://127.0.0.1/cb"]) && taken("http://127.0.0.1:5/cb", []))
    #expect(taken("http://127.0.0.1:5/cb", ["x", "http://127.0.0.1:5/cb"]))
    for other in ["http://127.0.0.1:6/cb", "http://localhost/cb", "http://127.0.0.1/other", "https://127.0.0.1/cb"] {
      #expect(!taken("http://127.0.0.1:5/cb", [other]), "\(other)")
    }
  }

  @Test func `a registration fits by the port, or where the server keeps none`() {
    let (uri, bare) = ("http://127.0.0.1:8085/callback", "http://127.0.0.1/callback")
    #expect(LoopbackRedirect.fits(uri, [uri]) && LoopbackRedirect.fits(uri, [bare]))
    #expect(LoopbackRedirect.fits(uri, [bare, "http://localhost:1/callback"]))
    #expect(!LoopbackRedirect.fits(uri, [bare, "http://127.0.0.1:1/callback"]))
    #expect(!LoopbackRedirect.fits(uri, []) && !LoopbackRedirect.fits(uri, ["http://localhost/callback"]))
    #expect(LoopbackRedirect.fits("https://app.example/cb", ["https://app.example/cb"]))
    #expect(!LoopbackRedirect.fits("https://app.example/cb", ["https://app.example/"]))
  }
}
