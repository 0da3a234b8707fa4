import Flows
import Testing

struct AccountTests {
  @Test func `an account is written as the user would type it`() {
    #expect("\(Account(provider: "acme", name: "work"))" == "acme/work")
    #expect("\(Account(provider: "acme"))" == "acme" && Account(provider: "acme").name == "default")
  }

  @Test(arguments: [
    ("acme", "acme", nil), ("acme/work", "acme", "work"), ("a.b-c_d+e@f/x", "a.b-c_d+e@f", "x"),
  ]) func `a name has one part or two`(_ text: String, _ provider: String, _ account: String?) {
    let name = AccountName(text)
    #expect(name?.provider == provider && name?.account == account)
  }

  @Test(arguments: [
    "", "/", "acme/", "/home", "acme/home/more", "ac me", "ac\nme", "ä", "a:b", "acme/ü",
    String(repeating: "a", count: 65),
  ]) func `what is no name is none`(_ text: String) {
    #expect(AccountName(text) == nil)
  }
}
