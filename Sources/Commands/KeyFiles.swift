internal import CLI
internal import Crypto
internal import OAuth

/// Reads the private keys and certificates that the user hands over, once: they are kept in the keyring.
struct KeyFiles {
  private let environment: Environment

  init(_ environment: Environment) {
    self.environment = environment
  }

  /// The key of `--private-key-file`, PEM or JWK, as it is kept.
  func clientKey(_ invocation: Invocation) throws -> ClientKey? {
    guard let file = invocation.value("private-key-file") else { return nil }
    return try Self.key(try environment.readSecret(file), from: file)
  }

  /// Reads a private key as PEM, or as a JWK where it is JSON (RFC 7517).
  static func key(_ content: Secret, from file: String) throws(Failure) -> ClientKey {
    let json = content.withBytes { $0.first == UInt8(ascii: "{") ? JSONValue(parsing: $0) : nil }
    do {
      guard let json else { return ClientKey(pem: try PrivateKey(pem: content).pem()) }
      let read = try JSONWebKey.privateKey(from: json)
      return ClientKey(pem: try read.key.pem(), keyID: read.keyID, algorithm: read.algorithm)
    } catch {
      throw failure(error, file)
    }
  }

  /// The certificate of `--certificate-file` and its key of `--key-file`.
  func certificate(_ invocation: Invocation) throws -> ClientCertificate? {
    let files = (chain: invocation.value("certificate-file"), key: invocation.value("key-file"))
    guard let chainFile = files.chain else {
      if files.key != nil {
        throw Failure(.usage, "--key-file needs its certificate", hint: "give --certificate-file too")
      }
      return nil
    }
    // One file often holds both: then it is as secret as the key, and read once, as it may be a pipe.
    let chain =
      files.key == nil ? try environment.readSecret(chainFile) : try environment.readPublic(chainFile)
    let certificate: X509Certificate
    do { certificate = try X509Certificate(pem: chain) } catch {
      throw Self.failure(error, chainFile, hint: "give a certificate in PEM, with those between it and the authority")
    }
    let keyFile = files.key ?? chainFile
    let key = files.key == nil ? chain : try environment.readSecret(keyFile)
    let pair: (key: PrivateKey, pem: Secret)
    do {
      let read = try PrivateKey(pem: key)
      pair = (read, try read.pem())
    } catch {
      throw Self.failure(error, keyFile, hint: "give the certificate's private key in PEM with --key-file FILE")
    }
    guard certificate.belongs(to: pair.key) else {
      throw Failure(
        .configuration,
        "the key in \(Quoting.quote(keyFile)) is not that of the certificate in \(Quoting.quote(chainFile))",
        hint: "give the two that belong together")
    }
    return ClientCertificate(chain: chain, key: pair.pem)
  }

  static func failure(
    _ error: KeyError, _ file: String, hint: String = "give a private key in PEM or as a JWK"
  ) -> Failure {
    Failure(
      .configuration, "\(PrintableText.printable(file, limit: 200)): \(error.message)",
      hint: error == .encrypted
        ? "take the passphrase off first, since the keyring protects it: openssl pkey -in FILE -out PLAIN"
        : hint)
  }
}
