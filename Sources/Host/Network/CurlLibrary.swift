internal import CCurl
internal import Loader

/// libcurl's functions, looked up in the library that is loaded on first use.
///
/// Linking it would cost every run, also those that never touch the network, 5 ms for its 36 libraries.
struct CurlLibrary: Sendable {
  typealias Missing = SharedLibrary.Missing

  /// The library, loaded and initialised once for the process, whichever thread asks first.
  static let shared: Result<CurlLibrary, Missing> = Result { () throws(Missing) in try CurlLibrary("libcurl.so.4") }

  let easyInit: @Sendable @convention(c) () -> UnsafeMutableRawPointer?
  let easyCleanup: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void
  let easyErrorText: @Sendable @convention(c) (CURLcode) -> UnsafePointer<CChar>?
  let multiInit: @Sendable @convention(c) () -> UnsafeMutableRawPointer?
  let multiCleanup: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> CURLMcode
  let multiAdd: @Sendable @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CURLMcode
  let multiRemove: @Sendable @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CURLMcode
  let multiPerform: @Sendable @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<CInt>?) -> CURLMcode
  let multiPoll:
    @Sendable @convention(c) (
      UnsafeMutableRawPointer?, UnsafeMutablePointer<curl_waitfd>?, CUnsignedInt, CInt, UnsafeMutablePointer<CInt>?
    ) -> CURLMcode
  let multiWakeUp: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> CURLMcode
  let multiInfoRead:
    @Sendable @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<CInt>?) -> UnsafeMutablePointer<CURLMsg>?
  let listAppend:
    @Sendable @convention(c) (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?) -> UnsafeMutablePointer<
      curl_slist
    >?
  let listFree: @Sendable @convention(c) (UnsafeMutablePointer<curl_slist>?) -> Void
  let urlInit: @Sendable @convention(c) () -> OpaquePointer?
  let urlCleanup: @Sendable @convention(c) (OpaquePointer?) -> Void
  let urlSet: @Sendable @convention(c) (OpaquePointer?, CURLUPart, UnsafePointer<CChar>?, CUnsignedInt) -> CURLUcode
  let urlGet:
    @Sendable @convention(c) (
      OpaquePointer?, CURLUPart, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, CUnsignedInt
    ) -> CURLUcode
  let free: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void

  // Addresses of code in a library that is never unloaded: constant, and the same for every thread.
  /// The address of the variadic `curl_easy_setopt`, for the shim's setters.
  nonisolated(unsafe) let setOption: UnsafeRawPointer
  /// The address of the variadic `curl_easy_getinfo`, for the shim's getters.
  nonisolated(unsafe) let getInfo: UnsafeRawPointer

  /// Loads and initialises a library; it stays loaded until the process ends.
  init(_ fileName: String) throws(Missing) {
    let symbols = try SharedLibrary(fileName, package: "libcurl4")
    easyInit = try symbols.function("curl_easy_init")
    easyCleanup = try symbols.function("curl_easy_cleanup")
    easyErrorText = try symbols.function("curl_easy_strerror")
    multiInit = try symbols.function("curl_multi_init")
    multiCleanup = try symbols.function("curl_multi_cleanup")
    multiAdd = try symbols.function("curl_multi_add_handle")
    multiRemove = try symbols.function("curl_multi_remove_handle")
    multiPerform = try symbols.function("curl_multi_perform")
    multiPoll = try symbols.function("curl_multi_poll")
    multiWakeUp = try symbols.function("curl_multi_wakeup")
    multiInfoRead = try symbols.function("curl_multi_info_read")
    listAppend = try symbols.function("curl_slist_append")
    listFree = try symbols.function("curl_slist_free_all")
    urlInit = try symbols.function("curl_url")
    urlCleanup = try symbols.function("curl_url_cleanup")
    urlSet = try symbols.function("curl_url_set")
    urlGet = try symbols.function("curl_url_get")
    free = try symbols.function("curl_free")
    setOption = UnsafeRawPointer(try symbols.address("curl_easy_setopt"))
    getInfo = UnsafeRawPointer(try symbols.address("curl_easy_getinfo"))

    let globalInit: @convention(c) (CLong) -> CURLcode = try symbols.function("curl_global_init")
    let code = globalInit(CLong(CURL_GLOBAL_DEFAULT))
    guard code == CURLE_OK else {
      throw Missing(message: "\(fileName) cannot be set up (package libcurl4): error \(code.rawValue)")
    }
  }
}
