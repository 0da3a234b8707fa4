/// What a server said went wrong, in its own words (RFC 6749 section 5.2 and 4.1.2.1).
///
/// Not yet fit for a terminal.
public struct ServerError: Error, Sendable, Equatable {
  /// The HTTP status, or nil where it came with a redirect.
  public var status: Int?
  /// The `error` code; nil where there was none.
  public var code: String?
  /// The `error_description`, or what the server has in its place.
  public var description: String?
  /// The `error_uri`.
  public var uri: String?
  /// What the client had shown with the request, where that may be what was refused.
  public var shown: Shown?

  /// Which endpoint it was; nil for the token endpoint, and where there is no doubt.
  public var endpoint: Endpoint?

  /// An endpoint that a login asks before the token endpoint, as a message calls it.
  public enum Endpoint: String, Sendable {
    /// Of RFC 8628 section 3.1.
    case deviceAuthorization = "device authorization endpoint"
    /// Of RFC 9126 section 2.
    case pushedAuthorizationRequest = "pushed authorization request endpoint"
  }

  /// What a request had that tells the client from others.
  public struct Shown: Sendable, Equatable {
    /// How it authenticated.
    public var method: ClientAuthMethod
    /// Whether a proof of the tokens' key went along.
    public var isBound: Bool

    /// Makes one.
    public init(method: ClientAuthMethod, isBound: Bool) {
      self.method = method
      self.isBound = isBound
    }
  }

  /// Whether it is about the proof of a key (RFC 9449 sections 5 and 8).
  public var isOfProof: Bool { code == "invalid_dpop_proof" || code == "use_dpop_nonce" }

  /// Makes one.
  public init(status: Int? = nil, code: String? = nil, description: String? = nil, uri: String? = nil) {
    self.status = status
    self.code = code
    self.description = description
    self.uri = uri
  }

  /// Gives the same error with the RFC's code in place of the provider's own, which is kept as the description.
  func translated(by aliases: [String: String]?) -> ServerError {
    guard let code, let meaning = aliases?[code] else { return self }
    return ServerError(status: status, code: meaning, description: description ?? code, uri: uri)
  }

  /// Gives the same error with its words redacted.
  public func redacted(by redactor: Redactor) -> ServerError {
    // Twice: a character that no terminal shows, put into an echoed secret, would hide it from the first look.
    func clean(_ text: String) -> String {
      redactor.redact(PrintableText.printable(redactor.redact(text), limit: 1000))
    }
    var cleaned = self
    (cleaned.code, cleaned.description, cleaned.uri) = (code.map(clean), description.map(clean), uri.map(clean))
    return cleaned
  }

  /// Finds the error in a body's fields, or nil where they hold none.
  ///
  /// `error` may be a string, a number, or an object with a code and a message of its own; an envelope's `ok: false`
  /// (`okField`) makes the body a failure whatever else is in it.
  init?(status: Int, fields: [String: JSONValue], okField: String? = nil) {
    let message = ["error_description", "error_message", "message", "detail", "reason"]
      .lazy.compactMap { fields[$0]?.text }.first { !$0.isEmpty }
    let failedEnvelope = okField.flatMap { fields[$0] } == .bool(false)
    switch fields["error"] {
    case nil, .null, .bool(false):
      guard failedEnvelope else { return nil }
      self.init(status: status, description: message)
    case .string(let code):
      guard !code.isEmpty || failedEnvelope else { return nil }
      self.init(status: status, code: code, description: message, uri: fields["error_uri"]?.text)
    case .object(let inner):
      let code = inner["code"]?.plainText ?? inner["type"]?.text
      self.init(status: status, code: code, description: inner["message"]?.text ?? message)
    case .some(let other):
      self.init(status: status, code: other.plainText, description: message)
    }
  }
}
