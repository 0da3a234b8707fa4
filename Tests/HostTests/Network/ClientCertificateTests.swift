import Crypto
import Flows
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Host

/// What a client shows to a server that asks who it is, and what becomes of one that it cannot show (RFC 8705).
struct ClientCertificateTests {
  private let folder: TestFolder
  private let authority: TestAuthority
  private let client: CurlClient

  init() async throws {
    folder = try TestFolder()
    authority = try await TestAuthority("authority", in: folder)
    client = try CurlClient(CurlOptions(version: "0", extraCertificates: authority.certificate))
  }

  private func server(_ options: String...) async throws -> TLSServer {
    try await TLSServer.start(
      authority.issue("good", for: "DNS:localhost"),
      ["-verify_return_error", "-CAfile", authority.certificate] + options)
  }

  private func read(chain: String, key: String) throws -> ClientCertificate {
    ClientCertificate(chain: Secret(bytes: try WholeFile.read(chain, limit: 1 << 20)), key: try SecretFile.read(key))
  }

  private func send(_ certificate: ClientCertificate?, to server: TLSServer) async throws -> String {
    let response = try await client.send(
      HTTPRequest(method: .get, url: "https://localhost:\(server.port)/", clientCertificate: certificate))
    #expect(response.status == 200)
    return String(decoding: response.body, as: UTF8.self)
  }

  @Test func `a request with a certificate satisfies a server that demands one, and one without does not`() async throws
  {
    let identity = try await authority.issue("client", for: "DNS:client")
    let certificate = try read(chain: identity + ".pem", key: identity + ".key")
    let server = try await server("-Verify", "1")
    for _ in 0..<2 {
      let error = await #expect(throws: TransportError.self) { try await send(nil, to: server) }
      #expect(error?.kind == .badClientCertificate)
      #expect(error?.message.contains("certificate required") == true)
      #expect(try await send(certificate, to: server).contains("CN=client"))
    }
  }

  @Test func `a certificate of an authority that the server does not know is the client's mistake`() async throws {
    let identity = try await TestAuthority("foreign", in: folder).issue("client", for: "DNS:client")
    let certificate = try read(chain: identity + ".pem", key: identity + ".key")
    for version in ["-tls1_2", "-tls1_3"] {
      let server = try await server("-Verify", "1", version)
      let error = await #expect(throws: TransportError.self) { try await send(certificate, to: server) }
      #expect(error?.kind == .badClientCertificate, "\(version): \(error?.message ?? "")")
    }
  }

  @Test func `the certificate is shown for the request that has it, and for no other of the same client`() async throws
  {
    let server = try await server("-verify", "1")
    for name in ["first", "second"] {
      let identity = try await authority.issue(name, for: "DNS:client")
      #expect(
        try await send(read(chain: identity + ".pem", key: identity + ".key"), to: server).contains("CN=\(name)"))
      #expect(try await send(nil, to: server).contains("no client certificate available"))
    }
  }

  @Test func `what cannot be shown is an error of its own, before anything is sent, and nobody is asked`() async throws
  {
    let identity = try await authority.issue("client", for: "DNS:client")
    let other = try await authority.issue("other", for: "DNS:other")
    let encrypted = try await authority.encryptKey(of: identity)
    let server = try await server("-verify", "1")
    let secret = try folder.file("secret", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n")
    let rows = [
      ("a key with a passphrase", identity + ".pem", encrypted), ("another's key", identity + ".pem", other + ".key"),
      ("a key that is none", identity + ".pem", secret), ("no key", identity + ".pem", identity + ".ext"),
      ("no certificate", secret, identity + ".key"),
    ]
    for (id, chain, key) in rows {
      let error = await #expect(throws: TransportError.self, "\(id)") {
        try await send(read(chain: chain, key: key), to: server)
      }
      #expect(error?.kind == .badClientCertificate, "\(id): \(error?.message ?? "")")
      #expect(error?.mayHaveArrived == false, "\(id)")
      #expect(error?.message.contains("c2VjcmV0") == false, "\(id)")
    }
  }
}
