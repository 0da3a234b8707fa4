import OAuth
import TestSupport
import Testing

struct AuthenticationChallengeTests {
  typealias Challenge = AuthenticationChallenge

  private static func bearer(_ parameters: (String, String)...) -> Challenge {
    Challenge(scheme: "Bearer", parameters: parameters.map { Parameter($0.0, $0.1) })
  }

  static let lines: [Named<(line: String, challenges: [Challenge])>] = [
    Named(
      "RFC 9110 section 11.6.1",
      (
        #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
        [
          Challenge(scheme: "Basic", parameters: [Parameter("realm", "simple")]),
          Challenge(
            scheme: "Newauth",
            parameters: [
              Parameter("realm", "apps"), Parameter("type", "1"), Parameter("title", #"Login to "apps""#),
            ]),
        ]
      )),
    Named(
      "RFC 9728 section 5.1",
      (
        #"Bearer resource_metadata="https://resource.example.com/.well-known/oauth-protected-resource""#,
        [bearer(("resource_metadata", "https://resource.example.com/.well-known/oauth-protected-resource"))]
      )),
    Named(
      "RFC 6750 section 3",
      (
        #"Bearer realm="example", error="invalid_token", error_description="The access token expired""#,
        [bearer(("realm", "example"), ("error", "invalid_token"), ("error_description", "The access token expired"))]
      )),
    Named(
      "RFC 9449 section 7.1",
      (
        #"DPoP algs="ES256 PS256""#, [Challenge(scheme: "DPoP", parameters: [Parameter("algs", "ES256 PS256")])]
      )),
    Named("a scheme alone", ("Bearer", [bearer()])), Named("nothing", ("", [])), Named("commas", (" ,, ,", [])),
    Named("two schemes alone", ("Negotiate, Bearer", [Challenge(scheme: "Negotiate"), bearer()])),
    Named(
      "data",
      (
        "Negotiate a87421000492aa874209af8bc028==",
        [
          Challenge(scheme: "Negotiate", token68: "a87421000492aa874209af8bc028==")
        ]
      )),
    Named(
      "data before another",
      (
        "Negotiate YWJj, Bearer a=b",
        [
          Challenge(scheme: "Negotiate", token68: "YWJj"), bearer(("a", "b")),
        ]
      )),
    Named("blanks around the sign", (#"Bearer realm = "x" , scope\#t=\#ty"#, [bearer(("realm", "x"), ("scope", "y"))])),
    Named("no commas", (#"Bearer realm="x" scope="y z""#, [bearer(("realm", "x"), ("scope", "y z"))])),
    Named("an empty element", (#"Bearer realm="x",, scope="y","#, [bearer(("realm", "x"), ("scope", "y"))])),
    Named(
      "a URL without quotes",
      (
        "Bearer resource_metadata=https://h:1/a?b=c, scope=d",
        [
          bearer(("resource_metadata", "https://h:1/a?b=c"), ("scope", "d"))
        ]
      )),
    Named(
      "names in another case",
      (
        #"BEARER Realm="X""#,
        [
          Challenge(scheme: "BEARER", parameters: [Parameter("realm", "X")])
        ]
      )),
    Named("a name twice", (#"Bearer a="1", A="2""#, [bearer(("a", "1"))])),
    Named("a quote without an end", (#"Bearer realm="x, scope=y"#, [bearer(("realm", "x, scope=y"))])),
    Named("a backslash at the end", (#"Bearer realm="x\"#, [bearer(("realm", #"x\"#))])),
    Named("an empty value", (#"Bearer realm="", scope="y""#, [bearer(("realm", ""), ("scope", "y"))])),
    Named(
      "commas and signs in quotes",
      (
        #"Bearer realm="a=b, Basic c=d", e=f"#,
        [
          bearer(("realm", "a=b, Basic c=d"), ("e", "f"))
        ]
      )),
    Named("a parameter of nothing", ("realm=x, Bearer a=b", [bearer(("a", "b"))])),
    Named("rubbish between", (#"Bearer a=b; c=d, @"x y" e=f"#, [bearer(("a", "b;"), ("c", "d"), ("e", "f"))])),
  ]

  @Test(arguments: lines) func `a line is read as what was meant`(
    _ row: Named<(line: String, challenges: [Challenge])>
  ) {
    let response = HTTPResponse(status: 401, headers: [HTTPHeader("www-authenticate", row.value.line)])
    #expect(Challenge.all(in: response) == row.value.challenges)
  }

  @Test func `several lines are read in their order, and a parameter belongs to its own line`() {
    let response = HTTPResponse(
      status: 401,
      headers: [
        HTTPHeader("WWW-Authenticate", "Basic realm=a"), HTTPHeader("X", "Digest b=c"),
        HTTPHeader("WWW-Authenticate", #"scope="x", Bearer error="e""#),
      ])
    let challenges = Challenge.all(in: response)
    #expect(challenges.map(\.scheme) == ["Basic", "Bearer"])
    #expect(challenges[0].parameters == [Parameter("realm", "a")])
    #expect(challenges[1].parameter("error") == "e" && challenges[1].isOf("bearer") && !challenges[0].isOf("Bearer"))
  }

  @Test func `a server cannot make much work`() {
    let many = (0..<5000).map { "S\($0) a=b" }.joined(separator: ", ")
    let lines = (0..<200).map { _ in HTTPHeader("WWW-Authenticate", many) }
    #expect(Challenge.all(in: HTTPResponse(status: 401, headers: lines)).count == 32)
    let wide = "Bearer " + (0..<5000).map { "p\($0)=1" }.joined(separator: ",")
    let one = Challenge.all(in: HTTPResponse(status: 401, headers: [HTTPHeader("WWW-Authenticate", wide)]))
    #expect(one.count == 1 && one[0].parameters.count == 32)
  }

  @Test func `no bytes trap it`() {
    var generator = SystemRandomNumberGenerator()
    let pieces = ["Bearer", " ", ",", "=", "\"", "\\", "a", "\t", "é", "==", "/", "\u{0}", "DPoP x=y"]
    for _ in 0..<3000 {
      let line = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
      _ = Challenge.all(in: HTTPResponse(status: 401, headers: [HTTPHeader("WWW-Authenticate", line)]))
    }
  }
}
