internal import CCurl
internal import Flows
internal import OAuth

/// A transfer that ended without a response: what libcurl said about it.
struct CurlFailure {
  private let code: CURLcode
  private let text: String
  private let fixedText: String
  private let excess: String?
  private let sentBytes: Int
  private let wasReadyToSend: Bool
  private let wasSecured: Bool
  private let proxyStatus: Int

  init(_ code: CURLcode, _ easy: borrowing EasyHandle, _ library: CurlLibrary, text: String, excess: String?) {
    self.code = code
    fixedText =
      if code == CURLE_OK {
        "the connection was closed in the middle of the headers"
      } else {
        library.easyErrorText(code).map { String(cString: $0) } ?? "error"
      }
    self.text = code == CURLE_OK || text.isEmpty ? fixedText : text
    sentBytes = easy.long(CURLINFO_REQUEST_SIZE)
    wasReadyToSend = easy.size(CURLINFO_PRETRANSFER_TIME_T) > 0
    wasSecured = easy.size(CURLINFO_APPCONNECT_TIME_T) > 0
    proxyStatus = easy.long(CURLINFO_HTTP_CONNECTCODE)
    // A single header line beyond libcurl's own limit is "out of memory" to it.
    let isLongLine = code == CURLE_OUT_OF_MEMORY && sentBytes > 0
    self.excess = excess ?? (isLongLine ? "a header line of more than 100 KiB" : nil)
  }

  static func unavailable(_ host: String, _ message: String) -> TransportError {
    TransportError(kind: .unavailable, host: host, message: message, mayHaveArrived: false)
  }

  func transportError(host: String, isEncrypted: Bool) -> TransportError {
    let proxies = ProxyVariables.ofProcess
    if excess == nil, mayBeOfProxy(host: host), let problem = proxies.problem {
      return TransportError(kind: .badProxy, host: host, message: problem, mayHaveArrived: false)
    }
    return TransportError(
      kind: kind, host: host, message: excess ?? shownText(proxies),
      mayHaveArrived: mayHaveArrived(isEncrypted: isEncrypted)
    )
  }

  /// libcurl's text quotes what it was given; where that may be a password, its fixed text for the code has to do.
  private func shownText(_ proxies: ProxyVariables) -> String {
    PrintableText.printable(proxies.mayShow(text) ? text : fixedText, limit: 300)
  }

  /// Whether it can be the proxy's address that was no good, so that nothing was sent; NO_PROXY may have left it unread.
  private func mayBeOfProxy(host: String) -> Bool {
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: true
    case CURLE_COULDNT_CONNECT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
      sentBytes == 0 && (text.lowercased().contains("proxy") || !text.contains(host.filter { $0 != "[" && $0 != "]" }))
    default: false
    }
  }

  private var proxyRefused: Bool { proxyStatus != 0 && !(200..<300).contains(proxyStatus) }

  /// Whether the server sent a TLS alert about certificates (RFC 8446 section 6.2): it can only mean the client's.
  ///
  /// In TLS 1.3 it comes after what is the whole handshake to the client, as an error of reading.
  private var refusesClient: Bool {
    text.contains(" alert ") && (text.contains("certificate") || text.contains("unknown ca"))
  }

  /// Whether the TLS handshake ended with the connection, and not because the two could not agree.
  ///
  /// libcurl has one code for both; where its text says neither, it is the worse one.
  private var breaksOff: Bool {
    let said = text.lowercased()
    return ["reset", "unexpected eof", "ssl_error_syscall", "broken pipe", "non-properly terminated"].contains(
      where: said.contains)
  }

  private var kind: TransportError.Kind {
    if excess != nil { return .tooLarge }
    if refusesClient { return .badClientCertificate }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .cannotResolve
    case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY, CURLE_INTERFACE_FAILED:
      return .cannotConnect
    case CURLE_OPERATION_TIMEDOUT: return .timedOut
    case CURLE_FILESIZE_EXCEEDED, oauthctl_code_too_large: return .tooLarge
    case CURLE_SSL_CERTPROBLEM: return .badClientCertificate
    case CURLE_SSL_CONNECT_ERROR: return breaksOff ? .handshake : .tls
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      return .tls
    case CURLE_URL_MALFORMAT: return .refusedURL
    case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN:
      return .unavailable
    default: return proxyRefused ? .cannotConnect : .broken
    }
  }

  /// True where in doubt: a refresh token that may be spent must not be thought unspent.
  private func mayHaveArrived(isEncrypted: Bool) -> Bool {
    if proxyRefused { return false }
    // The bytes that were sent are then those of a CONNECT request to a proxy, if any.
    if isEncrypted && !wasSecured { return false }
    return sentBytes > 0 || wasReadyToSend
  }
}
