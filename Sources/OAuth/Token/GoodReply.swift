internal import FoundationEssentials

/// The reply of an endpoint that gives no tokens.
enum GoodReply {
  /// Gives the fields of a reply that succeeded.
  ///
  /// - Throws: ``TokenFailure``; a bare 400, 401 or 403 is a refusal of the client, since no grant was sent.
  static func fields(
    _ response: HTTPResponse, provider: Provider, now: Date
  ) throws(TokenFailure) -> [String: JSONValue] {
    let body = ReplyBody(response)
    let quirks = provider.effectiveQuirks
    var error: ServerError?
    if case .fields(let fields) = body {
      error = ServerError(status: response.status, fields: fields, okField: quirks.okField)?
        .translated(by: quirks.errorAliases)
      if error == nil, (200...299).contains(response.status) { return fields }
    }
    let failure = TokenFailure.classify(response, body: body, error: error, now: now)
    if case .grantRefused(let said) = failure, said.code.map({ !TokenFailure.isRefusal($0) }) ?? true {
      throw .clientRefused(said)
    }
    throw failure
  }
}
