internal import CCrypto
internal import Glibc
internal import Loader

/// libcrypto's functions for keys, signatures and certificates.
///
/// They are a table apart from ``CryptoLibrary``'s, so that a run that only needs randomness and a digest does not look
/// them up.
final class KeyLibrary: Sendable {
  /// The functions, looked up once for the process.
  static let shared: Result<KeyLibrary, SharedLibrary.Missing> = Result { () throws(SharedLibrary.Missing) in
    try KeyLibrary(try CryptoLibrary.load())
  }

  let errors: ErrorFunctions
  let memory: MemoryFunctions
  let keys: KeyFunctions
  let making: KeyMakingFunctions
  let signatures: SignatureFunctions
  let halves: SignatureHalvesFunctions
  let certificates: CertificateFunctions

  private init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
    errors = try ErrorFunctions(library)
    memory = try MemoryFunctions(library)
    keys = try KeyFunctions(library)
    making = try KeyMakingFunctions(library)
    signatures = try SignatureFunctions(library)
    halves = try SignatureHalvesFunctions(library)
    certificates = try CertificateFunctions(library)
  }

  // The types are those of the headers (openssl/*.h); a pointer to a type that the headers keep closed is a Pointer.
  typealias Pointer = OpaquePointer?
  typealias Place = UnsafeMutablePointer<OpaquePointer?>?
  typealias Text = UnsafePointer<CChar>?
  typealias Bytes = UnsafePointer<UInt8>?
  typealias Output = UnsafeMutablePointer<UInt8>?
  typealias Count = UnsafeMutablePointer<Int>?
  typealias Parameters = UnsafePointer<OSSL_PARAM>?
  typealias Make = @Sendable @convention(c) () -> Pointer
  typealias Ask = @Sendable @convention(c) (Pointer) -> CInt
  typealias Passphrase = @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt
  typealias ReadPEM = @Sendable @convention(c) (Pointer, Place, Passphrase?, UnsafeMutableRawPointer?) -> Pointer
  typealias StartDigest = @Sendable @convention(c) (Pointer, Place, Text, Pointer, Text, Pointer, Parameters) -> CInt
}

/// The thread's queue of errors.
struct ErrorFunctions: Sendable {
  let next: @Sendable @convention(c) () -> CUnsignedLong
  let reason: @Sendable @convention(c) (CUnsignedLong) -> KeyLibrary.Text
  let clear: @Sendable @convention(c) () -> Void

  init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
    next = try library.function("ERR_get_error")
    reason = try library.function("ERR_reason_error_string")
    clear = try library.function("ERR_clear_error")
  }
}

/// Memory that is read or written as a file.
struct MemoryFunctions: Sendable {
  let reading: @Sendable @convention(c) (UnsafeRawPointer?, CInt) -> KeyLibrary.Pointer
  let kind: KeyLibrary.Make
  let new: @Sendable @convention(c) (KeyLibrary.Pointer) -> KeyLibrary.Pointer
  let control: @Sendable @convention(c) (KeyLibrary.Pointer, CInt, CLong, UnsafeMutableRawPointer?) -> CLong
  let free: OpenSSLObject.Free

  init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
    reading = try library.function("BIO_new_mem_buf")
    kind = try library.function("BIO_s_mem")
    new = try library.function("BIO_new")
    control = try library.function("BIO_ctrl")
    free = try library.function("BIO_vfree")
  }
}

/// What there is to know of a key.
struct KeyFunctions: Sendable {
  let free: OpenSSLObject.Free
  let isOfKind: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Text) -> CInt
  let bits: KeyLibrary.Ask
  let size: KeyLibrary.Ask
  let groupName:
    @Sendable @convention(c) (KeyLibrary.Pointer, UnsafeMutablePointer<CChar>?, Int, KeyLibrary.Count) -> CInt
  let number: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Text, KeyLibrary.Place) -> CInt
  let rawPublicKey: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Output, KeyLibrary.Count) -> CInt
  let equal: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Pointer) -> CInt
  let read: KeyLibrary.ReadPEM
  let write:
    @Sendable @convention(c) (
      KeyLibrary.Pointer, KeyLibrary.Pointer, KeyLibrary.Pointer, KeyLibrary.Text, CInt, KeyLibrary.Passphrase?,
      UnsafeMutableRawPointer?
    ) -> CInt

  init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
    free = try library.function("EVP_PKEY_free")
    isOfKind = try library.function("EVP_PKEY_is_a")
    bits = try library.function("EVP_PKEY_get_bits")
    size = try library.function("EVP_PKEY_get_size")
    groupName = try library.function("EVP_PKEY_get_group_name")
    number = try library.function("EVP_PKEY_get_bn_param")
    rawPublicKey = try library.function("EVP_PKEY_get_raw_public_key")
    equal = try library.function("EVP_PKEY_eq")
    read = try library.function("PEM_read_bio_PrivateKey")
    write = try library.function("PEM_write_bio_PKCS8PrivateKey")
  }
}

