internal import Glibc

/// Owns an open file descriptor, which children do not inherit.
final class FileDescriptor: Sendable {
  private let number: CInt

  /// Takes over a descriptor.
  init(owning number: CInt) {
    self.number = number
  }

  deinit { _ = close(number) }

  /// Lends the number; nowhere else is it sure to stay open, since Swift drops an object after its last use.
  func withNumber<Value, Failure: Error>(_ body: (CInt) throws(Failure) -> Value) throws(Failure) -> Value {
    try withExtendedLifetime(self) { () throws(Failure) in try body(number) }
  }

  /// Opens a file, close-on-exec; nil with `errno` set where it cannot be opened.
  static func open(_ path: String, _ flags: CInt, mode: mode_t = 0) -> FileDescriptor? {
    owning(retryingInterrupts { Glibc.open(path, flags | O_CLOEXEC, mode) })
  }

  /// Opens a file in the folder that this is; otherwise as ``open(_:_:mode:)``.
  func open(_ name: String, _ flags: CInt, mode: mode_t = 0) -> FileDescriptor? {
    Self.owning(withNumber { folder in retryingInterrupts { openat(folder, name, flags | O_CLOEXEC, mode) } })
  }

  /// What the descriptor refers to; nil with `errno` set where that cannot be told.
  var status: stat? {
    var status = stat()
    return withNumber { fstat($0, &status) } == 0 ? status : nil
  }

  private static func owning(_ number: CInt) -> FileDescriptor? {
    number < 0 ? nil : FileDescriptor(owning: number)
  }
}

/// Calls again for as long as a signal interrupts the call.
func retryingInterrupts<Number: SignedInteger>(_ call: () -> Number) -> Number {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

/// The system's words for an error number.
func describe(errno code: CInt) -> String {
  // glibc keeps a text that it makes up per thread (since 2.32), so nothing can change it before it is copied.
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}

extension stat {
  var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
  var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
  /// What group and others may do.
  var sharedAccess: mode_t { st_mode & 0o077 }
}
