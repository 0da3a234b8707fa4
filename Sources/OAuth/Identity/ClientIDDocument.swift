/// A client id that is the URL of the client's own metadata.
///
/// - See: https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
public enum ClientIDDocument {
  /// Why a URL cannot be used as a client id.
  public enum Failure: Error, Sendable, Equatable {
    /// It is not of the form that the draft has; the reason in words.
    case malformed(clientID: String, reason: String)
    /// The server does not say that it takes such ids; whether it registers clients instead.
    case unsupported(issuer: String, canRegister: Bool)
  }

  /// Whether a client id looks like a URL, and so like the place of a document.
  public static func isURL(_ clientID: String) -> Bool { clientID.lowercased().hasPrefix("https://") }

  /// Checks that a server can take a URL as the client's id.
  ///
  /// An id that is no URL is another kind, and not judged.
  ///
  /// - Parameter metadata: what the server says of itself; nil where it was not asked, and then nothing is known.
  /// - Throws: ``Failure``.
  public static func check(_ clientID: String, at metadata: ServerMetadata?) throws(Failure) {
    guard isURL(clientID) else { return }
    if let reason = fault(of: clientID) { throw .malformed(clientID: clientID, reason: reason) }
    guard let metadata, !metadata.takesClientIDDocuments else { return }
    throw .unsupported(issuer: metadata.issuer, canRegister: metadata.endpoints.registration != nil)
  }

  /// What the draft's section 3 has against a URL; nil for one that it takes.
  private static func fault(of text: String) -> String? {
    guard let url = WebURL(text) else { return "it is no URL, or has a user name in it" }
    guard !text.contains("#") else { return "it has a fragment" }
    let path = url.rest.prefix { $0 != "?" }
    guard path.count > 1 else { return "it has no path" }
    let parts = path.split(separator: "/").map { $0.lowercased().replacing("%2e", with: ".") }
    return parts.contains { $0 == "." || $0 == ".." } ? "it has a dot as a part of its path" : nil
  }
}
