import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

/// What follows from the other parts of a login's plan.
struct LoginPlanRulesTests {
  private func plan(_ scopes: [String], _ change: (inout Provider) -> Void = { _ in }) -> LoginPlan {
    LoginPlan(
      client: RequestingClient(provider: Sample.provider(change), registration: ClientRegistration(id: "app")),
      scopes: scopes)
  }

  private func asksForConsent(_ plan: LoginPlan, isInCatalogue: Bool = false, offered: [String]? = nil) -> Bool {
    var plan = plan
    plan.askForConsent(isInCatalogue: isInCatalogue, offered: offered)
    return plan.authorizationParameters.contains(Parameter("prompt", "consent"))
  }

  @Test func `offline access is asked for with consent, unless somebody says otherwise`() {
    let offline = ["openid", "offline_access"]
    #expect(asksForConsent(plan(offline)) && asksForConsent(plan(offline), offered: ["login", "consent"]))
    #expect(!asksForConsent(plan(["openid"])) && !asksForConsent(plan(["offline_access"])))
    #expect(!asksForConsent(plan(offline), isInCatalogue: true))
    #expect(!asksForConsent(plan(offline), offered: ["login"]))
    #expect(!asksForConsent(plan(offline) { $0.authorizationParams = ["prompt": "login"] }))
    var asked = plan(offline)
    asked.authorizationParameters = [Parameter("prompt", "none")]
    #expect(!asksForConsent(asked))
  }

  @Test func `the catalogue's scopes are what its providers want, a file's of the same name need not be`() throws {
    let entry = try #require(ProviderCatalog.load().first { $0.scopes != nil && $0.issuer != nil })
    let account = Account(provider: entry.name)
    #expect(LoginTarget(provider: entry, account: account).isInCatalogue(entry))
    #expect(LoginTarget(provider: entry, account: account, isUsersOwn: true).isInCatalogue(entry))
    var other = entry
    other.issuer = "https://other.example"
    #expect(!LoginTarget(provider: other, account: account, isUsersOwn: true).isInCatalogue(other))
    #expect(!LoginTarget(provider: Sample.provider(), account: Sample.account).isInCatalogue(Sample.provider()))
  }

  @Test func `an age that is asked for is checked, whoever asks`() {
    func age(_ flow: LoginFlow, _ parameters: [Parameter], _ change: (inout Provider) -> Void = { _ in }) -> Int? {
      var plan = plan(["openid"], change)
      plan.authorizationParameters = parameters
      plan.checkAge(flow)
      return plan.maxAge
    }
    #expect(age(.code, []) == nil)
    #expect(age(.code, [Parameter("max_age", "60")]) == 60 && age(.device, [Parameter("max_age", "60")]) == 60)
    #expect(age(.code, []) { $0.authorizationParams = ["max_age": "30"] } == 30)
    #expect(age(.code, [Parameter("max_age", "60")]) { $0.authorizationParams = ["max_age": "30"] } == 60)
    #expect(age(.device, []) { $0.authorizationParams = ["max_age": "30"] } == nil)
    #expect(age(.device, []) { $0.deviceParams = ["max_age": "20"] } == 20)
  }
}
