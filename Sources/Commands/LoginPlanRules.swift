internal import Flows
internal import OAuth

/// What follows from the other parts of a plan.
extension LoginPlan {
  /// Has the server ask for consent, without which it must not give a token that outlives the person's stay.
  ///
  /// Strict servers leave the refresh token out otherwise, and say nothing. What a person or the provider's data says of
  /// `prompt` wins, and the catalogue's data of a provider has what that provider wants.
  ///
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess
  mutating func askForConsent(isInCatalogue: Bool, offered: [String]?) {
    let own = provider.authorizationParams ?? [:]
    guard scopes.contains("openid"), scopes.contains("offline_access"), !isInCatalogue, own["prompt"] == nil,
      !authorizationParameters.contains(where: { $0.name == "prompt" }), offered?.contains("consent") ?? true
    else { return }
    authorizationParameters.append(Parameter("prompt", "consent"))
  }

  /// Has the answer checked for the age that it is asked for in, whoever asks.
  mutating func checkAge(_ flow: LoginFlow) {
    let own: [String: String]?
    switch flow {
    case .code, .implicit: own = provider.authorizationParams
    case .device: own = provider.deviceParams
    case .direct: own = nil
    }
    let asked = authorizationParameters.last { $0.name == "max_age" }?.value ?? own?["max_age"]
    maxAge = asked.flatMap { Int($0) } ?? maxAge
  }
}

extension LoginTarget {
  /// Whether the catalogue says what is asked for at the provider.
  func isInCatalogue(_ complete: Provider) -> Bool {
    guard let entry = ProviderDirectory.builtIn(provider.name), entry.scopes != nil else { return false }
    return !isUsersOwn || entry.issuer == complete.issuer
  }
}
