internal import CCurl

/// Owns an easy handle: one transfer with its options.
struct EasyHandle: ~Copyable {
  let raw: UnsafeMutableRawPointer
  private let library: CurlLibrary

  init?(_ library: CurlLibrary) {
    guard let raw = library.easyInit() else { return nil }
    self.raw = raw
    self.library = library
  }

  deinit { library.easyCleanup(raw) }

  func set(_ option: CURLoption, _ value: Int) -> CURLcode {
    oauthctl_setopt_long(library.setOption, raw, option, value)
  }

  /// Sets an option whose type is `curl_off_t`.
  func set(_ option: CURLoption, size: Int) -> CURLcode {
    oauthctl_setopt_size(library.setOption, raw, option, curl_off_t(size))
  }

  /// Sets a text; libcurl copies it.
  func set(_ option: CURLoption, _ text: String) -> CURLcode {
    text.withCString { oauthctl_setopt_pointer(library.setOption, raw, option, $0) }
  }

  /// Sets an address that must stay valid for as long as the handle does.
  func set(_ option: CURLoption, borrowed address: UnsafeRawPointer?) -> CURLcode {
    oauthctl_setopt_pointer(library.setOption, raw, option, address)
  }

  /// Sets a block of bytes; libcurl copies it.
  func set(_ option: CURLoption, blob: UnsafeRawBufferPointer) -> CURLcode {
    oauthctl_setopt_blob(library.setOption, raw, option, blob.baseAddress, blob.count, 1)
  }

  /// Sets a block of bytes that is not copied, because it is secret, and must stay for as long as the transfer.
  func set(_ option: CURLoption, borrowedBlob blob: UnsafeRawBufferPointer) -> CURLcode {
    oauthctl_setopt_blob(library.setOption, raw, option, blob.baseAddress, blob.count, 0)
  }

  /// Sets a callback and its context, which must outlive the transfer.
  func set(
    _ function: CURLoption, _ callback: @escaping curl_write_callback, _ data: CURLoption,
    _ context: UnsafeMutableRawPointer
  ) -> CURLcode {
    oauthctl_setopt_receiver(library.setOption, raw, function, callback, data, context)
  }

  func long(_ info: CURLINFO) -> Int {
    var value: CLong = 0
    return oauthctl_getinfo_long(library.getInfo, raw, info, &value) == CURLE_OK ? value : 0
  }

  /// Gives a value of type `curl_off_t`: a size, or a time in microseconds.
  func size(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    return oauthctl_getinfo_size(library.getInfo, raw, info, &value) == CURLE_OK ? Int(value) : 0
  }

  /// The file of certificates that libcurl was built to trust; nil where it has none or (before 7.84) does not tell.
  var builtInCertificates: String? {
    var value: UnsafePointer<CChar>?
    guard oauthctl_getinfo_string(library.getInfo, raw, oauthctl_info_cainfo, &value) == CURLE_OK, let value else {
      return nil
    }
    return String(cString: value)
  }
}

/// Owns a multi handle: what drives a transfer and can be woken from another thread.
final class MultiHandle: Sendable {
  // Constant. The thread that drives the transfer does everything with it but wakeUp(), which libcurl allows to any.
  nonisolated(unsafe) let raw: UnsafeMutableRawPointer
  private let library: CurlLibrary

  init?(_ library: CurlLibrary) {
    guard let raw = library.multiInit() else { return nil }
    self.raw = raw
    self.library = library
  }

  deinit { _ = library.multiCleanup(raw) }

  /// Ends a wait in `curl_multi_poll`, now or the next one.
  func wakeUp() { _ = library.multiWakeUp(raw) }
}

/// Owns a list of header lines.
struct HeaderList: ~Copyable {
  private(set) var raw: UnsafeMutablePointer<curl_slist>?
  private let library: CurlLibrary

  init(_ library: CurlLibrary) {
    self.library = library
  }

  deinit { library.listFree(raw) }

  /// Appends a copy of the line; false where there is no memory.
  mutating func append(_ line: String) -> Bool {
    guard let longer = library.listAppend(raw, line) else { return false }
    raw = longer
    return true
  }
}

/// Owns a parsed URL.
struct URLHandle: ~Copyable {
  let raw: OpaquePointer
  private let library: CurlLibrary

  init?(_ library: CurlLibrary) {
    guard let raw = library.urlInit() else { return nil }
    self.raw = raw
    self.library = library
  }

  deinit { library.urlCleanup(raw) }

  func parse(_ url: String, _ flags: CUnsignedInt = 0) -> CURLUcode {
    library.urlSet(raw, CURLUPART_URL, url, flags)
  }

  /// Gives a part, or nil where the URL has none.
  func part(_ part: CURLUPart) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard library.urlGet(raw, part, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { library.free(text) }
    return String(cString: text)
  }
}
