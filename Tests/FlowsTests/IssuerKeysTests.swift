import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// The keys that providers sign with: kept, and read again where that helps.
@Suite(.timeLimit(.minutes(1))) struct IssuerKeysTests {
  private let store = MemoryStore()
  private let warnings = Recorder<String>()

  private func keys(_ http: FakeHTTPClient, _ time: FakeTime = FakeTime()) -> IssuerKeys {
    IssuerKeys(
      SampleIssuer.provider(), network: Sample.network(http, time), store: KeySetStore(store),
      warn: { [warnings] in warnings.add($0) })
  }

  private static let outage = TransportError(
    kind: .cannotConnect, host: "id", message: "refused", mayHaveArrived: false)

  @Test func `keys that a newer program keeps are as good as none, and stay`() async throws {
    let kept = try SampleIssuer().kept()
    await KeySetStore(store).keep(kept, provider: "acme")
    #expect(await KeySetStore(store).kept(SampleIssuer.keysURL, provider: "acme") == kept)
    for (key, item) in store.items {
      store.items[key] = Secret(item.reveal().replacing(#""version":1"#, with: #""version":2"#))
    }
    let items = store.items
    #expect(await KeySetStore(store).kept(SampleIssuer.keysURL, provider: "acme") == nil)
    await KeySetStore(store).keep(kept, provider: "acme")
    #expect(store.items == items && items.count == 1)
  }

  @Test func `they are read once, kept, and not asked for again while they are fresh`() async throws {
    let issuer = try SampleIssuer()
    let first = keys(FakeHTTPClient(issuer.publishes()))
    #expect(try await first.current() == issuer.keys)
    #expect(try await first.current() == issuer.keys)
    let save = try #require(store.saves.first)
    #expect(save.key == SecretKey(kind: .keys, provider: "acme", name: SampleIssuer.keysURL))
    #expect(save.label == "acme signing keys https://id.acme.example/jwks – oauthctl" && store.saves.count == 1)
    let later = FakeTime(Sample.now.addingTimeInterval(3500))
    #expect(try await keys(FakeHTTPClient(), later).current() == issuer.keys)
  }

  @Test func `old ones are read again, and serve where that fails`() async throws {
    let (old, new) = (try SampleIssuer(), try SampleIssuer())
    await KeySetStore(store).keep(try old.kept(at: Sample.now.addingTimeInterval(-7200)), provider: "acme")
    #expect(
      try await keys(FakeHTTPClient(.failing(.get, SampleIssuer.keysURL, with: Self.outage))).current() == old.keys)
    #expect(warnings.all.count == 1 && warnings.all[0].contains("2027-01-15T06:00:00Z"))
    #expect(try await keys(FakeHTTPClient(.get(SampleIssuer.keysURL, .text("", status: 503)))).current() == old.keys)
    #expect(try await keys(FakeHTTPClient(new.publishes())).current() == new.keys)
    #expect(await KeySetStore(store).kept(SampleIssuer.keysURL, provider: "acme")?.set == new.keys)
    #expect(warnings.all.count == 2)
  }

  @Test func `without any there is an error, and without a place for them none is needed`() async throws {
    let failing = keys(FakeHTTPClient(.failing(.get, SampleIssuer.keysURL, with: Self.outage)))
    await #expect(throws: Self.outage) { try await failing.current() }
    let bare = IssuerKeys(Sample.provider(), network: Sample.network(FakeHTTPClient()), store: KeySetStore(store))
    #expect(try await bare.current() == nil)
    #expect(try await bare.newer() == nil)
  }

  @Test func `a keyring that fails stops nothing`() async throws {
    let issuer = try SampleIssuer()
    store.failAlways(.load, with: .locked)
    store.failAlways(.save, with: .locked)
    #expect(try await keys(FakeHTTPClient(issuer.publishes())).current() == issuer.keys)
  }

  @Test(arguments: ["rubbish", "{}"]) func `an item that cannot be read is as good as none`(_ text: String) async throws
  {
    let issuer = try SampleIssuer()
    store.items[SecretKey(kind: .keys, provider: "acme", name: SampleIssuer.keysURL)] = Secret(text)
    #expect(try await keys(FakeHTTPClient(issuer.publishes())).current() == issuer.keys)
  }

  @Test func `an item under another address is not taken`() async throws {
    await KeySetStore(store).keep(try SampleIssuer().kept(), provider: "acme")
    let key = SecretKey(kind: .keys, provider: "acme", name: SampleIssuer.keysURL)
    let other = SecretKey(kind: .keys, provider: "acme", name: "https://elsewhere.example/jwks")
    store.items[other] = store.items[key]
    #expect(await KeySetStore(store).kept(other.name, provider: "acme") == nil)
  }

  @Test func `for a key that is not known they are read once more, and not again within a minute`() async throws {
    let (old, new) = (try SampleIssuer(keyID: "old"), try SampleIssuer(keyID: "new"))
    await KeySetStore(store).keep(try old.kept(), provider: "acme")
    let time = FakeTime()
    let http = FakeHTTPClient(new.publishes(), new.publishes())
    let known = keys(http, time)
    let (first, second) = (try check(new), try check(try SampleIssuer(keyID: "third")))
    try await known.checking(first)
    #expect(http.requests.count == 1)
    await #expect(throws: JWT.Mismatch.self) { try await known.checking(second) }
    #expect(http.requests.count == 1)
    time.now = Sample.now.addingTimeInterval(61)
    await #expect(throws: JWT.Mismatch.self) { try await known.checking(second) }
    #expect(http.requests.count == 2)
  }

  @Test func `a key that took the name of another is found by a second reading`() async throws {
    let (old, new) = (try SampleIssuer(), try SampleIssuer())
    await KeySetStore(store).keep(try old.kept(), provider: "acme")
    try await keys(FakeHTTPClient(new.publishes())).checking(try check(new))
  }

  @Test func `a bad signature stays one where nobody can be asked, an unknown key does not`() async throws {
    let old = try SampleIssuer()
    await KeySetStore(store).keep(try old.kept(), provider: "acme")
    func failing() -> IssuerKeys { keys(FakeHTTPClient(.failing(.get, SampleIssuer.keysURL, with: Self.outage))) }
    let spoilt = try check(try SampleIssuer())
    await #expect(throws: JWT.Mismatch.self) { try await failing().checking(spoilt) }
    let unknown = try check(try SampleIssuer(keyID: "other"))
    await #expect(throws: Self.outage) { try await failing().checking(unknown) }
  }

  private func check(_ issuer: SampleIssuer) throws -> @Sendable (JSONWebKeySet?) throws -> Void {
    let token = try #require(JWT.Parsed(try issuer.idToken()))
    return { try token.checkSignature(keys: $0 ?? JSONWebKeySet(keys: [])) }
  }
}
