internal import CCurl
internal import Flows
internal import OAuth

/// Where a request goes: a URL that was parsed by libcurl itself and found acceptable.
///
/// The same parsed URL is what the transfer is given, so that what was judged is what is connected to.
struct Destination: ~Copyable {
  let url: URLHandle
  /// The host as libcurl normalised it: IPv6 in brackets, odd forms of IPv4 written out.
  let host: String
  let isLoopback: Bool
  let isEncrypted: Bool

  /// Parses and judges a URL.
  ///
  /// - Throws: `TransportError` unless it is `https`, or `http` to a loopback host, without user and password.
  init(_ text: String, _ library: CurlLibrary) throws(TransportError) {
    guard let url = URLHandle(library) else { throw CurlFailure.unavailable("", "out of memory") }
    let verdict = try Self.judge(text, url)
    self.url = url
    (host, isLoopback, isEncrypted) = verdict
  }

  private static func judge(
    _ text: String, _ url: borrowing URLHandle
  ) throws(TransportError) -> (host: String, isLoopback: Bool, isEncrypted: Bool) {
    // libcurl takes "http:/host" for a URL as well; and a NUL would end the text early.
    let hasScheme = ["https://", "http://"].contains { text.lowercased().hasPrefix($0) }
    guard !text.utf8.contains(0), url.parse(text) == CURLUE_OK, let host = url.part(CURLUPART_HOST), !host.isEmpty
    else { throw refusal("", "not a URL") }
    guard url.part(CURLUPART_USER) == nil, url.part(CURLUPART_PASSWORD) == nil, url.part(CURLUPART_OPTIONS) == nil
    else { throw refusal(host, "a user or password in the URL") }
    let isLoopback = WebURL.isLoopback(host: host.lowercased())
    switch url.part(CURLUPART_SCHEME)?.lowercased() {
    case "https" where hasScheme: return (host, isLoopback, true)
    case "http" where hasScheme && isLoopback: return (host, true, false)
    case "http" where hasScheme: throw refusal(host, "plain http is for loopback hosts alone")
    default: throw refusal(host, "neither https nor http")
    }
  }

  private static func refusal(_ host: String, _ reason: String) -> TransportError {
    TransportError(kind: .refusedURL, host: host, message: reason, mayHaveArrived: false)
  }
}
