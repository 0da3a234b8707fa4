internal import FoundationEssentials
internal import OAuth

/// What a refresh that failed leaves behind.
extension RefreshSession {
  /// Writes down what a failure means for the next try.
  ///
  /// The login itself stays as it was.
  ///
  /// - Throws: ``SessionStore/Overtaken`` where the server refused, and somebody has stored another login meanwhile: that
  ///   one was not refused.
  func note(
    _ failure: any Error, in session: Session, _ account: Account, interrupted: PendingRefresh?
  ) async throws {
    // The keyring may have taken the new tokens after all: they must not be written over.
    if case FlowError.tokensNotSaved? = failure as? FlowError { return }
    // It says nothing of the server, and would not take this either.
    if failure is StoreError { return }
    let mayBeSpent = Self.mayBeSpent(failure)
    do {
      _ = try await updated(session, account) {
        // The mark stays where the server may have spent the token, now or the time before, so that the next refresh is
        // able to say so.
        if !mayBeSpent { $0.pendingRefresh = interrupted }
        $0.backoff = Self.backoff(after: failure, $0.backoff, now: time.now)
      }
    } catch let overtaken as SessionStore.Overtaken {
      if case TokenFailure.grantRefused = failure { throw overtaken }
    } catch {
      // A keyring that fails now must not hide what went wrong before.
    }
  }

  private static func backoff(after failure: any Error, _ former: Backoff?, now: Date) -> Backoff? {
    switch failure {
    case TokenFailure.transient(_, let retryAfter): .after(former, now: now, retryAfter: retryAfter)
    case let failure as TransportError:
      switch failure.kind {
      case .timedOut, .tls, .tooLarge, .broken: .after(former, now: now, retryAfter: nil)
      // As often this machine's as the server's: nobody who is online again waits for an hour.
      case .cannotResolve, .cannotConnect: .pause(former, now: now)
      case .refusedURL, .badCertificates, .badClientCertificate, .badProxy, .unavailable: former
      }
    default: former
    }
  }

  /// Whether the server may have spent the refresh token, although no new one came: it may have the request, or has
  /// answered it with success, or something before it answered for it (a proxy's 502 or 504).
  private static func mayBeSpent(_ failure: any Error) -> Bool {
    switch failure {
    case let failure as TransportError: failure.mayHaveArrived
    case TokenFailure.notATokenReply(let error, _): (200...299).contains(error.status ?? 0)
    case TokenFailure.transient(let error, _):
      error.code == nil && (error.status == 408 || (500...599).contains(error.status ?? 0))
    case is CancellationError, is JWT.Mismatch: true
    default: false
    }
  }

  /// Marks the grant as refused, unless a process that did not hold the lock has stored a newer one meanwhile.
  func refused(
    _ session: Session, _ account: Account, _ sent: String, _ error: ServerError, interrupted: PendingRefresh?
  ) async throws -> Session {
    do {
      _ = try await updated(session, account) {
        $0.pendingRefresh = nil
        $0.refused = RefusedGrant(
          fingerprint: sent, at: time.now, status: error.status, error: error.code,
          description: error.description.map { PrintableText.printable($0, limit: 200) })
      }
    } catch let overtaken as SessionStore.Overtaken {
      throw overtaken
    } catch {
      // A keyring that fails now must not hide what the server said.
    }
    if session.tokens.refreshToken == nil { throw FlowError.standingGrantRefused(account, error) }
    throw FlowError.grantRefused(account, error, interrupted: interrupted)
  }
}
