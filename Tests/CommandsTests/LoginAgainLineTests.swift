import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// The grant that a login takes over from the account's former one, and the line that says what was.
struct LoginAgainLineTests {
  private func again(
    _ now: Provider, _ stored: Session, _ words: [String]
  ) throws -> (options: LoginOptions, again: LoginAgain) {
    let invocation = try CommandHarness.invocation(["login", "acme/work"] + words)
    var options = try LoginOptions(invocation, CommandHarness().environment(invocation, output: .silent))
    var again = LoginAgain(stored, LoginTarget(provider: now, account: Sample.account, isUsersOwn: true), invocation)
    again.fill(&options, isClientNamed: false)
    return (options, again)
  }

  private static let plain = Sample.provider {
    ($0.clientID, $0.scopes) = ("app", ["read", "write"])
  }

  private func session(_ provider: Provider = plain, _ change: (inout Session) -> Void) -> Session {
    Sample.session(provider: provider, change)
  }

  @Test func `an option that the former grant has no use for changes no grant, one that names a grant does`() throws {
    let stored = session {
      $0.choices = LoginChoices()
      $0.choices?.flow = "client-credentials"
    }
    for words in [["--prompt", "login"], ["--timeout", "2"], ["--browser", "x"], ["--no-browser"], ["--port", "1"]] {
      #expect(try again(Self.plain, stored, words).options.flow == "client-credentials")
    }
    let (options, again) = try again(Self.plain, stored, ["--username", "u"])
    #expect(options.flow == "password")
    #expect(
      again.sentence
        == "not as in the former login: by --flow password, which --username means, and not by client-credentials")
  }

  @Test func `the line names the grant that a file means, and what it takes over, and nothing that nobody typed`()
    throws
  {
    let exchange = session(Sample.provider { $0.scopes = ["openid"] }) {
      $0.requestedScopes = []
      $0.choices = LoginChoices()
      $0.choices?.flow = "token-exchange"
      $0.choices?.requestedTokenType = "urn:r"
    }
    let provider = Sample.provider { ($0.clientID, $0.scopes) = ("app", ["openid"]) }
    let words = ["--subject-token-file", "f"]
    let taken = try again(provider, exchange, words).again.taken
    #expect(taken == ["--flow token-exchange", "--requested-token-type urn:r"])
    let person = session {
      $0.choices = LoginChoices()
      $0.choices?.flow = "password"
      $0.choices?.username = "ada"
    }
    #expect(try again(Self.plain, person, []).again.taken == ["--flow password", "--username ada"])
    #expect(try again(Self.plain, person, ["--username", "bob"]).again.taken == ["--flow password"])
  }

  @Test func `that no scope was asked for is taken over where somebody said so`() throws {
    let none = session { $0.requestedScopes = [] }
    #expect(try again(Self.plain, none, []).options.scopes == nil)
    let said = session {
      $0.requestedScopes = []
      $0.choices = LoginChoices()
      $0.choices?.asksForNoScope = true
    }
    #expect(try again(Self.plain, said, []).again.taken == ["--scope ''"])
  }

  @Test func `how the answer comes back, and what it holds, is taken over where the grant has it`() throws {
    let stored = session {
      $0.choices = LoginChoices()
      $0.choices?.responseMode = .fragment
      $0.choices?.isHybrid = true
    }
    let (options, again) = try again(Self.plain, stored, [])
    #expect(options.responseMode == .fragment && options.isHybrid == true)
    #expect(again.taken == ["--response-mode fragment", "--response-type 'code id_token'"])
    let other = try self.again(Self.plain, stored, ["--response-mode", "form_post", "--response-type", "code"])
    #expect(other.options.responseMode == .formPost && other.options.isHybrid == false && other.again.taken == [])
    #expect(try self.again(Self.plain, stored, ["--flow", "device"]).again.taken == [])
  }
}
