import Crypto
import Foundation
import Testing

struct X509CertificateTests {
  @Test func `the thumbprint is that of RFC 8705`() throws {
    // Appendix A.
    let certificate = try X509Certificate(pem: Secret(KeyFormatTests.certificate))
    #expect(Base64URL.encode(certificate.thumbprint) == "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0")
    // 2 May 2022 12:37:09 UTC
    #expect(certificate.notAfter == 1_651_495_029)
  }

  static let kinds: [(algorithm: SignatureAlgorithm, days: Int)] = [(.rs256, 30), (.es256, 1), (.edDSA, 20_000)]

  @Test(arguments: kinds) func `a certificate is read as openssl reads it`(
    _ row: (algorithm: SignatureAlgorithm, days: Int)
  ) async throws {
    let tool = try OpenSSLTool()
    let pem = try await OpenSSLTool.key(for: row.algorithm)
    let text = try await selfSigned(tool, pem, "ada", days: row.days)
    let certificate = try X509Certificate(pem: Secret(text))
    let file = try tool.file("read", Array(text.utf8))
    let end = try await tool.run("x509", "-in", file, "-noout", "-enddate", "-dateopt", "iso_8601")
    let date = String(decoding: end, as: UTF8.self).dropFirst("notAfter=".count).dropLast()
    let expected = try Date(date.replacing(" ", with: "T"), strategy: .iso8601)
    #expect(certificate.notAfter == Int(expected.timeIntervalSince1970))
    let print = try await tool.run("x509", "-in", file, "-noout", "-fingerprint", "-sha256")
    let digits = String(decoding: print, as: UTF8.self).split(separator: "=").last.map { $0.filter(\.isHexDigit) }
    #expect(digits?.lowercased() == hex(certificate.thumbprint))
    let key = try PrivateKey(pem: pem)
    #expect(certificate.belongs(to: key))
    #expect(!certificate.belongs(to: try PrivateKey.generate(.p256)))
    #expect(!certificate.belongs(to: try PrivateKey.generate(.p521)))
  }

  @Test func `the first of a chain is taken, also after its key`() async throws {
    let tool = try OpenSSLTool()
    let (pem, other) = (try await OpenSSLTool.key(for: .es256), try await OpenSSLTool.key(for: .es256))
    let first = try await selfSigned(tool, pem, "ada", days: 3)
    let second = try await selfSigned(tool, other, "bob", days: 3)
    let alone = try X509Certificate(pem: Secret(first))
    for text in [first + second, pem.reveal() + first + second, "Certificate of Ada\n" + first] {
      let certificate = try X509Certificate(pem: Secret(text))
      #expect(certificate.thumbprint == alone.thumbprint)
      #expect(certificate.belongs(to: try PrivateKey(pem: pem)))
      #expect(!certificate.belongs(to: try PrivateKey(pem: other)))
    }
    #expect(try X509Certificate(pem: Secret(second + first)).belongs(to: PrivateKey(pem: other)))
  }

  @Test func `what is no certificate is said to be what it is`() throws {
    let good = KeyFormatTests.certificate
    let rows: [(String, String)] = [
      ("", "no certificate in PEM form"), ("MIIBBj", "no certificate in PEM form"),
      (try PrivateKey.generate().pem().reveal(), "a private key, where a certificate is wanted"),
      (good.replacing("MIIBBj", with: "MIIBBk"), "a certificate that is broken"),
      (good.replacing("bUlJSGQgjwD5vaUaKlLR50Q2DmFfQj1L+SY=\n", with: ""), "a certificate that is broken"),
      (String(good.prefix(300)), "a certificate that is broken"),
    ]
    for (text, says) in rows {
      let error = #expect(throws: KeyError.self) { try X509Certificate(pem: Secret(text)) }
      #expect(error?.message.hasPrefix(says) == true, "\(error?.message ?? "")")
    }
  }

  private func selfSigned(_ tool: OpenSSLTool, _ key: Secret, _ name: String, days: Int) async throws -> String {
    let file = try tool.file("\(name).key", Array(key.reveal().utf8))
    let text = try await tool.run("req", "-x509", "-new", "-key", file, "-subj", "/CN=\(name)", "-days", "\(days)")
    return String(decoding: text, as: UTF8.self)
  }
}
