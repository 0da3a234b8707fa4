internal import Glibc

/// A shared library that is loaded when it is first needed, so that a run that does without it does not pay for it.
///
/// It stays loaded until the process ends.
public struct SharedLibrary: Sendable {
  /// It cannot be used, and why: one line that names the package to install.
  public struct Missing: Error, Sendable, Equatable {
    /// The line.
    public let message: String

    /// Makes one.
    public init(message: String) {
      self.message = message
    }
  }

  // The loader's own handle: never changed, never closed.
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer
  private let fileName: String
  private let package: String

  /// Loads a library.
  ///
  /// - Parameters:
  ///   - fileName: its soname, as `libcurl.so.4`.
  ///   - package: the Debian package that has it, for the message.
  /// - Throws: ``Missing``.
  public init(_ fileName: String, package: String) throws(Missing) {
    guard let handle = dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else {
      let reason = dlerror().map { String(cString: $0) } ?? "unknown reason"
      throw Missing(message: "\(fileName) cannot be loaded (package \(package)): \(reason)")
    }
    self.handle = handle
    self.fileName = fileName
    self.package = package
  }

  /// Gives the address of a function.
  ///
  /// - Throws: ``Missing`` where the library is too old to have it.
  public func address(_ name: String) throws(Missing) -> UnsafeMutableRawPointer {
    guard let address = dlsym(handle, name) else {
      throw Missing(message: "\(fileName) is too old, it has no \(name) (package \(package))")
    }
    return address
  }

  /// Gives a function as the C type that the caller states, which must be the one in the library's headers.
  ///
  /// - Throws: ``Missing`` where the library is too old to have it.
  public func function<Function>(_ name: String) throws(Missing) -> Function {
    unsafeBitCast(try address(name), to: Function.self)
  }
}
