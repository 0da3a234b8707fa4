import Crypto
import Flows
import OAuth
import TestSupport
import Testing

struct ClientStoreTests {
  @Test func `a client comes back with its secret and its method`() throws {
    let store = MemoryStore()
    let client = ClientRegistration(id: "app", secret: Secret("s\"3"), method: .post)
    try ClientStore(store).save(client, provider: "acme")
    #expect(try ClientStore(store).load("app", provider: "acme") == client)
    #expect(try ClientStore(store).load("app", provider: "other") == nil)
    #expect(try ClientStore(store).load("ap", provider: "acme") == nil)
    #expect(store.saves[0].key == Sample.clientKey && store.saves[0].label == "acme client app – oauthctl")
  }

  @Test func `an item that cannot be read is as good as none`() throws {
    let store = MemoryStore()
    store.items[Sample.clientKey] = Secret("rubbish")
    #expect(try ClientStore(store).load("app", provider: "acme") == nil)
  }

  @Test func `ids are sorted, of one provider alone`() throws {
    let store = try MemoryStore(Sample.session())
    for (id, provider) in [("b", "acme"), ("a", "acme"), ("c", "other")] {
      try store.put(ClientRegistration(id: id), provider: provider)
    }
    #expect(try ClientStore(store).ids(provider: "acme") == ["a", "b"])
    try ClientStore(store).delete("a", provider: "acme")
    #expect(try ClientStore(store).ids(provider: "acme") == ["b"])
  }

  @Test func `a keyring that fails is not one without a client`() {
    let store = MemoryStore()
    store.failAlways(.load, with: .locked)
    #expect(throws: StoreError.locked) { try ClientStore(store).load("app", provider: "acme") }
  }

  @Test func `an item of a newer program is refused, and never overwritten`() throws {
    let store = MemoryStore()
    store.items[Sample.clientKey] = Secret(#"{"version":2,"client_id":"app","client_secret":{"new":"layout"}}"#)
    let items = store.items
    let newer = NewerItem(name: "acme's client app", version: 2)
    #expect(throws: newer) { try ClientStore(store).load("app", provider: "acme") }
    for isLastCopy in [false, true] {
      #expect(throws: newer) {
        try ClientStore(store).save(ClientRegistration(id: "app"), provider: "acme", isLastCopy: isLastCopy)
      }
    }
    #expect(store.items == items)
  }

  @Test func `one without a version is of the first, and is written with it`() throws {
    let store = MemoryStore()
    store.items[Sample.clientKey] = Secret(#"{"client_id":"app","client_secret":"s"}"#)
    let client = try #require(try ClientStore(store).load("app", provider: "acme"))
    #expect(client.secret == Secret("s"))
    try ClientStore(store).save(client, provider: "acme")
    #expect(store.items[Sample.clientKey] == Secret(#"{"client_id":"app","client_secret":"s","version":1}"#))
  }

  @Test func `what cannot be read is no obstacle where something may be written`() throws {
    for (error, isLastCopy) in [
      (StoreError.noCollection, false), (.otherKeyringLocked(label: "Work"), false), (.locked, true),
    ] {
      let store = MemoryStore()
      store.failAlways(.load, with: error)
      try ClientStore(store).save(ClientRegistration(id: "app"), provider: "acme", isLastCopy: isLastCopy)
      #expect(store.items.count == 1)
    }
    let store = MemoryStore()
    store.failAlways(.load, with: .locked)
    #expect(throws: StoreError.locked) { try ClientStore(store).save(ClientRegistration(id: "app"), provider: "acme") }
  }
}
