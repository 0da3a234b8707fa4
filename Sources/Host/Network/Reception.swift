internal import CCurl
internal import OAuth

/// What a transfer has received so far, within its limits.
///
/// Used by one thread: the one that drives the transfer.
final class Reception {
  private(set) var status = 0
  private(set) var headers: [HTTPHeader] = []
  /// Which limit was exceeded, if one was.
  private(set) var excess: String?
  private let body: ScrubbedBuffer
  private let bodyLimit: Int
  private let headerLimit: Int
  private var headerBytes = 0
  private var headersEnded = false

  init(bodyLimit: Int, headerLimit: Int) {
    self.bodyLimit = bodyLimit
    self.headerLimit = headerLimit
    body = ScrubbedBuffer()
  }

  /// Whether the headers came to their end; libcurl is content with a connection that ends in the middle of them.
  var isComplete: Bool { headersEnded && status >= 200 }

  var response: HTTPResponse { HTTPResponse(status: status, headers: headers, body: body.bytes) }

  /// Takes bytes of the body; false ends the transfer.
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= bodyLimit else {
      excess = "a body of more than \(bodyLimit) bytes"
      return false
    }
    body.append(bytes)
    return true
  }

  /// Takes one header line; false ends the transfer.
  func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headerBytes += bytes.count
    guard headerBytes <= headerLimit else {
      excess = "headers of more than \(headerLimit) bytes"
      return false
    }
    let line = String(decoding: bytes, as: UTF8.self).trimmingLineEnd
    if line.hasPrefix("HTTP/") && (headersEnded || headers.isEmpty) && body.count == 0 {
      // An interim response (100, 103) came before this one: what it said is not the answer.
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      headers = []
      headersEnded = false
    } else if line.isEmpty {
      headersEnded = true
    } else if !headersEnded, let colon = line.firstIndex(of: ":") {
      // What follows the body (a trailer) is not kept: nobody looks for it, and it must not shadow a header.
      headers.append(
        HTTPHeader(String(line[..<colon]).trimmingBlanks, String(line[line.index(after: colon)...]).trimmingBlanks))
    }
    return true
  }

  // libcurl calls these with the context that CurlTransfer gave it: an unretained Reception that outlives the transfer.
  static let bodyCallback: curl_write_callback = { bytes, size, count, context in
    take(bytes, size, count, context) { $0.receiveBody($1) }
  }

  static let headerCallback: curl_write_callback = { bytes, size, count, context in
    take(bytes, size, count, context) { $0.receiveHeader($1) }
  }

  private static func take(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ receive: (Reception, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let context else { return 0 }
    let reception = Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
    let total = size * count
    // Any other number than the one it was given makes libcurl end the transfer, also where that number is 0.
    return receive(reception, UnsafeRawBufferPointer(start: bytes, count: total)) ? total : total + 1
  }
}

extension String {
  fileprivate var trimmingLineEnd: String {
    var bytes = Substring(self).utf8
    while let last = bytes.last, last == 10 || last == 13 { bytes.removeLast() }
    return String(bytes) ?? self
  }

  fileprivate var trimmingBlanks: String {
    var text = Substring(self)
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
