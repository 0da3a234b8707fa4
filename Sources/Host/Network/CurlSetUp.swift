internal import CCurl
internal import Crypto
internal import Flows
internal import OAuth

/// Sets a handle's options, and refuses to go on with one that could not be set: each of them is there for a reason.
struct CurlSetUp {
  let host: String

  func check(_ code: CURLcode) throws(TransportError) {
    guard code == CURLE_OK else { throw CurlFailure.unavailable(host, "curl option refused: error \(code.rawValue)") }
  }

  /// Where to connect, how long that may take, and what is never done.
  func connection(
    _ easy: borrowing EasyHandle, _ destination: borrowing Destination, _ options: CurlOptions
  ) throws(TransportError) {
    try check(easy.set(CURLOPT_CURLU, borrowed: UnsafeRawPointer(destination.url.raw)))
    try check(easy.set(CURLOPT_NOSIGNAL, 1))
    try check(easy.set(CURLOPT_FOLLOWLOCATION, 0))
    try check(easy.set(CURLOPT_CONNECTTIMEOUT_MS, options.connectDeadline.milliseconds))
    try check(easy.set(CURLOPT_MAXFILESIZE_LARGE, size: options.bodyLimit))
    try check(easy.set(CURLOPT_USERAGENT, options.userAgent))
    try check(easy.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE)))
    try check(easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1))
    // No coding is asked for. That something is set at all makes libcurl decode what a proxy compresses unasked.
    try check(easy.set(CURLOPT_ACCEPT_ENCODING, "identity"))
    // An empty proxy is none, whatever the environment says; otherwise libcurl reads the environment itself.
    if destination.isLoopback { try check(easy.set(CURLOPT_PROXY, "")) }
    let protocols = destination.isEncrypted ? "https" : "http"
    if easy.set(oauthctl_opt_protocols_str, protocols) != CURLE_OK {
      try check(easy.set(oauthctl_opt_protocols, Int(destination.isEncrypted ? CURLPROTO_HTTPS : CURLPROTO_HTTP)))
    }
    // Without it the end of a transfer waits for a resolver thread that hangs. Before 7.87 there is no such choice.
    _ = easy.set(oauthctl_opt_quick_exit, 1)
  }

  /// Whom to believe.
  func trust(_ easy: borrowing EasyHandle, _ trust: TrustStore, _ options: CurlOptions) throws(TransportError) {
    try check(easy.set(CURLOPT_SSL_VERIFYPEER, 1))
    try check(easy.set(CURLOPT_SSL_VERIFYHOST, 2))
    try check(easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)))
    guard let certificates = try trust.certificates(builtIn: easy.builtInCertificates, host: host) else { return }
    let code = certificates.withUnsafeBytes { bytes in
      let code = easy.set(oauthctl_opt_cainfo_blob, blob: bytes)
      return code == CURLE_OK ? easy.set(oauthctl_opt_proxy_cainfo_blob, blob: bytes) : code
    }
    try check(code)
    // A store that the user chose replaces the built-in folder of certificates as well.
    if options.systemCertificates != nil { try check(easy.set(CURLOPT_CAPATH, borrowed: nil)) }
  }

  /// Who the client is, for this handle alone.
  ///
  /// The certificate's and the key's own bytes are lent to libcurl for the time of the transfer: never a file, no copy.
  func withIdentity(
    _ easy: borrowing EasyHandle, _ certificate: ClientCertificate?, _ transfer: () throws -> CURLcode
  ) throws -> CURLcode {
    guard let certificate else { return try transfer() }
    // Without a passphrase, even an empty one, OpenSSL would ask for it on the terminal.
    try check(easy.set(CURLOPT_KEYPASSWD, ""))
    return try certificate.chain.withBytes { chain in
      try check(easy.set(CURLOPT_SSLCERT_BLOB, borrowedBlob: chain))
      return try certificate.key.withBytes { key in
        try check(easy.set(CURLOPT_SSLKEY_BLOB, borrowedBlob: key))
        return try transfer()
      }
    }
  }
}
