internal import Crypto
public import Flows
public import OAuth

/// Shows the requests and responses of another client, line by line, without their secrets.
///
/// A secret shows as `[redacted](1a2b3c4d)`, with its fingerprint, so that one can see which token went where; those that
/// a person may have made up show as `[redacted]`.
public struct TracingHTTPClient: HTTPClient {
  /// How much of a body is shown, in characters.
  static let bodyLimit = 4 << 10

  private let client: any HTTPClient
  private let redactor: Redactor
  private let write: @Sendable (String) -> Void

  /// Wraps a client; `write` gets one line at a time, without its end.
  public init(_ client: any HTTPClient, redactor: Redactor, write: @escaping @Sendable (String) -> Void) {
    self.client = client
    self.redactor = redactor
    self.write = write
  }

  /// Sends the request by the wrapped client, and shows both sides.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    redactor.learn(from: request)
    show(">", "\(request.method.rawValue) \(request.url)")
    for header in request.headers { show(">", "\(header.name): \(header.value)") }
    if let body = request.body { show(">", body: body.withBytes { Array($0) }, type: contentType(request.headers)) }
    if request.clientCertificate != nil { show("*", "a server that asks is shown the client's certificate") }
    let start = ContinuousClock.now
    do {
      let response = try await client.send(request)
      learn(from: response)
      show("<", "\(response.status) (\((ContinuousClock.now - start).milliseconds) ms)")
      for header in response.headers { show("<", "\(header.name): \(header.value)") }
      show("<", body: response.body, type: contentType(response.headers))
      return response
    } catch let error as TransportError {
      show("*", "\(error.kind) (\((ContinuousClock.now - start).milliseconds) ms): \(error.message)")
      throw error
    } catch {
      show("*", "\(error is CancellationError ? "cancelled" : "failed")")
      throw error
    }
  }

  /// Knows the secrets of all of a reply before any of it is shown.
  private func learn(from response: HTTPResponse) {
    if case .fields(let fields) = ReplyBody(response) { redactor.learn(from: fields) }
    redactor.learn(from: readable(response.body))
    for header in response.headers { redactor.learn(from: "\(header.name): \(header.value)") }
  }

  /// As much of a body as is looked at; cut far behind what is shown, so that a secret that the cut halves is not among it.
  private func readable(_ body: [UInt8]) -> String { String(decoding: body.prefix(16 * Self.bodyLimit), as: UTF8.self) }

  private func contentType(_ headers: [HTTPHeader]) -> String {
    headers.first { $0.name.lowercased() == "content-type" }?.value.lowercased() ?? ""
  }

  private func show(_ mark: String, _ text: String) {
    write("\(mark) \(PrintableText.escaped(redactor.redact(text, fingerprints: true)))")
  }

  /// Shows a body: a form by one line a field, any other text by its own lines.
  private func show(_ mark: String, body: [UInt8], type: String) {
    guard !body.isEmpty else { return }
    let text = readable(body)
    guard !text.unicodeScalars.prefix(512).contains(where: { $0 == "\u{0}" || $0 == "\u{FFFD}" }) else {
      write("\(mark) [\(body.count) bytes that are no text]")
      return
    }
    let redacted = redactor.redact(text, fingerprints: true)
    let shown = redacted.prefix(Self.bodyLimit)
    let isForm = type.hasPrefix("application/x-www-form-urlencoded")
    for line in shown.split(whereSeparator: { isForm ? $0 == "&" : $0.isNewline }) {
      write("\(mark) \(PrintableText.escaped(line))")
    }
    if shown.endIndex < redacted.endIndex || body.count > 16 * Self.bodyLimit {
      write("\(mark) [cut; the body has \(body.count) bytes]")
    }
  }
}
