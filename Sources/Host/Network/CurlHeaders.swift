internal import Flows
internal import OAuth

/// Puts the request's header lines into the form that libcurl takes.
enum CurlHeaders {
  /// Gives the list.
  ///
  /// - Throws: `TransportError` for a name or value that would not stay one header line, or that frames the body.
  static func list(
    for request: HTTPRequest, host: String, _ library: CurlLibrary
  ) throws(TransportError) -> HeaderList {
    var list = HeaderList(library)
    // libcurl would wait a second for a "100 Continue" before a longer body, and would call any body a form.
    var lines = ["Expect:"]
    if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) { lines.append("Content-Type:") }
    for header in request.headers {
      guard let line = line(header) else {
        // The value may be a secret: the name alone is shown, and only where it is harmless.
        let name = HeaderLine.isName(header.name) ? header.name : "with a malformed name"
        throw TransportError(
          kind: .refusedURL, host: host, message: "header \(name) cannot be sent", mayHaveArrived: false)
      }
      lines.append(line)
    }
    for line in lines {
      guard list.append(line) else { throw CurlFailure.unavailable(host, "out of memory") }
    }
    return list
  }

  /// Gives libcurl's form of one header, or nil for one that is not sent.
  static func line(_ header: HTTPHeader) -> String? {
    guard HeaderLine.isSafe(name: header.name, value: header.value),
      !["content-length", "transfer-encoding"].contains(header.name.lowercased())
    else { return nil }
    let isBlank = header.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
    // To libcurl "Name:" means "leave it out" and "Name;" means "send it empty".
    return isBlank ? "\(header.name);" : "\(header.name): \(header.value)"
  }
}
