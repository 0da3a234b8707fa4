internal import OAuth

/// Decides what each request gets, and which one ends the wait.
///
/// Only a `GET` of the exact path, addressed to this machine, is judged. Anything else changes nothing: a favicon, a
/// prefetch, a scanner, another page that tries its luck.
struct CallbackResponder {
  private let path: String
  private let authorities: Set<String>
  private let page: CallbackPage
  private let judge: (_ query: String) -> CallbackPage.Outcome
  private var settled: (query: String, outcome: CallbackPage.Outcome)?

  /// - Parameters:
  ///   - judge: Tells what the query of a callback is; not asked again once it accepted or refused one.
  init(port: Int, path: String, page: CallbackPage, judge: @escaping (_ query: String) -> CallbackPage.Outcome) {
    self.path = path
    self.page = page
    self.judge = judge
    let hosts = Redirect.loopbackHosts
    // A browser leaves out the port that its scheme implies.
    authorities = Set(hosts.map { "\($0):\(port)" } + (port == 80 ? hosts : []))
  }

  /// Whether a callback was accepted or refused.
  var isSettled: Bool { settled != nil }

  /// Gives the response to a request; nil where more of it must come.
  mutating func respond(to parsed: CallbackRequest.Parsed) -> [UInt8]? {
    switch parsed {
    case .incomplete: nil
    case .malformed: page.plain(.badRequest)
    case .tooLarge: page.plain(.tooLarge)
    case .request(let request):
      respond(to: request, bodiless: request.method == "HEAD")
    }
  }

  private mutating func respond(to request: CallbackRequest, bodiless: Bool) -> [UInt8] {
    let hosts = request.values(of: "host")
    guard hosts.count == 1 || hosts.isEmpty && request.isHTTP10 else {
      return page.plain(.badRequest, bodiless: bodiless)
    }
    // A page elsewhere whose name was made to resolve to this machine (DNS rebinding) is known by that name.
    guard (hosts + [request.authority].compactMap(\.self)).allSatisfy({ authorities.contains($0.lowercased()) }) else {
      return page.plain(.misdirected, bodiless: bodiless)
    }
    guard request.path == path else {
      return page.plain(request.path == "/favicon.ico" ? .noContent : .notFound, bodiless: bodiless)
    }
    guard request.method == "GET" else { return page.plain(.methodNotAllowed, bodiless: bodiless) }
    guard !isFromWithinAPage(request) else { return page.plain(.forbidden) }
    // The browser guesses that its user may go there; when the user does, it asks again.
    guard !isSpeculative(request) else { return page.plain(.unavailable) }
    return page.response(outcome(of: request.query))
  }

  private mutating func outcome(of query: String) -> CallbackPage.Outcome {
    if let settled { return settled.query == query ? settled.outcome : .ignored }
    let outcome = judge(query)
    if outcome != .ignored { settled = (query, outcome) }
    return outcome
  }

  /// Whether a page elsewhere asks by itself, for an image or by a script or for a frame, as the browser says with each
  /// request (Fetch Metadata, https://www.w3.org/TR/fetch-metadata/): an answer to a login comes as a page of its own.
  ///
  /// One from the same origin passes: a service worker that some other program once left there may stand between.
  private func isFromWithinAPage(_ request: CallbackRequest) -> Bool {
    func says(_ name: String, _ words: Set<String>) -> Bool {
      request.values(of: name).contains { words.contains($0.lowercased()) }
    }
    return says("sec-fetch-mode", ["cors", "no-cors", "websocket"])
      || says("sec-fetch-dest", ["iframe", "frame", "embed", "object", "fencedframe"])
  }

  private func isSpeculative(_ request: CallbackRequest) -> Bool {
    ["sec-purpose", "purpose", "x-purpose", "x-moz"].contains { name in
      request.values(of: name).contains { value in
        let value = value.lowercased()
        return ["prefetch", "prerender", "preview"].contains { value.contains($0) }
      }
    }
  }
}
