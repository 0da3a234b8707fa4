internal import Glibc

/// Wakes a thread that sleeps in `poll`, from any thread.
final class WakeSignal: Sendable {
  private let sender: FileDescriptor
  private let receiver: FileDescriptor

  /// Gives nil where the process has no descriptor left.
  init?() {
    guard let (sender, receiver) = FileDescriptor.socketPair(nonBlocking: true) else { return nil }
    self.sender = sender
    self.receiver = receiver
  }

  /// What to poll for reading; once there was a signal it stays readable.
  var number: CInt { receiver.number }

  /// Wakes the sleeper, now or when it next goes to sleep.
  func send() {
    var byte: UInt8 = 1
    _ = sender.withNumber { Glibc.send($0, &byte, 1, CInt(MSG_NOSIGNAL)) }
  }
}
