import Crypto
import Flows
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Host

/// Whose certificates are believed: the system's, those that are added, and nobody else's.
struct CurlTLSTests {
  private let folder: TestFolder
  private let authority: TestAuthority

  init() async throws {
    folder = try TestFolder()
    authority = try await TestAuthority("authority", in: folder)
  }

  private func status(
    _ server: TLSServer, host: String = "localhost", system: String? = nil, extra: String? = nil
  ) async throws -> Int {
    let environment = system.map { ["SSL_CERT_FILE": $0] } ?? [:]
    let client = try CurlClient(CurlOptions(version: "0", environment: environment, extraCertificates: extra))
    return try await client.send(HTTPRequest(method: .get, url: "https://\(host):\(server.port)/")).status
  }

  private func refusal(_ call: () async throws -> Int) async throws -> TransportError {
    let error = try #require(await #expect(throws: TransportError.self) { _ = try await call() })
    #expect(error.kind == .tls)
    #expect(!error.mayHaveArrived)
    return error
  }

  @Test func `an added authority is believed, for its names alone`() async throws {
    let server = try await TLSServer.start(authority.issue("good", for: "DNS:localhost,IP:127.0.0.1"))
    #expect(try await status(server, extra: authority.certificate) == 200)
    #expect(try await status(server, host: "127.0.0.1", extra: authority.certificate) == 200)
    let error = try await refusal { try await status(server) }
    #expect(error.message.contains("unable to get local issuer certificate"))
  }

  @Test func `another host's certificate is refused`() async throws {
    let server = try await TLSServer.start(authority.issue("other", for: "DNS:localhost.example,IP:127.0.0.2"))
    for host in ["localhost", "127.0.0.1"] {
      let error = try await refusal { try await status(server, host: host, extra: authority.certificate) }
      #expect(error.message.contains("SSL: no alternative certificate subject name matches"))
    }
  }

  @Test func `an expired certificate is refused`() async throws {
    let server = try await TLSServer.start(authority.issue("old", for: "DNS:localhost", days: -1))
    let error = try await refusal { try await status(server, extra: authority.certificate) }
    #expect(error.message.contains("certificate has expired"))
  }

  @Test func `TLS before 1 dot 2 is refused`() async throws {
    let certificate = try await authority.issue("good", for: "DNS:localhost")
    let server = try await TLSServer.start(certificate, "-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
    _ = try await refusal { try await status(server, extra: authority.certificate) }
    let newer = try await TLSServer.start(certificate, "-tls1_2")
    #expect(try await status(newer, extra: authority.certificate) == 200)
  }

  @Test func `the file in SSL_CERT_FILE is the system's store, and one can be added to it`() async throws {
    let added = try await TestAuthority("added", in: folder)
    let foreign = try await TestAuthority("foreign", in: folder)
    let ofSystem = try await TLSServer.start(authority.issue("a", for: "DNS:localhost"))
    let ofAdded = try await TLSServer.start(added.issue("b", for: "DNS:localhost"))
    let ofForeign = try await TLSServer.start(foreign.issue("c", for: "DNS:localhost"))

    #expect(try await status(ofSystem, system: authority.certificate) == 200)
    _ = try await refusal { try await status(ofAdded, system: authority.certificate) }

    for server in [ofSystem, ofAdded] {
      #expect(try await status(server, system: authority.certificate, extra: added.certificate) == 200)
    }
    _ = try await refusal {
      try await status(ofForeign, system: authority.certificate, extra: added.certificate)
    }
  }

  @Test func `an added authority does not replace the system's`() throws {
    let library = try CurlLibrary.shared.get()
    let options = CurlOptions(version: "0", extraCertificates: authority.certificate)
    let builtIn = EasyHandle(library)?.builtInCertificates
    let bundle = try #require(builtIn.map { try WholeFile.read($0, limit: 8 << 20) })
    let added = try WholeFile.read(authority.certificate, limit: 8 << 20)
    for known in [builtIn, nil] {
      let certificates = try #require(try TrustStore(options).certificates(builtIn: known, host: "h"))
      #expect(certificates.starts(with: bundle))
      #expect(certificates.suffix(added.count).elementsEqual(added))
    }
    #expect(try TrustStore(CurlOptions(version: "0")).certificates(builtIn: builtIn, host: "h") == nil)
  }

  @Test func `certificates that cannot be read are an error at once`() throws {
    let empty = try folder.file("empty", "no certificate")
    #expect(throws: FileError.unreadable(path: empty, reason: "there is no PEM certificate in it")) {
      try CurlClient(CurlOptions(version: "0", extraCertificates: empty))
    }
    #expect(throws: FileError.notFound(path: "/nowhere")) {
      try CurlClient(CurlOptions(version: "0", extraCertificates: "/nowhere"))
    }
  }

  @Test func `a system store that cannot be read stops the request`() async throws {
    let client = try CurlClient(CurlOptions(version: "0", environment: ["SSL_CERT_FILE": "/nowhere"]))
    await #expect(
      throws: TransportError(
        kind: .badCertificates, host: "localhost", message: "/nowhere: no such file", mayHaveArrived: false)
    ) { try await client.send(HTTPRequest(method: .get, url: "https://localhost:1/")) }
  }
}
