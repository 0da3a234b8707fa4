internal import FoundationEssentials
internal import OAuth

/// What becomes of the tokens that a refresh brought.
extension RefreshSession {
  /// Saves the new tokens before anyone sees them: they exist nowhere else.
  func keep(_ reply: TokenEndpoint.Reply, in session: Session, _ wanted: Wanted) async throws -> Session {
    let account = wanted.account
    let change: @Sendable (inout Session) -> Void = {
      $0.take(reply.tokens, for: wanted.variant)
      $0.binding = reply.client.binding ?? $0.binding
      $0.pendingRefresh = nil
      $0.refused = nil
      $0.backoff = nil
    }
    let saved: SessionStore.Saved
    if session.tokens.refreshToken == nil {
      // A grant that stands gives another token at any time: nothing is lost with this one, and nobody is kept waiting.
      saved = try await offPool { try sessions.update(session, of: account, change) }
    } else {
      saved = try await keepLastCopy(of: session, account, change)
    }
    warnOfScopes(reply.tokens, session, wanted)
    if session.binding != nil, reply.tokens.authorizationScheme != "DPoP" {
      warn(
        "the new token of \(account) is not bound to its key any more: the server answered with the token_type "
          + PrintableText.printable(reply.tokens.tokenType ?? "none", limit: 40))
    }
    return saved.session
  }

  /// Saves what the server will not give again, for as long as that may help, and tells where it will not last.
  private func keepLastCopy(
    of session: Session, _ account: Account, _ change: @escaping @Sendable (inout Session) -> Void
  ) async throws -> SessionStore.Saved {
    var saved: SessionStore.Saved
    do {
      saved = try await persevering(time) { isLastCopy in
        try sessions.update(session, of: account, isLastCopy: isLastCopy, change)
      }
    } catch let error as StoreError {
      throw FlowError.tokensNotSaved(account, error)
    }
    saved = await settled(saved, account)
    if saved.place == .sessionOnly {
      warn(
        "the new tokens of \(account) are in the memory of the keyring's service alone: make it writable (oauthctl "
          + "unlock), and run 'oauthctl refresh \(account)' before you log out")
    }
    return saved
  }

  /// Tries for a while to bring what is in the keyring service's memory alone to where it lasts: that service may be
  /// about to be started anew, or somebody about to unlock it.
  private func settled(_ saved: SessionStore.Saved, _ account: Account) async -> SessionStore.Saved {
    var saved = saved
    for pause in [500, 1000, 2000, 4000, 7000] where saved.place == .sessionOnly {
      try? await time.sleep(for: .milliseconds(pause))
      let current = saved
      saved = (try? await offPool { try sessions.update(current.session, of: account) { _ in } }) ?? current
    }
    return saved
  }
}
