import Crypto
import Flows
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// Logins that were begun, in the keyring.
struct PendingLoginTests {
  private static func login(
    lasts seconds: Double = 900, client: ClientRegistration? = nil, _ change: (inout LoginPlan) -> Void = { _ in }
  ) -> PendingLogin {
    var plan = LoginPlan(client: Sample.client(), scopes: ["openid", "read"])
    change(&plan)
    return PendingLogin(
      id: PendingLoginID(expiresAt: Sample.now.addingTimeInterval(seconds), random: Sample.random(3)),
      account: "work", client: client, plan: plan,
      authorization: PendingAuthorization(
        random: Sample.random(96), method: .s256, usesOpenID: true, redirectURI: "http://127.0.0.1:28765/callback",
        issuer: Sample.issuer, requiresIssuer: true),
      startedAt: Sample.now)
  }

  @Test func `what was begun comes back as it was`() throws {
    let memory = MemoryStore()
    let store = PendingLoginStore(memory)
    let login = Self.login(client: ClientRegistration(id: "app", secret: Secret("s"), method: .post)) { plan in
      plan.client.binding = DPoPBinding(key: Secret("pem"), nonces: ["https://id.acme.example": "n"])
      plan.client.registration.method = .post
      plan.resources = ["https://r"]
      plan.tokenParameters = [Parameter("audience", "a")]
      plan.maxAge = 60
    }
    try store.save(login)
    let back = try store.load(login.id.description, now: Sample.now)
    #expect(back == login && back.target == Sample.account)
    let plan = back.plan(try #require(back.client), now: Sample.now.addingTimeInterval(99.5))
    #expect(plan.client.method == .post && plan.client.binding == login.binding && plan.scopes == ["openid", "read"])
    #expect(plan.resources == ["https://r"] && plan.tokenParameters == [Parameter("audience", "a")])
    #expect(plan.requiresIssuer && !plan.isImplicit)
    // The person may have logged in long before the address was pasted.
    #expect(plan.maxAge == 160)
  }

  @Test func `nothing of it is secret but the item's value`() throws {
    let memory = MemoryStore()
    let login = Self.login()
    try PendingLoginStore(memory).save(login)
    let save = try #require(memory.saves.first)
    #expect(save.key == SecretKey(kind: .login, provider: "acme", name: login.id.description))
    for secret in [LoginHarness.state, LoginHarness.nonce, LoginHarness.verifier] {
      #expect(!"\(save.key) \(save.label)".contains(secret) && save.value.reveal().contains(secret))
    }
  }

  @Test func `one that has ended is removed, others stay`() throws {
    let memory = MemoryStore()
    let store = PendingLoginStore(memory)
    let (short, long) = (Self.login(lasts: 60), Self.login(lasts: 900))
    try store.save(short)
    try store.save(long)
    #expect(try store.list(now: Sample.now).map(\.id) == [short.id, long.id])
    let later = Sample.now.addingTimeInterval(60)
    #expect(throws: PendingLoginFailure.expired(short.id)) { try store.load(short.id.description, now: later) }
    let reads = memory.count(.load)
    try store.deleteExpired(now: later)
    #expect(memory.count(.load) == reads && memory.items.count == 1)
    #expect(try store.load(long.id.description, now: later) == long)
    // That it has ended can be told of one that is gone, too.
    #expect(throws: PendingLoginFailure.expired(short.id)) { try store.load(short.id.description, now: later) }
  }

  @Test func `an id that leads nowhere names those that there are`() throws {
    let store = PendingLoginStore(MemoryStore())
    let login = Self.login()
    try store.save(login)
    let others = [PendingLoginEntry(id: login.id, provider: "acme")]
    for id in ["", "x", "1lkn5g0-00000", "../../x"] {
      #expect(throws: PendingLoginFailure.unknown(id: id, others: others)) { try store.load(id, now: Sample.now) }
    }
  }

  static let rubbish: [Named<@Sendable (String) -> String>] = [
    Named("no JSON", { _ in "rubbish" }),
    Named("another version", { $0.replacingOccurrences(of: #""version":1"#, with: #""version":0"#) }),
    Named("another id", { $0.replacingOccurrences(of: #""id":""#, with: #""id":"1"#) }),
    Named("another provider", { $0.replacingOccurrences(of: #""name":"acme""#, with: #""name":"evil""#) }),
  ]

  @Test(arguments: rubbish) func `an item that is not as it was written is not used`(
    _ row: Named<@Sendable (String) -> String>
  ) throws {
    let memory = MemoryStore()
    let store = PendingLoginStore(memory)
    let login = Self.login()
    try store.save(login)
    let key = try #require(memory.items.keys.first)
    let text = try #require(memory.items[key]).reveal()
    try #require(row.value(text) != text)
    memory.items[key] = Secret(row.value(text))
    #expect(throws: PendingLoginFailure.unreadable(login.id)) {
      try store.load(login.id.description, now: Sample.now)
    }
  }

  @Test func `items of others are left alone`() throws {
    let memory = MemoryStore()
    for name in ["", "x", "1-1", "-00000", "0-0000V"] {
      memory.items[SecretKey(kind: .login, provider: "acme", name: name)] = Secret("{}")
    }
    memory.items[SecretKey(kind: .login, provider: "no provider", name: "1-00000")] = Secret("{}")
    let store = PendingLoginStore(memory)
    try store.deleteExpired(now: Sample.now)
    #expect(try store.list(now: Sample.now).isEmpty && memory.items.count == 6)
  }

  @Test func `an id is what is shown of it`() throws {
    let id = PendingLoginID(expiresAt: Sample.now.addingTimeInterval(0.9), random: [0, 0, 7])
    #expect(id.description == "1lkjkg0-00007" && id.expiresAt == Sample.now)
    #expect(PendingLoginID(id.description) == id)
    #expect(PendingLoginID(expiresAt: Sample.now, random: [255, 255, 255]).description.hasSuffix("-fvvvv"))
  }
}
