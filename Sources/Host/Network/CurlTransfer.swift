internal import CCurl
internal import Crypto
internal import Flows
internal import Glibc
internal import OAuth
internal import Synchronization

/// One request on its way: driven by one thread, cancelled from any.
final class CurlTransfer: Sendable {
  private struct Control {
    var isCancelled = false
    /// What to wake, while the transfer runs.
    var multi: MultiHandle?
  }

  /// What libcurl calls it when a deadline is over.
  private let overdue = CURLE_OPERATION_TIMEDOUT
  private let library: CurlLibrary
  private let options: CurlOptions
  private let trust: TrustStore
  private let request: HTTPRequest
  private let control = Mutex(Control())

  init(_ request: HTTPRequest, _ library: CurlLibrary, _ options: CurlOptions, _ trust: TrustStore) {
    self.request = request
    self.library = library
    self.options = options
    self.trust = trust
  }

  /// Makes a running ``perform()`` end at once; one that has not begun sends nothing.
  func cancel() {
    control.withLock { control in
      control.isCancelled = true
      control.multi?.wakeUp()
    }
  }

  /// Sends the request and waits for the response, blocking the thread.
  ///
  /// - Throws: `TransportError`, or `CancellationError` where ``cancel()`` came first.
  func perform() throws -> HTTPResponse {
    let destination = try Destination(request.url, library)
    guard let easy = EasyHandle(library) else { throw CurlFailure.unavailable(destination.host, "out of memory") }
    let headers = try CurlHeaders.list(for: request, host: destination.host, library)
    let setUp = CurlSetUp(host: destination.host)
    try setUp.connection(easy, destination, options)
    try setUp.trust(easy, trust, options)
    try setUp.check(easy.set(CURLOPT_HTTPHEADER, borrowed: headers.raw))
    let reception = Reception(bodyLimit: options.bodyLimit, headerLimit: options.headerLimit)
    return try run(easy, destination, headers, reception, setUp)
  }

  /// Runs a transfer that is set up; what libcurl has addresses of is lent for all of it.
  private func run(
    _ easy: borrowing EasyHandle, _ destination: borrowing Destination, _ headers: borrowing HeaderList,
    _ reception: Reception, _ setUp: CurlSetUp
  ) throws -> HTTPResponse {
    let context = Unmanaged.passUnretained(reception).toOpaque()
    try setUp.check(easy.set(CURLOPT_WRITEFUNCTION, Reception.bodyCallback, CURLOPT_WRITEDATA, context))
    try setUp.check(easy.set(CURLOPT_HEADERFUNCTION, Reception.headerCallback, CURLOPT_HEADERDATA, context))
    return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CURL_ERROR_SIZE)) { errorText in
      errorText.initialize(repeating: 0)
      try setUp.check(easy.set(CURLOPT_ERRORBUFFER, borrowed: UnsafeRawPointer(errorText.baseAddress)))
      // The handle outlives the buffer, and may have something to say when it is closed.
      defer { _ = easy.set(CURLOPT_ERRORBUFFER, borrowed: nil) }
      let code = try withBody(easy, setUp) {
        try setUp.withIdentity(easy, request.clientCertificate) { try drive(easy, host: destination.host) }
      }
      guard code == CURLE_OK, reception.isComplete else {
        let said = String(decoding: errorText.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let text = code == overdue && said.isEmpty ? "no whole reply within \(options.totalDeadline)" : said
        throw CurlFailure(code, easy, library, text: text, excess: reception.excess)
          .transportError(host: destination.host, isEncrypted: destination.isEncrypted)
      }
      return withExtendedLifetime(reception) { reception.response }
    }
  }

  /// Lends the body's own bytes to libcurl for the time of the transfer.
  private func withBody(
    _ easy: borrowing EasyHandle, _ setUp: CurlSetUp, _ transfer: () throws -> CURLcode
  ) throws -> CURLcode {
    guard request.body != nil || request.method == .post else {
      try setUp.check(easy.set(CURLOPT_HTTPGET, 1))
      if request.method == .head {
        // Otherwise libcurl would wait for the body that the reply's length speaks of, or refuse it for that length.
        try setUp.check(easy.set(CURLOPT_NOBODY, 1))
        try setUp.check(easy.set(CURLOPT_MAXFILESIZE_LARGE, size: 0))
      }
      if request.method != .get { try setUp.check(easy.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)) }
      return try transfer()
    }
    let body = request.body ?? Secret("")
    try setUp.check(easy.set(CURLOPT_POST, 1))
    if request.method != .post { try setUp.check(easy.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)) }
    try setUp.check(easy.set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count))
    return try body.withBytes { bytes in
      // Without an address it would read the body from standard input.
      let nothing: StaticString = ""
      try setUp.check(
        easy.set(CURLOPT_POSTFIELDS, borrowed: bytes.isEmpty ? UnsafeRawPointer(nothing.utf8Start) : bytes.baseAddress))
      return try transfer()
    }
  }

  private func drive(_ easy: borrowing EasyHandle, host: String) throws -> CURLcode {
    guard let multi = MultiHandle(library) else { throw CurlFailure.unavailable(host, "out of memory") }
    try check(library.multiAdd(multi.raw, easy.raw), host)
    control.withLock { $0.multi = multi }
    defer {
      control.withLock { $0.multi = nil }
      _ = library.multiRemove(multi.raw, easy.raw)
    }
    // Not CURLOPT_TIMEOUT: that looks at the clock before it looks at the socket.
    var waited = WaitedTime(limit: options.totalDeadline)
    while true {
      if control.withLock({ $0.isCancelled }) { throw CancellationError() }
      var running: CInt = 0
      try check(library.multiPerform(multi.raw, &running), host)
      if running == 0 { break }
      guard let turn = waited.next() else { return overdue }
      try check(library.multiPoll(multi.raw, nil, 0, turn, nil), host)
    }
    var left: CInt = 0
    while let message = library.multiInfoRead(multi.raw, &left) {
      if message.pointee.msg == CURLMSG_DONE { return oauthctl_message_result(message) }
    }
    throw CurlFailure.unavailable(host, "no result")
  }

  private func check(_ code: CURLMcode, _ host: String) throws(TransportError) {
    guard code == CURLM_OK else { throw CurlFailure.unavailable(host, "curl_multi error \(code.rawValue)") }
  }
}
