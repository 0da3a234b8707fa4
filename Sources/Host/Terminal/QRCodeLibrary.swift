internal import CQRencode
internal import Loader

/// libqrencode's functions, looked up in the library that is loaded on first use.
///
/// A machine may be without it: then there are no QR codes, and that is all.
struct QRCodeLibrary: Sendable {
  typealias Symbol = UnsafeMutablePointer<oauthctl_qrcode>
  /// `QRcode_encodeString`: text, version (0 for the smallest), level, mode, and whether case matters.
  typealias Encode = @Sendable @convention(c) (UnsafePointer<CChar>?, CInt, CInt, CInt, CInt) -> Symbol?
  typealias Free = @Sendable @convention(c) (Symbol?) -> Void

  /// The library, loaded once for the process; nil where it is not installed.
  static let shared = QRCodeLibrary("libqrencode.so.4")

  let encode: Encode
  let free: Free

  /// Loads a library; it stays loaded until the process ends.
  init?(_ fileName: String) {
    guard let library = try? SharedLibrary(fileName, package: "libqrencode4"),
      let encode: Encode = try? library.function("QRcode_encodeString"),
      let free: Free = try? library.function("QRcode_free")
    else { return nil }
    (self.encode, self.free) = (encode, free)
  }
}
