internal import Crypto
public import Flows
internal import Glibc

/// Locks accounts with `flock` on files in one private folder.
///
/// The files stay: removing one would let two processes hold "the same" lock. What a holder writes into its file, its
/// pid, only serves the message of those who wait.
public struct FileLock: AccountLock {
  /// How long is waited in silence: most waits are over by then.
  private static let silence = Duration.seconds(1)

  private let folder: String
  private let tellWaiting: @Sendable (_ holder: Int?) -> Void

  /// Makes locks in a folder, which is made on first use; see ``Paths/lockDirectory``.
  ///
  /// - Parameter tellWaiting: called once where waiting for a lock takes longer, with the pid of the process that has
  ///   it, where that is known.
  public init(folder: String, tellWaiting: @escaping @Sendable (_ holder: Int?) -> Void = { _ in }) {
    self.folder = folder
    self.tellWaiting = tellWaiting
  }

  /// The folder itself, whatever its path is called: another one of that name is another set of locks.
  public var identity: String {
    var status = stat()
    guard stat(folder, &status) == 0 else { return "none" }
    return "\(status.st_dev):\(status.st_ino)"
  }

  /// Runs `body` while holding the lock; see the port.
  ///
  /// A limit of zero tries once.
  public func withLock<Value: Sendable>(
    _ name: String, limit: Duration, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    let file = try await acquire(name, limit: limit)
    defer { file.unlock() }
    return try await body()
  }

  private func acquire(_ name: String, limit: Duration) async throws -> LockFile {
    let file = try LockFile(folder: folder, name: Self.fileName(for: name))
    let start = ContinuousClock.now
    var pause = Duration.milliseconds(10)
    var isSilent = true
    while true {
      try Task.checkCancellation()
      if try file.tryLock() { return file }
      let waited = ContinuousClock.now - start
      if isSilent, waited >= Self.silence {
        isSilent = false
        tellWaiting(file.holder)
      }
      let left = limit - waited
      guard left > .zero else {
        throw LockError.busy(holder: file.holder, seconds: Int(clamping: limit.components.seconds))
      }
      try await Task.sleep(for: min(pause, left), tolerance: .zero)
      pause = min(pause * 2, .milliseconds(100))
    }
  }

  /// Gives the file name of a lock: another one for every name, and never one that means something to the system.
  static func fileName(for name: String) -> String {
    let hex = Array("0123456789ABCDEF")
    var encoded = ""
    for (index, byte) in name.utf8.enumerated() {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "+"),
        UInt8(ascii: "-"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: ".") where index > 0:
        encoded.append(".")
      default:
        encoded.append("%")
        encoded.append(hex[Int(byte >> 4)])
        encoded.append(hex[Int(byte & 15)])
      }
    }
    guard encoded.utf8.count > 200 else { return encoded + ".lock" }
    // No encoded name has a percent sign before anything but two digits.
    return "%sha256-" + Base64URL.encode(SHA256.digest(Array(name.utf8))) + ".lock"
  }
}
