internal import OAuth

/// Where a browser of another machine goes back to: an address at which nothing listens, so that it can be copied.
enum TwoStepRedirect {
  /// The port where neither the user nor the provider's data fixes one.
  ///
  /// No well-known program listens there, and no system gives it to a program that asks for any: what listened there
  /// would get the code.
  static let usualPort = 28765

  /// Gives the redirect URI: at the first port that is registered.
  static func uri(_ redirect: Redirect, ports: [Int]?) -> String {
    let port = (ports ?? redirect.effectivePorts).first { $0 != 0 } ?? usualPort
    return "http://\(redirect.effectiveHost):\(port)\(redirect.effectivePath)"
  }

  /// What the person will see, and what to do with it.
  static func explanation(_ uri: String) -> String {
    guard let url = WebURL(uri), url.scheme == "http", Redirect.loopbackHosts.contains(url.host) else {
      return
        "open it in any browser and log in; then copy the address of the page that it ends at, or the code that the "
        + "page shows"
    }
    return
      "open it in any browser and log in; the browser then says that it cannot reach \(url.host), and that is right: "
      + "copy the address that it shows"
  }
}
