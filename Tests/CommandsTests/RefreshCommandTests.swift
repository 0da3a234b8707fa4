import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

@Suite(.timeLimit(.minutes(1))) struct RefreshCommandTests {
  private func login(_ account: String, refreshToken: String? = nil, _ change: (inout Session) -> Void = { _ in })
    -> Session
  {
    Sample.expired { session in
      session.account = account
      session.tokens.refreshToken = Secret(refreshToken ?? "refresh-\(account)")
      change(&session)
    }
  }

  private func exchange(_ account: String, _ response: HTTPResponse = Sample.rotated) -> Exchange {
    .post(Sample.tokenURL, form: ["refresh_token": "refresh-\(account)"], response)
  }

  @Test func `a hint to log in again names what an exchange needs`() async throws {
    let session = login("a") {
      $0.refused = RefusedGrant(fingerprint: Secret("refresh-a").fingerprint, at: Sample.now)
      $0.choices = LoginChoices()
      $0.choices?.flow = "token-exchange"
    }
    let outcome = try await CommandHarness(MemoryStore(session)).run("refresh", "acme/a")
    #expect(outcome.code == 77)
    #expect(outcome.messages.last?.hasSuffix("'oauthctl login acme/a --subject-token-file FILE'") == true)
  }

  @Test func `an account is renewed, valid or not, and standard output stays empty`() async throws {
    for session in [login("a"), login("a") { $0.tokens.expiresAt = Sample.now.addingTimeInterval(9999) }] {
      let harness = try CommandHarness(MemoryStore(session), http: FakeHTTPClient(exchange("a")))
      let outcome = try await harness.run("refresh", "acme/a")
      #expect(outcome.code == 0 && outcome.output.isEmpty && outcome.messages == ["oauthctl: refreshed acme/a"])
    }
  }

  @Test func `the same account named twice is renewed once`() async throws {
    let harness = try CommandHarness(MemoryStore(login("a")), http: FakeHTTPClient(exchange("a")))
    #expect(try await harness.run("refresh", "acme/a", "acme", "--quiet").messages.isEmpty)
  }

  @Test func `names or all, not both and not neither`() async throws {
    let harness = try CommandHarness(MemoryStore(login("a")))
    #expect(try await harness.run("refresh").code == 64)
    #expect(try await harness.run("refresh", "--all", "acme").code == 64)
    #expect(try await harness.run("refresh", "--all", "--jobs", "0").code == 64)
    #expect(try await harness.run("refresh", "--all", "--within", "soon").code == 64)
    let empty = try await CommandHarness().run("refresh", "--all")
    #expect(empty.code == 0 && empty.messages == ["oauthctl: no account is logged in"])
  }

  @Test func `only what ends within the time is renewed`() async throws {
    let store = try MemoryStore(
      login("a") { $0.tokens.expiresAt = Sample.now.addingTimeInterval(3599) },
      login("b") { $0.tokens.expiresAt = Sample.now.addingTimeInterval(3600) }, login("c") { $0.tokens.expiresAt = nil }
    )
    let outcome = try await CommandHarness(store, http: FakeHTTPClient(exchange("a"))).run(
      "refresh", "--all", "--within", "1h", "--json")
    let lines = outcome.output.split(separator: "\n").compactMap { JSONValue(parsing: Array($0.utf8))?.members }
    #expect(outcome.code == 0 && lines.count == 3)
    let renewed = Dictionary(
      uniqueKeysWithValues: lines.compactMap { line in line["account"]?.text.map { ($0, line["refreshed"]) } })
    #expect(renewed == ["a": .bool(true), "b": .bool(false), "c": .bool(false)])
    #expect(lines.allSatisfy { $0["result"] == .string("ok") && $0["scope"] == .array([.string("read")]) })
  }

  @Test func `one that fails does not stop the others, and the worst code is the command's`() async throws {
    let store = try MemoryStore(
      login("a"), login("b") { $0.refused = RefusedGrant(fingerprint: Secret("refresh-b").fingerprint, at: Sample.now) }
    )
    store.items[SecretKey(kind: .session, provider: "acme", name: "z")] = Secret(#"{"version":5}"#)
    let harness = try CommandHarness(store, http: FakeHTTPClient(exchange("a", .text("", status: 503))))
    let outcome = try await harness.run("refresh", "--all", "--jobs", "1")
    #expect(outcome.code == 78 && outcome.output.isEmpty)
    #expect(outcome.messages.filter { $0.hasPrefix("oauthctl: error: ") && $0.contains("acme/") }.count == 3)
    let json = try await CommandHarness(store, http: FakeHTTPClient(exchange("a"))).run(
      "refresh", "acme/a", "acme/b", "acme/none", "--json")
    #expect(json.code == 78)
    let lines = json.output.split(separator: "\n").compactMap { JSONValue(parsing: Array($0.utf8))?.members }
    #expect(lines.count == 3 && lines.allSatisfy { $0["provider"] == .string("acme") && $0["result"] != nil })
    #expect(lines.compactMap { line in line["result"].flatMap { Failure(json: $0) }?.exitCode }.sorted() == [77, 78])
  }

  @Test func `a timer leaves a server alone that could not answer; a person is not held back`() async throws {
    let later = Backoff(failures: 1, notBefore: Sample.now.addingTimeInterval(1))
    let timer = try CommandHarness(MemoryStore(login("a") { $0.backoff = later }))
    let outcome = try await timer.run("refresh", "--all")
    #expect(outcome.code == 75 && outcome.messages[0].contains("the next try is in 1s, at 2027-01-15T08:00:01Z"))
    let person = try CommandHarness(MemoryStore(login("a") { $0.backoff = later }), http: FakeHTTPClient(exchange("a")))
    #expect(try await person.run("refresh", "acme/a").code == 0)
    let over = Backoff(failures: 1, notBefore: Sample.now)
    let again = try CommandHarness(MemoryStore(login("a") { $0.backoff = over }), http: FakeHTTPClient(exchange("a")))
    #expect(try await again.run("refresh", "--all").code == 0)
  }

  @Test func `what nothing can renew is left by a timer while it lasts, and said to a person`() async throws {
    let session = login("a") { session in
      session.tokens.refreshToken = nil
      session.tokens.expiresAt = Sample.now.addingTimeInterval(60)
    }
    let harness = try CommandHarness(MemoryStore(session))
    let outcome = try await harness.run("refresh", "--all")
    #expect(outcome.code == 0 && outcome.messages.isEmpty)
    #expect(try await harness.run("refresh", "acme/a").code == 77)
    let ended = try CommandHarness(MemoryStore(login("a") { $0.tokens.refreshToken = nil }))
    #expect(try await ended.run("refresh", "--all").code == 77)
  }

  @Test func `a server that is left alone is told with the account's name once`() async throws {
    let later = Backoff(failures: 2, notBefore: Sample.now.addingTimeInterval(1))
    let harness = try CommandHarness(MemoryStore(login("a") { $0.backoff = later }))
    for words in [["--all"], ["acme/a"]] {
      let held = Backoff(failures: 3, notBefore: Sample.now.addingTimeInterval(1))
      let outcome = try await
        (words == ["--all"]
        ? harness : CommandHarness(MemoryStore(login("a") { $0.backoff = held }))).run(words: ["refresh"] + words)
      #expect(outcome.code == 75 && outcome.messages.count == 1)
      #expect(outcome.messages[0].hasPrefix("oauthctl: acme/a: the server could not answer, "))
    }
  }

  @Test func `with JSON an error is a result, and an object on standard error as with any command`() async throws {
    let store = try MemoryStore(login("a"))
    let harness = try CommandHarness(store, http: FakeHTTPClient(exchange("a", .text("", status: 503))))
    let outcome = try await harness.run("refresh", "acme/a", "--json")
    let result = try #require(outcome.json?.members?["result"])
    #expect(outcome.code == 75 && outcome.messages.count == 1)
    #expect(JSONValue(parsing: Array(outcome.messages[0].utf8)) == result)
    let held = login("b") { $0.backoff = Backoff(failures: 3, notBefore: Sample.now.addingTimeInterval(1)) }
    for (quiet, count) in [([], 1), (["--quiet"], 0)] {
      let outcome = try await CommandHarness(MemoryStore(held)).run(words: ["refresh", "--all", "--json"] + quiet)
      #expect(outcome.messages.count == count && outcome.json?.members?["result"]?.members?["error"] != nil)
    }
  }
}
