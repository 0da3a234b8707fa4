import Crypto
import FoundationEssentials
import OAuth

private let now = Date(timeIntervalSince1970: 1_800_000_000)
private let statuses = [200, 400, 401, 200, 429, 500, 302, 201]

/// The first byte chooses the status and the provider's quirks, the rest is the body.
func checkTokenReply(_ input: [UInt8]) throws {
  guard let first = input.first else { return }
  let body = Array(input.dropFirst())
  let status = statuses[Int(first) % statuses.count]
  var provider = Provider(name: "acme")
  if first & 0x10 != 0 {
    provider.quirks = Quirks()
    provider.quirks?.tokenPath = "authed_user"
    provider.quirks?.okField = "ok"
    provider.quirks?.expiresInUnit = .milliseconds
  }
  let type = first & 0x20 != 0 ? "text/html" : "application/json"
  let header = String(decoding: body.prefix(12).filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
  let headers = [HTTPHeader("Content-Type", type), HTTPHeader("Retry-After", header)]
  try checkOtherReplies(HTTPResponse(status: status, headers: headers, body: body), provider)
  func read(_ body: [UInt8]) -> Result<TokenSet, TokenFailure> {
    let response = HTTPResponse(status: status, headers: headers, body: body)
    return Result { () throws(TokenFailure) in try TokenResponse.validate(response, provider: provider, now: now) }
  }
  let result = read(body)
  switch result {
  case .success(let tokens):
    try require((200...299).contains(status), "a token is taken from a reply with status \(status)")
    try checkTokens(tokens)
    // White space before a byte order mark is no white space before the text.
    guard body.first != 0xEF else { return }
    try require(read([0x20, 0x0A] + body + [0x0D, 0x0A]) == result, "white space around the body changes the reply")
  case .failure(let failure):
    try checkWords(failure.redacted(by: Redactor()).serverError)
    if case .transient(_, let delay?) = failure { try require(delay >= 0, "a delay is negative") }
  }
}

private func checkTokens(_ tokens: TokenSet) throws {
  for secret in [tokens.accessToken, tokens.refreshToken, tokens.idToken].compactMap(\.self) {
    try require(!secret.isEmpty, "a token is empty")
    try require(secret.reveal().utf8.allSatisfy { 0x20...0x7E ~= $0 }, "a token breaks out of a header line")
  }
  for date in [tokens.expiresAt, tokens.refreshExpiresAt].compactMap(\.self) {
    try require(date.timeIntervalSince(now) <= 100 * 366 * 86400, "a lifetime is over a century")
  }
  try require(tokens.updated(by: tokens) == tokens, "updated by itself it is another")
  var bare = TokenSet(accessToken: Secret("new"), obtainedAt: now)
  bare = tokens.updated(by: bare)
  try require(bare.refreshToken == tokens.refreshToken && bare.idToken == tokens.idToken, "a refresh loses a token")
}

private func checkWords(_ error: ServerError) throws {
  for text in [error.code, error.description, error.uri].compactMap(\.self) {
    try require(!text.unicodeScalars.contains(where: isUnprintable), "an error's words are orders to a terminal")
    try require(text.unicodeScalars.count <= 1000 + Redactor.mark.count * 1000, "an error's words have no end")
  }
}
