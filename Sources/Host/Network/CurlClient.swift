public import Flows
internal import Loader
public import OAuth

/// Sends requests with libcurl.
///
/// Each request has a connection of its own and nothing is kept between them: no cookies, no cache, no connection that
/// might be dead. TLS 1.2 or newer is verified always; no redirect is followed; `http` goes to loopback hosts alone,
/// and to those never through a proxy. The proxies of the environment are honoured.
public struct CurlClient: HTTPClient {
  private let options: CurlOptions
  private let trust: TrustStore

  /// Makes a client; libcurl is loaded by the first request.
  ///
  /// - Throws: ``FileError`` where the extra certificates cannot be read.
  public init(_ options: CurlOptions) throws(FileError) {
    self.options = options
    trust = try TrustStore(options)
  }

  /// Sends the request; see the port.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let (options, trust) = (options, trust)
    let library = try await offPool {
      try CurlLibrary.shared.mapError { CurlFailure.unavailable("", $0.message) }.get()
    }
    let transfer = CurlTransfer(request, library, options, trust)
    return try await withTaskCancellationHandler {
      try await offPool { try transfer.perform() }
    } onCancel: {
      transfer.cancel()
    }
  }
}
