import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

struct StatusCommandTests {
  private func login(_ provider: String, _ account: String, _ change: (inout Session) -> Void = { _ in }) -> Session {
    var session = Session(
      provider: Provider(name: provider), account: account, clientID: "app", clientAuth: nil, requestedScopes: ["a"],
      tokens: Sample.tokens(), identity: nil)
    change(&session)
    return session
  }

  private func everyState() throws -> MemoryStore {
    try MemoryStore(
      login("acme", "default") { $0.identity = "ada\u{1B}[31m@example.com" },
      login("acme", "old") { $0.tokens.expiresAt = Sample.now.addingTimeInterval(-7200) },
      login("acme", "open") { ($0.tokens.expiresAt, $0.tokens.refreshToken, $0.tokens.scope) = (nil, nil, nil) },
      login("other", "gone") { $0.refused = RefusedGrant(fingerprint: Secret("refresh-1").fingerprint, at: Sample.now) }
    )
  }

  @Test func `a person sees a table`() async throws {
    let outcome = try await CommandHarness(try everyState()).run("status")
    #expect(outcome.code == 0 && outcome.messages.isEmpty)
    #expect(
      outcome.output == """
        ACCOUNT     STATE           EXPIRES  REFRESH  IDENTITY         SCOPE
        acme        valid           in 60m   yes      ada@example.com  read
        acme/old    expired         2h ago   yes      -                read
        acme/open   unknown-expiry  unknown  no       -                a
        other/gone  refused         in 60m   refused  -                read

        """)
  }

  @Test func `a script sees a list, its keys always the same`() async throws {
    let outcome = try await CommandHarness(try everyState()).run("status", "acme/old", "--json")
    #expect(
      outcome.output
        == #"[{"account":"old","expires_at":"2027-01-15T06:00:00Z","identity":null,"provider":"acme","refreshable":true,"scope":["read"],"state":"expired"}]"#
        + "\n")
    let all = try await CommandHarness(try everyState()).run("status", "--json")
    guard case .array(let entries)? = all.json else {
      Issue.record("\(all.output)")
      return
    }
    #expect(entries.map { $0.members?["state"]?.text } == ["valid", "expired", "unknown-expiry", "refused"])
    #expect(entries.map { $0.members?["refreshable"] } == [.bool(true), .bool(true), .bool(false), .bool(false)])
    #expect(entries[2].members?["expires_at"] == nil)
  }

  @Test func `no status shows a secret or asks anyone but the keyring`() async throws {
    let harness = try CommandHarness(try everyState())
    for words in [["status"], ["status", "--json"]] {
      let outcome = try await harness.run(words[0], words.count > 1 ? words[1] : "acme")
      #expect(!outcome.output.contains("access-1") && !outcome.output.contains("refresh-1"))
    }
    #expect(harness.clientsMade.all.isEmpty && harness.store.saves.isEmpty)
  }

  @Test func `a provider's name means all its accounts`() async throws {
    let outcome = try await CommandHarness(try everyState()).run("status", "acme", "--json")
    guard case .array(let entries)? = outcome.json else {
      Issue.record("\(outcome.output)")
      return
    }
    #expect(entries.map { $0.members?["account"]?.text } == ["default", "old", "open"])
  }

  @Test func `nobody logged in is no failure, an account that is not there is`() async throws {
    let harness = try CommandHarness()
    let outcome = try await harness.run("status")
    #expect(outcome.code == 0 && outcome.output.isEmpty && outcome.messages.count == 1)
    #expect(try await harness.run("status", "--json").output == "[]\n")
    #expect(try await harness.run("status", "nobody-knows").code == 78)
    #expect(try await CommandHarness(try everyState()).run("status", "acme/nobody").code == 78)
  }

  @Test func `a refresh that was cut off is told, with what mends it; one that may be under way is not`() async throws {
    let (free, held) = (FakeLock(), FakeLock(error: .busy(holder: 7, seconds: 0)))
    for (lock, token, isTold) in [(free, "refresh-1", true), (held, "refresh-1", false), (free, "refresh-0", false)] {
      let mark = PendingRefresh(fingerprint: Secret(token).fingerprint, startedAt: Sample.now - 61)
      let store = try MemoryStore(Sample.expired { $0.pendingRefresh = mark })
      let outcome = try await CommandHarness(store, lock: lock).run("status")
      #expect(outcome.code == 0 && outcome.messages.isEmpty != isTold)
      guard isTold else { continue }
      #expect(
        outcome.messages[0].hasPrefix("oauthctl: warning: a refresh of acme/work at 2027-01-15T07:58"))
      #expect(outcome.messages[0].hasSuffix("and 'oauthctl login acme/work' mends it"))
    }
  }

  @Test func `a server that is left alone is told`() async throws {
    let held = Sample.session { $0.backoff = Backoff(failures: 2, notBefore: Sample.now + 100, isServersWish: true) }
    let outcome = try await CommandHarness(MemoryStore(held)).run("status")
    #expect(
      outcome.messages == [
        "oauthctl: acme/work: the server asked to be left alone, 2 times in a row; timers ask it again in 100s"
      ])
  }

  @Test func `a script is told what the table has no column for, where there is something to tell`() async throws {
    func entry(_ change: (inout Session) -> Void) async throws -> [String: JSONValue] {
      let outcome = try await CommandHarness(MemoryStore(Sample.expired(change))).run("status", "--json")
      guard case .array(let entries)? = outcome.json else { return [:] }
      return entries.first?.members ?? [:]
    }
    let plain = try await entry { _ in }
    let optional = ["back_off", "interrupted_at", "grant", "bound", "variants"]
    #expect(!plain.isEmpty && optional.allSatisfy { plain[$0] == nil })
    let over = try await entry { $0.backoff = Backoff(failures: 2, notBefore: Sample.now) }
    #expect(over["back_off"] == nil)
    for (failures, holds) in [(2, false), (3, true)] {
      let held = try await entry { $0.backoff = Backoff(failures: failures, notBefore: Sample.now + 100) }
      #expect(
        held["back_off"]
          == .object([
            "until": .string("2027-01-15T08:01:40Z"), "failures": .integer(Int64(failures)),
            "holds_scripts": .bool(holds),
          ]))
    }
    let full = try await entry { session in
      session.pendingRefresh = PendingRefresh(fingerprint: Secret("refresh-1").fingerprint, startedAt: Sample.now - 61)
      session.grant = StandingGrant(id: "g", kind: .clientCredentials)
      session.binding = DPoPBinding(key: Secret("k"))
      session.variants = [TokenVariant(request: TokenVariant.Request(audience: "a"), tokens: Sample.tokens())]
    }
    #expect(full["interrupted_at"] == .string("2027-01-15T07:58:59Z") && full["grant"] == .string("client-credentials"))
    #expect(full["bound"] == .bool(true) && full["variants"] == .integer(1))
  }

  @Test func `one item that cannot be read does not hide the others`() async throws {
    let store = try everyState()
    store.items[SecretKey(kind: .session, provider: "acme", name: "bad")] = Secret("rubbish")
    let outcome = try await CommandHarness(store).run("status")
    #expect(outcome.code == 77 && outcome.output.contains("other/gone") && outcome.messages[0].contains("acme/bad"))
    store.items[SecretKey(kind: .session, provider: "acme", name: "new")] = Secret(#"{"version":5}"#)
    #expect(try await CommandHarness(store).run("status").code == 78)
  }
}
