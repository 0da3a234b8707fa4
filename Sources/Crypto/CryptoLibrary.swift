internal import CCrypto
internal import Loader

/// libcrypto's functions, looked up in the library that is loaded on first use: a stored token is handed out without it.
struct CryptoLibrary: Sendable {
  /// The library, loaded once for the process.
  static let shared: Result<CryptoLibrary, SharedLibrary.Missing> = Result { () throws(SharedLibrary.Missing) in
    try CryptoLibrary(try load())
  }

  /// Loads the library, for this table of functions or for another.
  static func load() throws(SharedLibrary.Missing) -> SharedLibrary {
    try SharedLibrary("libcrypto.so.3", package: "libssl3")
  }

  let randomBytes: @Sendable @convention(c) (UnsafeMutablePointer<UInt8>?, CInt) -> CInt
  let digest:
    @Sendable @convention(c) (
      UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CUnsignedInt>?, OpaquePointer?,
      OpaquePointer?
    ) -> CInt
  let sha256: @Sendable @convention(c) () -> OpaquePointer?

  private init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
    randomBytes = try library.function("RAND_bytes")
    digest = try library.function("EVP_Digest")
    sha256 = try library.function("EVP_sha256")
  }
}
