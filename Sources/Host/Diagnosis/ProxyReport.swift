internal import CCurl
internal import Loader

/// The proxy that the environment names for `https`, found and read as libcurl does.
public enum ProxyReport: Sendable, Equatable {
  /// None is named.
  case none
  /// The variable, and the proxy without its user and password.
  case used(variable: String, proxy: String, exceptions: String?)
  /// The variable whose value libcurl cannot use, and why; the value may hold a password.
  case malformed(variable: String, reason: String)

  private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// How libcurl reads a proxy's URL.
  static let leniency = CUnsignedInt(CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME)

  /// Reads the variables.
  ///
  /// - Throws: `SharedLibrary.Missing` without libcurl.
  public static func find(environment: [String: String]) throws -> ProxyReport {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    guard let variable = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].first(where: { value($0) != nil }),
      let text = value(variable)
    else { return .none }
    guard let url = URLHandle(try CurlLibrary.shared.get()) else { return .none }
    guard url.parse(text, leniency) == CURLUE_OK,
      let host = url.part(CURLUPART_HOST), !host.isEmpty
    else { return .malformed(variable: variable, reason: "it is not a URL") }
    // To libcurl the host ends at the first / ? or #: where a password holds one, the host is a piece of the password.
    guard
      ![CURLUPART_PATH, CURLUPART_QUERY, CURLUPART_FRAGMENT].contains(where: { url.part($0)?.contains("@") == true })
    else { return .malformed(variable: variable, reason: "it has an @ behind its host (write / as %2F in a password)") }
    let scheme = url.part(CURLUPART_SCHEME)?.lowercased() ?? "http"
    guard schemes.contains(scheme) else {
      return .malformed(variable: variable, reason: "its scheme is none of \(schemes.joined(separator: ", "))")
    }
    let port = url.part(CURLUPART_PORT) ?? (scheme == "https" ? "443" : "1080")
    return .used(
      variable: variable, proxy: "\(scheme)://\(host):\(port)", exceptions: value("no_proxy") ?? value("NO_PROXY"))
  }
}

/// The libraries that are loaded when they are needed.
public enum LibraryReport {
  /// Why libcurl cannot be loaded, as a sentence that names the package; nil where it can.
  public static func curlProblem() -> String? {
    switch CurlLibrary.shared {
    case .success: nil
    case .failure(let missing): missing.message
    }
  }
}
