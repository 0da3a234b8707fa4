internal import OAuth

/// An HTTP/1 request as a browser sends it to the redirect address.
package struct CallbackRequest: Equatable, Sendable {
  /// The method, as sent.
  package var method: String
  /// The whole request target, as sent.
  package var target: String
  /// The target's path: what stands before its first `?`.
  package var path: String
  /// The raw query, without its question mark; empty where there is none.
  package var query: String
  /// Host and port out of a target in absolute form (RFC 9112 section 3.2.2).
  package var authority: String?
  /// Whether it is HTTP/1.0, which needs no `Host`.
  package var isHTTP10: Bool
  /// The fields in their order, names in lower case, values without the white space around them.
  package var headers: [Header]
  /// The body, where it was waited for.
  package var body: [UInt8]?

  /// One header field.
  package struct Header: Equatable, Sendable {
    package var name: String
    package var value: String
  }

  /// Gives the values of all the fields of that name.
  func values(of name: String) -> [String] {
    headers.filter { $0.name == name }.map(\.value)
  }
}

extension CallbackRequest {
  /// What so many bytes of a connection are.
  package enum Parsed: Equatable, Sendable {
    /// More must come.
    case incomplete
    /// A request; whatever follows its head is ignored.
    case request(CallbackRequest)
    /// No HTTP/1 request, whatever may follow.
    case malformed
    /// Over the limit.
    case tooLarge
  }

  /// How long a request's head may be, in bytes.
  package static let maximumHead = 16 * 1024
  /// How many fields it may have.
  static let maximumFields = 128
  /// How many empty lines may come before it: RFC 9112 section 2.2 wants one passed over.
  ///
  /// Each line's end has the head read again, so they must not be many.
  private static let maximumEmptyLines = 8

  /// Reads the head of a request (RFC 9112); a bare line feed may end a line, and a few empty lines may come before it.
  package static func parse(_ bytes: [UInt8]) -> Parsed {
    var end = 0
    return parse(bytes, headEnd: &end)
  }

  /// Reads the head, and tells where it ends.
  static func parse(_ bytes: [UInt8], headEnd: inout Int) -> Parsed {
    var lines = Lines(bytes: bytes)
    var first = lines.next()
    var emptyLines = 0
    while first?.isEmpty == true {
      emptyLines += 1
      guard emptyLines <= maximumEmptyLines else { return .malformed }
      first = lines.next()
    }
    guard let first else {
      // What is no text can be refused before its line ends: a TLS greeting, say.
      if !lines.rest.allSatisfy(HeaderLine.isValueByte) { return .malformed }
      return bytes.count > maximumHead ? .tooLarge : .incomplete
    }
    guard var request = requestLine(first) else { return .malformed }
    while let line = lines.next() {
      if lines.position > maximumHead { return .tooLarge }
      if line.isEmpty {
        headEnd = lines.position
        return .request(request)
      }
      guard let header = header(line) else { return .malformed }
      request.headers.append(header)
      if request.headers.count > maximumFields { return .tooLarge }
    }
    return bytes.count > maximumHead ? .tooLarge : .incomplete
  }

  /// Splits bytes at line feeds, a carriage return before one belonging to it.
  private struct Lines {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// What the last unfinished line has so far, without a carriage return that may belong to its end.
    var rest: ArraySlice<UInt8> {
      let rest = bytes[position...]
      return rest.last == UInt8(ascii: "\r") ? rest.dropLast() : rest
    }

    mutating func next() -> ArraySlice<UInt8>? {
      guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      let line = bytes[position..<end]
      position = end + 1
      return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
  }

  private static func requestLine(_ line: ArraySlice<UInt8>) -> CallbackRequest? {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(HeaderLine.isTokenByte) else { return nil }
    let version = Array(parts[2])
    guard version.count == 8, version.starts(with: "HTTP/1.".utf8), isDigit(version[7]) else { return nil }
    // Visible ASCII and no fragment (RFC 9112 section 3.2): browsers percent-encode all else.
    guard !parts[1].isEmpty, parts[1].allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }) else { return nil }
    let target = String(decoding: parts[1], as: UTF8.self)

    var rest = Substring(target)
    var authority: String?
    if rest.prefix(7).lowercased() == "http://" {
      rest = rest.dropFirst(7)
      let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
      authority = String(rest[..<end])
      rest = rest[end...]
      if rest.first != "/" { rest = "/" + rest }
    }
    let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?"))
    return CallbackRequest(
      method: String(decoding: parts[0], as: UTF8.self), target: target,
      path: String(rest[..<(mark ?? rest.endIndex)]),
      query: mark.map { String(rest[rest.utf8.index(after: $0)...]) } ?? "",
      authority: authority, isHTTP10: version[7] == UInt8(ascii: "0"), headers: [])
  }

  private static func header(_ line: ArraySlice<UInt8>) -> Header? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let name = line[..<colon]
    // White space before the colon, or at the start as in a folded line, would let two readers see two different fields.
    guard !name.isEmpty, name.allSatisfy(HeaderLine.isTokenByte) else { return nil }
    var value = line[(colon + 1)...]
    guard value.allSatisfy(HeaderLine.isValueByte) else { return nil }
    while let byte = value.first, isBlank(byte) { value.removeFirst() }
    while let byte = value.last, isBlank(byte) { value.removeLast() }
    return Header(
      name: String(decoding: name, as: UTF8.self).lowercased(), value: String(decoding: value, as: UTF8.self))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
