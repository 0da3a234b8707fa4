internal import Flows

/// An answer that a page has the browser post as a form: the fragment out of ``CallbackPage/relay()``, or the server's own.
enum PostedAnswer: Equatable {
  /// It is not from a page that may post one, or nothing that it would send.
  case refused(CallbackPage.Status)
  /// So far it may be; its body has so many bytes.
  case unread(length: Int)
  /// The form: a fragment without its `#`, or what the server put in.
  case form(String)

  /// How long it may be, in bytes.
  static let limit = 64 * 1024

  /// Judges a `POST` of the redirect address, by its head and, once that was waited for, by its body.
  ///
  /// - Parameter part: where the answer is waited for: our own page alone hands over a fragment, and of a form nothing but
  ///   its state tells whose it is. A server's login page may be at another origin than its authorization endpoint, or keep
  ///   its origin to itself (`Origin: null`).
  static func read(_ request: CallbackRequest, for part: CallbackPart) -> PostedAnswer {
    guard part == .form ? request.values(of: "origin").count <= 1 : isFromOwnPage(request) else {
      return .refused(.forbidden)
    }
    guard isForm(request) else { return .refused(.unsupportedType) }
    let lengths = Set(request.values(of: "content-length"))
    guard let text = lengths.first, request.values(of: "transfer-encoding").isEmpty else {
      return .refused(.lengthRequired)
    }
    let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard lengths.count == 1, isNumber else { return .refused(.badRequest) }
    guard let length = Int(text), length <= limit else { return .refused(.contentTooLarge) }
    guard let body = request.body else { return .unread(length: length) }
    // As in a query: browsers percent-encode all else in a URL.
    guard body.allSatisfy({ 0x21...0x7E ~= $0 }) else { return .refused(.badRequest) }
    return .form(String(decoding: body, as: UTF8.self))
  }

  /// Whether the browser says that a page of this very host and port sends it (https://fetch.spec.whatwg.org, "Origin
  /// header"; https://www.w3.org/TR/fetch-metadata/); a page can make it say neither.
  ///
  /// A browser that takes our wish for no referrer further than the standard says `Origin: null`.
  private static func isFromOwnPage(_ request: CallbackRequest) -> Bool {
    let (origins, sites) = (request.values(of: "origin"), request.values(of: "sec-fetch-site"))
    let isSameSite = sites.allSatisfy { $0.lowercased() == "same-origin" }
    guard isSameSite, let host = request.values(of: "host").first else { return false }
    switch origins.first?.lowercased() {
    case nil, "null": return !sites.isEmpty && origins.count <= 1
    case let origin: return origins.count == 1 && origin == "http://\(host.lowercased())"
    }
  }

  private static func isForm(_ request: CallbackRequest) -> Bool {
    let types = request.values(of: "content-type").map { value in
      value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
    return types == ["application/x-www-form-urlencoded"]
  }
}
