import FoundationEssentials
import OAuth

private let now = Date(timeIntervalSince1970: 1_800_000_000)

/// The same reply as one of the device authorization endpoint, to a poll, and of the endpoint for pushed requests.
func checkOtherReplies(_ response: HTTPResponse, _ provider: Provider) throws {
  var provider = provider
  var quirks = provider.quirks ?? Quirks()
  if quirks.tokenPath != nil {
    quirks.device = DeviceStyle()
    quirks.device?.fieldAliases = ["link": "verification_uri"]
    quirks.device?.expiresInUnit = .milliseconds
    quirks.device?.errorField = "message"
    quirks.device?.statusErrors = ["400": "authorization_pending", "429": "slow_down"]
  }
  provider.quirks = quirks
  if let authorization = try? DeviceAuthorization.validate(response, provider: provider, now: now) {
    try check(authorization)
  }
  if let pushed = try? PushedAuthorization.validate(response, provider: provider, now: now) {
    try require(pushed.requestURI.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "a reference breaks out of a URL")
  }
  switch try? DevicePoll.validate(response, provider: provider, now: now) {
  case .tokens(let tokens):
    let read = try? TokenResponse.validate(response, provider: provider, now: now)
    try require(read == tokens, "a poll's tokens are others than those of the reply")
  case .slowDown(let interval?): try require((1...300).contains(interval), "an interval has no bounds")
  case .backOff(_, let delay?): try require(delay >= 0, "a delay is negative")
  case .pending, .slowDown, .backOff, nil: break
  }
}

private func check(_ authorization: DeviceAuthorization) throws {
  let code = authorization.userCode
  try require(!code.isEmpty && code.unicodeScalars.count <= 64, "a user's code is no code")
  for text in [code, authorization.message ?? ""] {
    try require(!text.unicodeScalars.contains(where: isUnprintable), "a user's text is an order to a terminal")
  }
  for uri in [authorization.verificationURI, authorization.verificationURIComplete].compactMap(\.self) {
    try require(WebURL(uri) != nil, "a page that no browser opens is shown")
  }
  try require((1...300).contains(authorization.interval), "an interval has no bounds")
  let lifetime = authorization.expiresAt.timeIntervalSince(now)
  try require(lifetime > 0 && lifetime <= 86400, "a code's lifetime has no bounds")
  var polling = DevicePolling(authorization)
  var (passed, count) = (polling.firstDelay(now: now), 0)
  while let seconds = passed {
    try require(seconds < lifetime, "a poll comes after the end of its code")
    let outcome: DevicePolling.Outcome = count % 3 == 0 ? .slowDown(interval: nil) : .failure(retryAfter: nil)
    passed = polling.delay(after: outcome, now: now.addingTimeInterval(seconds)).map { $0 + seconds }
    count += 1
    try require(count < 100_000, "the polls have no end")
  }
}
