internal import Flows
internal import OAuth

/// The provider's page on which a person logs out of it (OpenID Connect RP-Initiated Logout 1.0).
struct EndSessionPage: Sendable {
  /// The account's provider.
  let provider: String
  /// Where the page is; nil where the provider has none.
  let url: String?

  /// Finds the page of an account: by what its login found, by the provider's data, by the issuer's metadata.
  ///
  /// It is looked for before the tokens are revoked: what cannot be asked now leaves everything as it is.
  ///
  /// - Throws: ``Failure`` of a server that cannot be asked now; what reading the keyring throws.
  static func find(_ account: Account, _ environment: Environment) throws -> EndSessionPage {
    guard let session = try environment.sessions.load(account) else {
      throw AccountError.none(account, others: [])
    }
    let provider = session.provider
    let known = try provider.endpoints?.endSession ?? data(of: provider, environment)
    let endpoint = try known ?? discovered(provider, environment)
    let url = endpoint.map {
      // No ID token: the URL is in the arguments of the browser's process, where other users of this machine can read it.
      EndSession.url($0, EndSession.Request(clientID: session.clientID, logoutHint: session.identity))
    }
    return EndSessionPage(provider: provider.name, url: url)
  }

  /// What the provider's data says by now: the login may be older than that.
  private static func data(of provider: Provider, _ environment: Environment) throws -> String? {
    let data = try environment.providers.find(provider.name)?.provider
    return try? data?.filling(provider.variables ?? [:]).endpoints?.endSession
  }

  private static func discovered(_ provider: Provider, _ environment: Environment) throws -> String? {
    guard provider.issuer != nil else { return nil }
    let network = try environment.makeNetwork()
    environment.terminal.status("looking up \(provider.name)")
    defer { environment.terminal.status(nil) }
    let found = try environment.wait {
      try await DiscoverProvider(network: network).complete(
        provider, essentials: [], needs: [.endSession])
    }
    if let problem = found.problem.map({ Failure($0) }), problem.kind == .temporary { throw problem }
    return found.provider.endpoints?.endSession
  }

  /// Sends the person there, and gives whether a browser took them.
  ///
  /// Without one the URL is shown: a person can open it anywhere.
  ///
  /// - Throws: ``Failure`` where there is no such page.
  func open(browser command: String?, isWanted: Bool, _ environment: Environment) throws(Failure) -> Bool {
    guard let url else {
      throw Failure(
        .configuration, "\(provider) has no end_session endpoint: the login in your browser goes on",
        hint: "log out on its website, or name the endpoint in the provider's file")
    }
    let page = "open this page in a browser to log out there: \(url)"
    guard isWanted else {
      environment.terminal.show(page)
      return false
    }
    do throws(BrowserError) {
      try environment.makeBrowser(command, false).open(url)
      environment.output.note("the browser has been sent to the logout page of \(provider)")
      return true
    } catch {
      environment.terminal.show("\(error.sentence); \(page)")
      return false
    }
  }
}
