public import FoundationEssentials

/// What a poll of a device login turned out to be.
public enum DevicePoll: Sendable, Equatable {
  /// The person has approved.
  case tokens(TokenSet)
  /// The person has not decided yet.
  case pending
  /// The person has not decided yet, and the polls come too fast; the interval that the server names, if it does.
  case slowDown(interval: Int?)
  /// The server could not answer: overload, an outage, a page from a proxy. The seconds of `Retry-After`, where given.
  case backOff(ServerError, retryAfter: Int?)

  /// Judges the reply to one poll.
  ///
  /// The `error` of the body decides, whatever the status: servers send it with 200, 400, 401, 403 and 428. A status
  /// means something by itself only where the provider's data says what (`status_errors`). An error that nobody knows
  /// ends the login.
  ///
  /// - Parameter now: when it was received; expiry counts from here.
  /// - Throws: ``TokenFailure``: denied and expired are ``TokenFailure/grantRefused(_:)``.
  /// - See: https://www.rfc-editor.org/rfc/rfc8628#section-3.5
  public static func validate(
    _ response: HTTPResponse, provider: Provider, now: Date
  ) throws(TokenFailure) -> DevicePoll {
    let body = ReplyBody(response)
    let error = error(in: response, body, provider)
    switch error?.code {
    case "authorization_pending":
      return .pending
    case "slow_down":
      guard case .fields(let fields) = body, fields["interval"] != nil else { return .slowDown(interval: nil) }
      return .slowDown(interval: DeviceAuthorization.interval(fields["interval"]))
    default: break
    }
    let failure: TokenFailure
    if let error {
      failure = TokenFailure.classify(response, body: body, error: error, now: now)
    } else {
      do {
        return .tokens(try TokenResponse.validate(response, provider: provider, now: now))
      } catch {
        failure = error
      }
    }
    if case .transient(let said, let retryAfter) = failure { return .backOff(said, retryAfter: retryAfter) }
    throw failure
  }

  private static func error(in response: HTTPResponse, _ body: ReplyBody, _ provider: Provider) -> ServerError? {
    let quirks = provider.effectiveQuirks
    var found: ServerError?
    if case .fields(let fields) = body {
      found = ServerError(status: response.status, fields: fields, okField: quirks.okField)
      if let name = quirks.device?.errorField, let code = fields[name]?.text, !code.isEmpty,
        fields["access_token"] == nil
      {
        found = ServerError(status: response.status, code: code)
      }
    }
    if found?.code == nil, body != .html, let code = quirks.device?.statusErrors?[String(response.status)] {
      return ServerError(status: response.status, code: code, description: found?.description)
    }
    return found?.translated(by: quirks.errorAliases)
  }
}
