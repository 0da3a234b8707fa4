/// A promise that an input showed to be broken.
package struct Violation: Error, CustomStringConvertible {
  package let description: String
}

/// The readers of what others write, each with what must hold whatever comes.
///
/// libFuzzer looks for inputs that break it (`make fuzz`); the unit tests replay those that are kept in Tests/Corpus.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// The head of a request to the redirect address, and what its query is to a login.
  case callback
  /// The token endpoint's reply: JSON, a form, a page.
  case tokenReply = "token-reply"
  /// A provider file, and JSON in general.
  case providerFile = "provider-file"
  /// An ID token.
  case jwt
  /// A key set, and a key.
  case jwks
  /// The challenges of a server that wants a token.
  case challenge
  /// A query, a form, a pasted redirect URL.
  case form
  /// Server text on its way to a person: printed, redacted.
  case text
  /// What a keyring item holds, read whole and read fast.
  case session
  /// Bytes that a terminal sends.
  case typing

  /// Has the reader read the input and checks what must hold.
  ///
  /// - Throws: ``Violation``.
  package func check(_ input: [UInt8]) throws {
    switch self {
    case .callback: try checkCallback(input)
    case .tokenReply: try checkTokenReply(input)
    case .providerFile: try checkProviderFile(input)
    case .jwt: try checkIDToken(input)
    case .jwks: try checkKeySet(input)
    case .challenge: try checkChallenge(input)
    case .form: try checkForm(input)
    case .text: try checkText(input)
    case .session: try checkSession(input)
    case .typing: try checkTyping(input)
    }
  }
}

/// Notes a broken promise.
func require(_ holds: Bool, _ promise: @autoclosure () -> String) throws {
  if !holds { throw Violation(description: promise()) }
}

/// Whether a terminal would act on a scalar, or not show it.
func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator: true
  default: false
  }
}
