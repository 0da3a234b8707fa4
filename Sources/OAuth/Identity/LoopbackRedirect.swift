/// Redirect URIs that lead back to this machine, as they are registered and compared.
///
/// RFC 8252 section 7.3 has servers take any port there, and many compare it all the same: so the URI with its port is
/// registered, beside the one without, and the same port is used again.
public enum LoopbackRedirect {
  /// How many URIs of one client are kept at a server.
  static let most = 8

  /// Gives the URIs to register for one that is used: itself, and for loopback the one without a port.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc8252#section-7.3
  public static func registered(for uri: String) -> [String] {
    guard let bare = withoutPort(uri), bare != uri else { return [uri] }
    return [uri, bare]
  }

  /// Gives the ports of loopback URIs, in order: those to try first at the next login.
  public static func ports(in uris: [String]) -> [Int] {
    uris.compactMap { uri in WebURL(uri).flatMap { $0.isLoopback && $0.scheme == "http" ? $0.port : nil } }
  }

  /// Whether a server that registered these URIs has taken this one: as it is, or as loopback of any port.
  public static func isTaken(_ uri: String, among registered: [String]) -> Bool {
    registered.isEmpty || registered.contains(uri)
      || withoutPort(uri).map { bare in registered.contains { $0 == bare } } ?? false
  }

  /// Whether a registration is good for this URI: it has it, or it has the one without a port alone, of which a server that
  /// keeps no ports takes any.
  public static func fits(_ uri: String, _ registered: [String]) -> Bool {
    if registered.contains(uri) { return true }
    guard let bare = withoutPort(uri), registered.contains(bare) else { return false }
    return !registered.contains { $0 != bare && withoutPort($0) == bare }
  }

  /// Gives the URIs for a changed registration: the new one first, and those that other logins may still use.
  public static func merged(_ new: [String], with present: [String]) -> [String] {
    Array((new + present.filter { !new.contains($0) }).prefix(most))
  }

  private static func withoutPort(_ uri: String) -> String? {
    guard let url = WebURL(uri), url.scheme == "http", url.isLoopback else { return nil }
    return "http://\(url.host)\(url.rest)"
  }
}
