internal import Synchronization

/// Counts the callbacks that belong to no login of ours, and says of them what a person can use.
///
/// Any page and any program on the machine can send them, as many as it likes: the words must stay few.
final class StrayCallbacks: Sendable {
  private let count = Mutex(0)
  private let encrypted = Mutex(false)

  /// Whether one of them was encrypted: it may have been the answer.
  var wereEncrypted: Bool { encrypted.withLock { $0 } }

  /// Notes that one came which nobody here can read; gives a sentence for the first.
  func nextEncrypted() -> String? {
    let isFirst = encrypted.withLock { seen in
      defer { seen = true }
      return !seen
    }
    guard isFirst else { return nil }
    return "ignored an encrypted answer, which cannot be read here; the server must sign its answers, and no more "
      + "(the client's authorization_encrypted_response_alg)"
  }

  /// Counts one more; gives a sentence for the first three, and from then on for each tenfold.
  func next() -> String? {
    let count = count.withLock { count in
      count += 1
      return count
    }
    if count <= 3 { return "ignored a callback with a wrong state" }
    guard count >= 10, Self.isPowerOfTen(count) else { return nil }
    return "ignored \(count) callbacks with a wrong state; a web page or another program keeps sending them"
  }

  private static func isPowerOfTen(_ number: Int) -> Bool {
    var rest = number
    while rest % 10 == 0 { rest /= 10 }
    return rest == 1
  }
}
