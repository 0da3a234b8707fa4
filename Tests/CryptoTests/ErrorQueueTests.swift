import Crypto
import Glibc
import Testing

/// libcrypto keeps its errors in a queue of the thread, and libcurl's TLS on that thread takes what lies there for its own.
struct ErrorQueueTests {
  private typealias Peek = @convention(c) () -> CUnsignedLong

  private func peek() throws -> Peek {
    let handle = try #require(dlopen("libcrypto.so.3", RTLD_NOW))
    // The type of the header.
    return unsafeBitCast(try #require(dlsym(handle, "ERR_peek_error")), to: Peek.self)
  }

  @Test func `nothing is left in the queue of errors`() throws {
    let peek = try peek()
    let key = try PrivateKey.generate()
    let other = try PrivateKey.generate(.p384)
    let rsa = try StandardExampleTests.privateKey(of: StandardExamples.rs256)
    let pem = try rsa.pem().reveal()
    let steps: [(id: String, body: () -> Void)] = [
      ("an empty PEM", { _ = try? PrivateKey(pem: Secret("")) }),
      ("a broken PEM", { _ = try? PrivateKey(pem: Secret(String(pem.prefix(400)))) }),
      ("a certificate", { _ = try? PrivateKey(pem: Secret(KeyFormatTests.certificate)) }),
      ("a good PEM", { _ = try? PrivateKey(pem: Secret(pem)) }),
      ("a good PEM behind a certificate", { _ = try? PrivateKey(pem: Secret(KeyFormatTests.certificate + pem)) }),
      ("a key of another size", { _ = try? PrivateKey(pem: Secret(pem)).sign([1], by: .es256) }),
      ("no certificate", { _ = try? X509Certificate(pem: Secret(pem)) }),
      (
        "a certificate of another kind of key",
        {
          _ = try? X509Certificate(pem: Secret(KeyFormatTests.certificate)).belongs(to: rsa)
        }
      ),
      (
        "a certificate of another curve",
        {
          _ = try? X509Certificate(pem: Secret(KeyFormatTests.certificate)).belongs(to: other)
        }
      ),
      (
        "a point off the curve",
        {
          _ = try? PublicKey(.ec(.p256, x: Array(repeating: 1, count: 32), y: Array(repeating: 1, count: 32)))
        }
      ),
      ("a small modulus", { _ = try? PublicKey(.rsa(modulus: [5], exponent: [3])) }),
      ("a bad ECDSA signature", { _ = key.publicKey.isValid(Array(repeating: 1, count: 64), of: [1], by: .es256) }),
      ("one of zeros", { _ = key.publicKey.isValid(Array(repeating: 0, count: 64), of: [1], by: .es256) }),
      ("a bad PKCS#1 signature", { _ = rsa.publicKey.isValid(Array(repeating: 1, count: 256), of: [1], by: .rs256) }),
      ("one over the modulus", { _ = rsa.publicKey.isValid(Array(repeating: 255, count: 256), of: [1], by: .rs256) }),
      ("a bad PSS signature", { _ = rsa.publicKey.isValid(Array(repeating: 1, count: 256), of: [1], by: .ps256) }),
      (
        "no point of Ed25519",
        {
          _ = try? PublicKey(.ed25519([2] + Array(repeating: 0, count: 31)))
            .isValid(Array(repeating: 1, count: 64), of: [1], by: .edDSA)
        }
      ),
      ("signing", { _ = try? rsa.sign([1], by: .ps512) }),
      ("writing", { _ = try? rsa.pem() }),
      ("a code", { _ = try? HMAC.sign([1], key: Secret("k"), by: .hs512) }),
    ]
    #expect(peek() == 0)
    for step in steps {
      step.body()
      #expect(peek() == 0, "\(step.id)")
    }
  }
}
