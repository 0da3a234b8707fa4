import Crypto
import FoundationEssentials
import Host
import OAuth

/// A login whose state the fuzzer can know, as nobody else does.
private let pending = PendingAuthorization(
  random: [UInt8](repeating: 7, count: 96), method: .s256, usesOpenID: true, redirectURI: "http://127.0.0.1:1/callback",
  issuer: "https://id.example", requiresIssuer: false)

func checkCallback(_ input: [UInt8]) throws {
  let whole = CallbackRequest.parse(input)
  try checkSplits(input, whole)
  guard case .request(let request) = whole else { return }
  try require(request.path.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "the path holds more than visible ASCII")
  try require(request.query.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "the query holds more than visible ASCII")
  try require(!request.query.contains("#"), "the query holds a fragment")
  for header in request.headers {
    try require(HeaderLine.isSafe(name: header.name, value: header.value), "a field holds what ends a line")
    try require(header.name == header.name.lowercased(), "a field's name is not in lower case")
  }
  try require(CallbackRequest.parse(printed(request)) == whole, "printed and read again it is another request")
  try checkQuery(request.query)
}

/// However the bytes arrive, they are the same request, or none.
private func checkSplits(_ input: [UInt8], _ whole: CallbackRequest.Parsed) throws {
  let step = max(1, input.count / 200)
  for end in stride(from: 0, to: input.count, by: step) {
    let part = CallbackRequest.parse(Array(input[..<end]))
    switch (part, whole) {
    case (.incomplete, _): break
    case (.request, _): try require(part == whole, "more bytes make another request of a whole one")
    case (.malformed, .request), (.tooLarge, .request), (.malformed, .incomplete), (.tooLarge, .incomplete):
      throw Violation(description: "what was refused at byte \(end) is taken when it comes at once")
    case (.malformed, _), (.tooLarge, _): break
    }
  }
  if whole == .incomplete {
    try require(input.count <= CallbackRequest.maximumHead, "more than the limit is waited for")
  }
}

private func printed(_ request: CallbackRequest) -> [UInt8] {
  var text = "\(request.method) \(request.target) HTTP/1.\(request.isHTTP10 ? 0 : 1)\r\n"
  for header in request.headers { text += "\(header.name): \(header.value)\r\n" }
  return Array((text + "\r\n").utf8)
}

/// Only a query that says the state, and says it once, is an answer to the login.
func checkQuery(_ query: String) throws {
  let states = FormEncoding.decode(query).filter { $0.name == "state" }
  let isOurs = states.count == 1 && states[0].value == pending.state.reveal()
  let isStray = if case .stray = AuthorizationResponse.validate(query: query, pending: pending) { true } else { false }
  try require(isStray == !isOurs, "a callback is judged by something else than its state")
  guard states.isEmpty else { return }
  try checkImplicit(query, parameters: FormEncoding.decode(query))
  // The same with the right state added: whatever it says else, it is an answer, and only one with a code is good.
  let answer = AuthorizationResponse.validate(query: "\(query)&state=\(pending.state.reveal())", pending: pending)
  let parameters = FormEncoding.decode(query)
  switch answer {
  case .stray: throw Violation(description: "the right state is not enough")
  case .code:
    try require(parameters.count { $0.name == "code" } == 1, "a code is taken where there is not exactly one")
    try require(!parameters.contains { $0.name == "error" && !$0.value.isEmpty }, "a code is taken beside an error")
    let issuers = parameters.filter { $0.name == "iss" }
    try require(issuers.allSatisfy { $0.value == pending.issuer }, "a code of another issuer is taken")
  case .failure: break
  }
}

/// The same with the right state added, where the tokens come with the callback.
private func checkImplicit(_ query: String, parameters: [Parameter]) throws {
  let provider = Provider(name: "acme")
  let now = Date(timeIntervalSince1970: 1_800_000_000)
  func judge(_ text: String) -> ImplicitOutcome {
    ImplicitResponse.validate(text, pending: pending, provider: provider, now: now)
  }
  if case .stray = judge(query) {} else { throw Violation(description: "tokens are taken without the state") }
  guard case .tokens(let tokens) = judge("\(query)&state=\(pending.state.reveal())") else { return }
  try require(parameters.count { $0.name == "access_token" } <= 1, "a token is taken where there are two")
  try require(!parameters.contains { $0.name == "error" && !$0.value.isEmpty }, "a token is taken beside an error")
  try require(
    parameters.allSatisfy { $0.name != "iss" || $0.value == pending.issuer }, "a token of another issuer is taken")
  try require(tokens.refreshToken == nil, "a refresh token is taken from the browser")
}

func checkPasted(_ text: String) throws {
  guard case .code = AuthorizationResponse.validate(pasted: text, pending: pending) else { return }
  let isBare = !text.contains("?") && !text.contains("#")
  try require(isBare || text.contains(pending.state.reveal()), "a pasted URL is taken without the state")
}
