import Crypto
import OAuth
import TestSupport
import Testing

@testable import Flows

/// What a client was given for one server, and which servers are that one.
struct ClientServerTests {
  private func server(_ issuer: String?, _ token: String? = nil) -> ClientServer {
    ClientServer(
      Sample.provider {
        $0.issuer = issuer
        $0.endpoints?.token = token
      })
  }

  @Test func `one origin is one server, and one issuer only where an origin is not known`() {
    let here = server("https://id.example", "https://id.example/token")
    #expect(here.origin == "https://id.example:443")
    #expect(here.isSame(as: server(nil, "https://ID.example:443/other")))
    #expect(here.isSame(as: server("https://id.example/realm", "https://id.example/realm/token")))
    #expect(!here.isSame(as: server("https://id.example", "https://new.example/token")))
    #expect(here.isSame(as: server("https://id.example")))
    #expect(!here.isSame(as: server("https://other.example", "https://other.example/token")))
    #expect(!here.isSame(as: server(nil, "https://id.example:8443/token")))
    #expect(!here.isSame(as: server(nil, "http://id.example/token")))
    #expect(!here.isSame(as: server(nil)) && !server(nil).isSame(as: server(nil)))
  }

  @Test func `a client with a certificate alone may go to another place of its issuer`() {
    let here = server("https://id.example", "https://id.example/token")
    let aliases = server("https://id.example", "https://mtls.id.example/token")
    var client = ClientRegistration(id: "app")
    client.server = here
    client.certificate = ClientCertificate(chain: Secret("c"), key: Secret("k"))
    #expect(
      client.mayProveItself(to: aliases)
        && !client.mayProveItself(to: server("https://b.example", "https://b.example/t")))
    client.secret = Secret("s")
    #expect(!client.mayProveItself(to: aliases) && client.mayProveItself(to: here))
  }

  @Test func `of a resource's servers only the issuer's own name counts`() {
    let here = server("https://id.example/a", "https://id.example/token")
    #expect(!here.isSameIssuer(as: server("https://id.example/b", "https://id.example/token")))
    #expect(here.isSameIssuer(as: server("https://id.example/a")) && !server(nil).isSameIssuer(as: server(nil)))
  }

  private func client(_ server: ClientServer?) -> ClientRegistration {
    var client = ClientRegistration(id: "app", secret: Secret("s"))
    client.key = ClientKey(pem: Secret("k"))
    client.server = server
    return client
  }

  @Test func `a session's server is shown nothing of another one's client`() throws {
    let store = MemoryStore()
    for known in [nil, ClientServer(Sample.provider())] {
      try store.put(client(known))
      let used = try ClientStore(store).client(of: Sample.session(), secret: nil)
      #expect(used.secret == Secret("s") && used.key != nil)
    }
    try store.put(client(server("https://other.example", "https://other.example/token")))
    let used = try ClientStore(store).client(of: Sample.session(), secret: nil)
    #expect(!used.hasMeans && used.id == "app")
  }

  @Test func `the server is kept, and an older item is read without one`() throws {
    let store = MemoryStore()
    try store.put(client(server("https://id.example", "https://id.example/token")))
    #expect(
      try ClientStore(store).load("app", provider: "acme")?.server
        == server("https://id.example", "https://id.example/token"))
    store.items[Sample.clientKey] = Secret(#"{"client_id":"app","client_secret":"s"}"#)
    let old = try ClientStore(store).load("app", provider: "acme")
    #expect(old?.knownServer == nil && old?.secret == Secret("s"))
    var registered = ClientRegistration(id: "app", secret: Secret("s"))
    registered.management = RegistrationManagement(redirectURIs: [])
    registered.management?.issuer = "https://id.example"
    #expect(registered.knownServer?.isSameIssuer(as: server("https://id.example")) == true)
  }
}
