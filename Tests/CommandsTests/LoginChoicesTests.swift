import Crypto
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// What is kept of a login's options for the next one.
struct LoginChoicesTests {
  private func choices(_ flow: LoginFlow, _ words: String...) throws -> LoginChoices {
    let invocation = try CommandHarness.invocation(["login", "acme"] + words)
    return try LoginOptions(invocation, CommandHarness().environment(invocation, output: .silent)).choices(flow)
  }

  @Test func `nothing is chosen by a login without options`() throws {
    #expect(try choices(.code).unlessEmpty == nil)
  }

  @Test func `what is meant for one login is not kept, and no secret is`() throws {
    let kept = try choices(
      .code, "--login-hint", "me", "--prompt", "consent", "--max-age", "1", "--acr-values", "a", "--ui-locales", "de",
      "--param", "access_type=offline", "--param", "otp=1234", "--token-param", "api_key=s", "--token-param", "t=1",
      "--header", "X-Key=v", "--audience", "api")
    #expect(kept.authorizationParameters == [Parameter("audience", "api"), Parameter("access_type", "offline")])
    #expect(kept.tokenParameters == [Parameter("audience", "api"), Parameter("t", "1")])
    #expect(kept.headers == ["X-Key"] && kept.flow == nil)
  }

  @Test func `the answer's ways are kept, and that no scope was wanted`() throws {
    let kept = try choices(.code, "--response-mode", "jwt", "--response-type", "code id_token", "--scope", "")
    #expect(kept.responseMode == .jwt && kept.isHybrid == true && kept.asksForNoScope == true)
  }

  @Test func `of a password its owner is kept, of an exchange its types`() throws {
    let person = try choices(.direct(.password(username: "ada", password: Secret("p"))), "--username", "ada")
    #expect(person.username == "ada" && person.flow == "password")
    let exchange = TokenExchange(subjectToken: Secret("t"), subjectTokenType: "urn:s", requestedTokenType: "urn:r")
    let kept = try choices(.direct(.tokenExchange(exchange)), "--flow", "token-exchange")
    #expect(kept.subjectTokenType == "urn:s" && kept.requestedTokenType == "urn:r")
  }
}
