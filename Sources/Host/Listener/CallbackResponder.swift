internal import Flows
internal import OAuth

/// Decides what each request gets, and which one ends the wait.
///
/// Only a `GET` of the exact path, addressed to this machine, is judged, and for an answer in the fragment what the page
/// that hands it over posts there, for one in a form what the server's page does. Anything else changes nothing: a
/// favicon, a prefetch, a scanner, another page that tries its luck.
struct CallbackResponder {
  private let path: String
  private let part: CallbackPart
  private let authorities: Set<String>
  private let page: CallbackPage
  private let judge: (_ answer: String) -> CallbackPage.Outcome
  private var settled: (answer: String, outcome: CallbackPage.Outcome)?

  /// - Parameters:
  ///   - judge: Tells what the query or fragment of a callback is; not asked again once it accepted or refused one.
  init(
    port: Int, path: String, part: CallbackPart, page: CallbackPage,
    judge: @escaping (_ answer: String) -> CallbackPage.Outcome
  ) {
    self.path = path
    self.part = part
    self.page = page
    self.judge = judge
    let hosts = Redirect.loopbackHosts
    // A browser leaves out the port that its scheme implies.
    authorities = Set(hosts.map { "\($0):\(port)" } + (port == 80 ? hosts : []))
  }

  /// Whether a callback was accepted or refused.
  var isSettled: Bool { settled != nil }

  /// What is to be done about a request.
  enum Step {
    /// More of it must come.
    case later
    /// Its body, of so many bytes, must come; then it is asked about again.
    case body(CallbackRequest, length: Int)
    /// This goes back.
    case reply([UInt8])
  }

  /// Tells what is to be done about what has come so far.
  mutating func respond(to parsed: CallbackRequest.Parsed) -> Step {
    switch parsed {
    case .incomplete: return .later
    case .malformed: return .reply(page.plain(.badRequest))
    case .tooLarge: return .reply(page.plain(.tooLarge))
    case .request(let request):
      guard request.method == "POST", part != .query, misaddressed(request, bodiless: false) == nil else {
        return .reply(response(to: request, bodiless: request.method == "HEAD"))
      }
      return handOver(request)
    }
  }

  /// What a request gets that is not for the redirect address, or reached it by another name; nil for one that is.
  private func misaddressed(_ request: CallbackRequest, bodiless: Bool) -> [UInt8]? {
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
    return nil
  }

  private mutating func response(to request: CallbackRequest, bodiless: Bool) -> [UInt8] {
    if let refusal = misaddressed(request, bodiless: bodiless) { return refusal }
    guard request.method == "GET" else {
      return page.plain(.methodNotAllowed, bodiless: bodiless, allow: part == .query ? "GET" : "GET, POST")
    }
    guard !isFromWithinAPage(request) else { return page.plain(.forbidden) }
    // The browser guesses that its user may go there; when the user does, it asks again.
    guard !isSpeculative(request) else { return page.plain(.unavailable) }
    if part == .fragment, request.query.isEmpty { return page.relay() }
    let outcome = outcome(of: request.query)
    let mayHaveFragment = part == .fragment && !FormEncoding.decode(request.query).contains { $0.name == "state" }
    return outcome == .ignored && mayHaveFragment ? page.relay() : page.response(outcome)
  }

  /// Takes what a page posts: our own the fragment, the server's its form.
  private mutating func handOver(_ request: CallbackRequest) -> Step {
    // The server's page sends its user here; one that asks by itself is another.
    if part == .form, isFromWithinAPage(request) { return .reply(page.plain(.forbidden)) }
    switch PostedAnswer.read(request, for: part) {
    case .refused(let status): return .reply(page.plain(status))
    case .unread(let length): return .body(request, length: length)
    case .form(let answer): return .reply(page.response(outcome(of: answer)))
    }
  }

  private mutating func outcome(of answer: String) -> CallbackPage.Outcome {
    if let settled { return settled.answer == answer ? settled.outcome : .ignored }
    let outcome = judge(answer)
    if outcome != .ignored { settled = (answer, outcome) }
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
