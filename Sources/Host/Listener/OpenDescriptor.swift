internal import Glibc
internal import Synchronization

/// A file descriptor that is closed when its last owner goes, or before.
final class OpenDescriptor: Sendable {
  let number: Int32
  private let isOpen = Atomic(true)

  /// Takes over a descriptor; from now on nobody else closes it.
  init(owning number: Int32) {
    self.number = number
  }

  deinit {
    closeNow()
  }

  /// Closes it although it may have other owners; those must not use its number any more.
  func closeNow() {
    if isOpen.exchange(false, ordering: .relaxed) { close(number) }
  }

  /// Keeps it from children and from blocking its thread; for those calls that cannot say so when they open it.
  func makePrivateAndNonBlocking() {
    _ = fcntl(number, F_SETFD, fcntl(number, F_GETFD) | FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }
}

/// Wakes a thread that sleeps in `poll`, from any thread.
final class WakeSignal: Sendable {
  private let sender: OpenDescriptor
  private let receiver: OpenDescriptor

  /// Gives nil where the process has no descriptor left.
  init?() {
    var ends: [Int32] = [-1, -1]
    // A socket pair and not a pipe: its ends are close-on-exec from the start, and no other thread's child inherits them.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    sender = OpenDescriptor(owning: ends[0])
    receiver = OpenDescriptor(owning: ends[1])
  }

  /// What to poll for reading; it stays readable until ``clear()``.
  var number: Int32 { receiver.number }

  /// Wakes the sleeper, now or when it next goes to sleep.
  func send() {
    var byte: UInt8 = 1
    _ = Glibc.send(sender.number, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Takes back what was sent.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while recv(receiver.number, &bytes, bytes.count, 0) > 0 {}
  }
}

/// The time that deadlines are counted in: it never jumps.
enum Uptime {
  /// Milliseconds since some moment in the past.
  static var milliseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}

/// Gives the system's words for an error number, as they stand in a message.
func systemMessage(_ code: Int32) -> String {
  let text = strerror(code).map { String(cString: $0) } ?? "error \(code)"
  return text.prefix(1).lowercased() + text.dropFirst()
}
