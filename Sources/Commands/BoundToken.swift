internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// The header lines of a request with a token that is bound to a key.
struct BoundToken {
  private let environment: Environment
  private let account: Account

  init(_ environment: Environment, _ account: Account) {
    self.environment = environment
    self.account = account
  }

  /// Gives the Authorization line and, for a bound token, the line that proves its key for one request.
  ///
  /// - Throws: ``Failure``, `KeyError`.
  func headers(_ stored: StoredToken, url: String, method: String, nonce: String?) throws -> String {
    guard WebURL(url) != nil else {
      throw Failure(
        .usage, "\(Quoting.quote(url)) is no URL", hint: "give the request's URL, as https://api.example.com/me")
    }
    guard !method.isEmpty, method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw Failure(.usage, "\(Quoting.quote(method)) is no method", hint: "write it as GET or POST")
    }
    let line = "Authorization: \(stored.tokens.authorizationScheme) \(stored.tokens.accessToken.reveal())\n"
    guard stored.tokens.authorizationScheme == "DPoP" else { return line }
    guard var binding = try environment.sessions.load(account)?.binding else {
      throw Failure(
        .loginRequired, "the key that the token of \(account) is bound to is not there",
        hint: "run '\(TypedCommand.text("login", account, "--dpop"))'")
    }
    if let nonce, let origin = DPoP.origin(of: url) { binding.nonces[origin] = nonce }
    let stamp = try Network.stamp(environment.time, environment.random)
    let proof: HTTPHeader
    do {
      proof = try binding.proof(method: method, url: url, accessToken: stored.tokens.accessToken, stamp: stamp)
    } catch {
      throw Failure(
        security: .unusableBindingKey(provider: account.provider, reason: error.message), login: account.description)
    }
    return line + "\(proof.name): \(proof.value)\n"
  }
}
