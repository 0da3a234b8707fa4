/// Excludes every other process of this user that works on the same account.
public protocol AccountLock: Sendable {
  /// Tells this set of locks from others: two processes exclude each other only where it is the same for both.
  ///
  /// Asked for while a lock is held.
  var identity: String { get }
  /// Runs `body` while holding the lock of that name, waiting for it at most `limit`.
  ///
  /// The lock is the kernel's: it ends with the process that holds it, however that ends.
  ///
  /// - Throws: ``LockError``, or what `body` throws; `CancellationError` where the task is cancelled while waiting.
  func withLock<Value: Sendable>(
    _ name: String, limit: Duration, _ body: @Sendable () async throws -> Value
  ) async throws -> Value
}

/// The lock could not be taken.
///
/// The caller must not go on without it.
public enum LockError: Error, Sendable, Equatable {
  /// Another process held it for all of the limit; its pid where it is known.
  case busy(holder: Int?, seconds: Int)
  /// The lock's folder or file is not this user's alone, or cannot be made.
  case unusable(path: String, reason: String)
}