/// How a key is made, of its members or anew.
struct KeyMakingFunctions: Sendable {
  let context: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Text, KeyLibrary.Text) -> KeyLibrary.Pointer
  let freeContext: OpenSSLObject.Free
  let startFromData: KeyLibrary.Ask
  let fromData:
    @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Place, CInt, UnsafeMutablePointer<OSSL_PARAM>?) -> CInt
  let startGenerating: KeyLibrary.Ask
  let setParameters: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Parameters) -> CInt
  let generate: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Place) -> CInt

  init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
    context = try library.function("EVP_PKEY_CTX_new_from_name")
    freeContext = try library.function("EVP_PKEY_CTX_free")
    startFromData = try library.function("EVP_PKEY_fromdata_init")
    fromData = try library.function("EVP_PKEY_fromdata")
    startGenerating = try library.function("EVP_PKEY_keygen_init")
    setParameters = try library.function("EVP_PKEY_CTX_set_params")
    generate = try library.function("EVP_PKEY_generate")
  }
}

/// Digests, and what is made of them.
struct SignatureFunctions: Sendable {
  let new: KeyLibrary.Make
  let free: OpenSSLObject.Free
  let startSigning: KeyLibrary.StartDigest
  let sign:
    @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Output, KeyLibrary.Count, KeyLibrary.Bytes, Int) -> CInt
  let startVerifying: KeyLibrary.StartDigest
  let verify: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Bytes, Int, KeyLibrary.Bytes, Int) -> CInt
  let digest:
    @Sendable @convention(c) (
      KeyLibrary.Pointer, KeyLibrary.Text, KeyLibrary.Text, UnsafeRawPointer?, Int, KeyLibrary.Output, KeyLibrary.Count
    ) -> CInt
  let mac:
    @Sendable @convention(c) (
      KeyLibrary.Pointer, KeyLibrary.Text, KeyLibrary.Text, KeyLibrary.Text, KeyLibrary.Parameters, UnsafeRawPointer?,
      Int, KeyLibrary.Bytes, Int, KeyLibrary.Output, Int, KeyLibrary.Count
    ) -> KeyLibrary.Output

  init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
    new = try library.function("EVP_MD_CTX_new")
    free = try library.function("EVP_MD_CTX_free")
    startSigning = try library.function("EVP_DigestSignInit_ex")
    sign = try library.function("EVP_DigestSign")
    startVerifying = try library.function("EVP_DigestVerifyInit_ex")
    verify = try library.function("EVP_DigestVerify")
    digest = try library.function("EVP_Q_digest")
    mac = try library.function("EVP_Q_mac")
  }
}

/// The two numbers of an ECDSA signature.
struct SignatureHalvesFunctions: Sendable {
  let number: @Sendable @convention(c) (KeyLibrary.Bytes, CInt, KeyLibrary.Pointer) -> KeyLibrary.Pointer
  let bytes: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Output, CInt) -> CInt
  let bits: KeyLibrary.Ask
  let freeNumber: OpenSSLObject.Free
  let new: KeyLibrary.Make
  let free: OpenSSLObject.Free
  let set: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Pointer, KeyLibrary.Pointer) -> CInt
  let get: @Sendable @convention(c) (KeyLibrary.Pointer, KeyLibrary.Place, KeyLibrary.Place) -> Void
  let encode: @Sendable @convention(c) (KeyLibrary.Pointer, UnsafeMutablePointer<KeyLibrary.Output>?) -> CInt
  let decode:
    @Sendable @convention(c) (KeyLibrary.Place, UnsafeMutablePointer<KeyLibrary.Bytes>?, CLong) -> KeyLibrary.Pointer

  init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
    number = try library.function("BN_bin2bn")
    bytes = try library.function("BN_bn2binpad")
    bits = try library.function("BN_num_bits")
    freeNumber = try library.function("BN_free")
    new = try library.function("ECDSA_SIG_new")
    free = try library.function("ECDSA_SIG_free")
    set = try library.function("ECDSA_SIG_set0")
    get = try library.function("ECDSA_SIG_get0")
    encode = try library.function("i2d_ECDSA_SIG")
    decode = try library.function("d2i_ECDSA_SIG")
  }
}

/// What there is to know of a certificate.
struct CertificateFunctions: Sendable {
  let read: KeyLibrary.ReadPEM
  let free: OpenSSLObject.Free
  let encode: @Sendable @convention(c) (KeyLibrary.Pointer, UnsafeMutablePointer<KeyLibrary.Output>?) -> CInt
  let notAfter: @Sendable @convention(c) (KeyLibrary.Pointer) -> UnsafePointer<ASN1_TIME>?
  let calendar: @Sendable @convention(c) (UnsafePointer<ASN1_TIME>?, UnsafeMutablePointer<tm>?) -> CInt
  let key: @Sendable @convention(c) (KeyLibrary.Pointer) -> KeyLibrary.Pointer

  init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
    read = try library.function("PEM_read_bio_X509")
    free = try library.function("X509_free")
    encode = try library.function("i2d_X509")
    notAfter = try library.function("X509_get0_notAfter")
    calendar = try library.function("ASN1_TIME_to_tm")
    key = try library.function("X509_get_pubkey")
  }
}
