import Crypto
package import OAuth

extension HTTPRequest {
  /// The body as text.
  package var text: String { body?.reveal() ?? "" }

  /// The members of a form body; the last of a name.
  package var form: [String: String] {
    Dictionary(FormEncoding.decode(text).map { ($0.name, $0.value) }) { _, last in last }
  }

  /// The values of a header, in order.
  package func headers(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

extension HTTPResponse {
  /// A JSON reply, the text as given.
  package static func json(_ text: String, status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [HTTPHeader("Content-Type", "application/json")] + headers, body: Array(text.utf8))
  }

  /// Any other reply.
  package static func text(_ text: String, type: String? = nil, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, headers: type.map { [HTTPHeader("Content-Type", $0)] } ?? [], body: Array(text.utf8))
  }

  /// An error reply of RFC 6749 section 5.2.
  package static func error(_ code: String, status: Int = 400, description: String? = nil) -> HTTPResponse {
    json(
      description.map { #"{"error":"\#(code)","error_description":"\#($0)"}"# } ?? #"{"error":"\#(code)"}"#,
      status: status)
  }
}

extension String {
  /// The parameters of a URL's query.
  package var query: [Parameter] {
    guard let mark = firstIndex(of: "?") else { return [] }
    return FormEncoding.decode(self[index(after: mark)...].prefix { $0 != "#" })
  }

  /// The value of a parameter of a URL's query.
  package func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
