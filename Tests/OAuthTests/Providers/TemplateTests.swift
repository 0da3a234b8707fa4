import Testing

@testable import OAuth

@Suite struct TemplateTests {
  @Test func `names are filled, the client's is left for the request`() throws {
    let values = ["host": "example.com", "n": "7"]
    #expect(
      try Template.fill("https://{host}/{n}/{client_id}/{n}", values, provider: "p")
        == "https://example.com/7/{client_id}/7")
    #expect(try Template.fill("", values, provider: "p") == "")
    #expect(try Template.fill("https://example.com/", values, provider: "p") == "https://example.com/")
  }

  @Test func `a value is not read as a template again`() throws {
    #expect(try Template.fill("{a}{b}", ["a": "{b}", "b": "1"], provider: "p") == "{b}1")
  }

  @Test(arguments: [("https://a.example/", "https://a.example/x"), ("https://a.example", "https://a.example/x")])
  func `one slash stands between a base and a path`(_ base: String, _ filled: String) throws {
    #expect(try Template.fill("{base}/x", ["base": base], provider: "p") == filled)
  }

  @Test func `an empty value is a missing one`() {
    for values in [[:], ["host": ""], ["other": "x"]] {
      let error = #expect(throws: ProviderError.self) { try Template.fill("https://{host}/", values, provider: "p") }
      #expect(error == .missingVariable("host", provider: "p"))
    }
  }

  @Test(arguments: [
    "{", "}", "{}", "{a", "a}", "{a}}", "{{a}}", "{a b}", "{ä}", "{a-b}", "{a}{",
    "{\(String(repeating: "a", count: 33))}",
  ])
  func `braces without a name are no template`(_ text: String) throws {
    #expect(Template.names(in: text) == nil)
    #expect(try Template.fill(text, ["a": "1"], provider: "p") == text)
  }

  @Test func `names come in order`() {
    #expect(Template.names(in: "{a}x{B_1}{a}") == ["a", "B_1", "a"])
    #expect(Template.names(in: "") == [])
  }

  private func provider(_ url: String, _ variables: [String: String] = [:]) -> Provider {
    var provider = Provider(name: "acme")
    provider.endpoints = Endpoints()
    provider.endpoints?.token = url
    provider.variables = variables
    return provider
  }

  @Test func `an override wins over the file's value and is kept`() throws {
    let filled = try provider("https://{host}/t", ["host": "a.example"]).filling(["host": "b.example"])
    #expect(filled.endpoints?.token == "https://b.example/t")
    #expect(filled.variables == ["host": "b.example"])
    #expect(try filled.filling(["host": "c.example"]).endpoints?.token == "https://b.example/t")
  }

  @Test func `a name that only a URL has can be given too`() throws {
    #expect(try provider("https://{host}/t").filling(["host": "b.example"]).endpoints?.token == "https://b.example/t")
    let error = #expect(throws: ProviderError.self) { try provider("https://{host}/t").filling(["hots": "b.example"]) }
    #expect(error == .unknownVariable("hots", provider: "acme", known: ["host"]))
  }

  @Test func `the client's id is no variable`() {
    let error = #expect(throws: ProviderError.self) {
      try provider("https://a.example/{client_id}").filling(["client_id": "x"])
    }
    #expect(error == .unknownVariable("client_id", provider: "acme", known: []))
  }

  @Test(
    arguments: [
      ("{base}/t", "http://a.example"), ("{base}/t", "a.example"), ("{base}/t", "https://u@a.example"),
      ("{base}/t", "https://a.example\n"), ("{base}/t", "https://{x}"), ("https://{base}/t", "u:p@a.example"),
      ("https://{base}/t", "a b"), ("https://{base}/t", "{base}"), ("{base}/t", "javascript:x"),
    ])
  func `a value does not send secrets where no secret may go`(_ url: String, _ value: String) {
    let error = #expect(throws: ProviderError.self) { try provider(url).filling(["base": value]) }
    guard case .badValue(key: "endpoints.token", _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a page for people that cannot be filled stops nothing`() throws {
    var provider = provider("https://{host}/t")
    provider.registerURL = "https://{workspace}.example/apps"
    #expect(try provider.filling(["host": "a.example"]).registerURL == "https://{workspace}.example/apps")
    provider.registerURL = "https://{host}/apps"
    #expect(try provider.filling(["host": "a.example"]).registerURL == "https://a.example/apps")
  }
}
