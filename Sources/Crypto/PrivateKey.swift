internal import CCrypto
internal import Glibc

/// A private key that signs.
///
/// The key itself is libcrypto's, which clears its memory when the last copy of this goes.
public struct PrivateKey: Sendable {
  /// What others verify its signatures with.
  public let publicKey: PublicKey

  private let library: KeyLibrary
  private let key: OpenSSLObject

  /// Reads the first private key of a PEM text: PKCS#8, PKCS#1 (RSA) or SEC 1 (EC).
  ///
  /// Nobody is ever asked for a passphrase.
  ///
  /// - Throws: ``KeyError/encrypted``, ``KeyError/unreadable(reason:)`` for what holds no such key or a broken one,
  ///   ``KeyError/unsupported(reason:)`` for one of another kind or an RSA key under 2048 bits (RFC 7518 section 3.3),
  ///   ``KeyError/unavailable(reason:)``.
  public init(pem: Secret) throws(KeyError) {
    let library = try KeyLibrary.get()
    defer { library.errors.clear() }
    let asked = PassphraseQuestion()
    let key = asked.with { question in
      library.reading(pem) { file in
        OpenSSLObject(library.keys.read(file, nil, refuse, question), library.keys.free)
      }
    }
    guard let key else {
      throw PEMLabels(of: pem).whyNoPrivateKey(asked: asked.wasAsked)
    }
    try self.init(key, library)
  }

  /// Makes a key on a curve, by libcrypto's generator.
  ///
  /// - Throws: ``KeyError/unavailable(reason:)``.
  public static func generate(_ curve: EllipticCurve = .p256) throws(KeyError) -> PrivateKey {
    let library = try KeyLibrary.get()
    defer { library.errors.clear() }
    guard let context = OpenSSLObject(library.making.context(nil, "EC", nil), library.making.freeContext) else {
      throw .unavailable(reason: library.failure())
    }
    let group = ParameterList()
    group.text(OSSL_PKEY_PARAM_GROUP_NAME, curve.rawValue)
    let key = context.with { context in
      var pointer: OpaquePointer?
      guard library.making.startGenerating(context) == 1,
        group.with({ library.making.setParameters(context, $0) }) == 1,
        library.making.generate(context, &pointer) == 1
      else { return OpenSSLObject?.none }
      return OpenSSLObject(pointer, library.keys.free)
    }
    guard let key else { throw .unavailable(reason: library.failure()) }
    return try PrivateKey(key, library)
  }

  /// Takes a key over, and looks whether its two parts belong together: a file may hold any two.
  ///
  /// - Parameter stated: the public part, where it was given apart.
  init(_ key: OpenSSLObject, _ library: KeyLibrary, stated: PublicKey? = nil) throws(KeyError) {
    self.key = key
    self.library = library
    if let stated {
      publicKey = stated
    } else {
      publicKey = try key.with { key throws(KeyError) in try PublicKey(library.publicParameters(of: key)) }
    }
    let message = Array("oauthctl".utf8)
    guard let signature = try? sign(message, by: usualAlgorithm),
      publicKey.isValid(signature, of: message, by: usualAlgorithm)
    else { throw .unreadable(reason: "the private and the public part of the key do not belong together") }
  }

  /// The algorithm that is used where nothing else is asked for: RS256, ES256, ES384, ES512 or EdDSA.
  public var usualAlgorithm: SignatureAlgorithm {
    switch publicKey.parameters {
    case .rsa: .rs256
    case .ec(let curve, _, _): curve.algorithm
    case .ed25519: .edDSA
    }
  }

  /// Whether it makes signatures of this algorithm.
  public func supports(_ algorithm: SignatureAlgorithm) -> Bool { publicKey.supports(algorithm) }

  /// Signs, and gives the signature in the form of JWS (RFC 7515 section 5.1): R and S side by side for ECDSA.
  ///
  /// - Throws: ``KeyError/unsuitable(algorithm:key:)`` where the algorithm does not go with the key;
  ///   ``KeyError/unavailable(reason:)`` where libcrypto does not want to.
  public func sign(_ message: [UInt8], by algorithm: SignatureAlgorithm) throws(KeyError) -> [UInt8] {
    guard supports(algorithm) else { throw .unsuitable(algorithm: algorithm.rawValue, key: publicKey.kind) }
    defer { library.errors.clear() }
    let signature = key.with { key -> [UInt8]? in
      guard let signature = library.sign(message, with: key, by: algorithm) else { return nil }
      guard case .ecdsa(let curve) = algorithm.family else { return signature }
      return library.decodeHalves(signature, width: curve.width)
    }
    guard let signature else { throw .unavailable(reason: library.failure()) }
    return signature
  }

  /// Gives the key as an unencrypted PKCS#8 PEM text (RFC 5958), for the keyring alone.
  ///
  /// - Throws: ``KeyError/unavailable(reason:)``.
  public func pem() throws(KeyError) -> Secret {
    defer { library.errors.clear() }
    // libcrypto clears the memory of such a file when it is freed.
    let file = OpenSSLObject(library.memory.new(library.memory.kind()), library.memory.free)
    let text = file?.with { file -> Secret? in
      guard key.with({ library.keys.write(file, $0, nil, nil, 0, nil, nil) }) == 1 else { return nil }
      var start: UnsafeMutableRawPointer?
      let count = library.memory.control(file, BIO_CTRL_INFO, 0, &start)
      guard let start, count > 0 else { return nil }
      return Secret(copying: UnsafeRawBufferPointer(start: start, count: count))
    }
    guard let text else { throw .unavailable(reason: library.failure()) }
    return text
  }

  /// Lends the key itself.
  func with<Result>(_ body: (OpaquePointer) -> Result) -> Result { key.with(body) }
}

extension PrivateKey: Equatable {
  /// Compares the public parts, which determine the private ones.
  public static func == (left: PrivateKey, right: PrivateKey) -> Bool { left.publicKey == right.publicKey }
}
