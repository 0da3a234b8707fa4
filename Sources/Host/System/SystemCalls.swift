internal import Glibc
internal import Synchronization

/// Calls again for as long as a signal interrupts the call.
func retryingInterrupts<Number: SignedInteger>(_ call: () -> Number) -> Number {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

/// Writes all of the bytes, waiting where a descriptor that does not block takes no more for now.
///
/// Gives false, with `errno` set, where they could not all be written.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
  var rest = bytes
  while !rest.isEmpty {
    let count = retryingInterrupts { write(descriptor, rest.baseAddress, rest.count) }
    if count > 0 {
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    } else {
      guard count < 0, errno == EAGAIN else { return false }
      var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&polled, 1, 1000)
    }
  }
  return true
}

/// Whether somebody took the last message that was written.
private let isRead = Atomic(true)

/// Writes a message, as far as somebody takes it within a second.
///
/// A pipe that nobody reads, or a terminal that was stopped with Ctrl-S, must not hold up what has to be stored. What
/// comes after a message that nobody took is not waited for.
package func writeMessage(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) {
  var rest = bytes
  while !rest.isEmpty {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let patience: CInt = isRead.load(ordering: .relaxed) ? 1000 : 0
    let isReady = retryingInterrupts { poll(&polled, 1, patience) } > 0
    isRead.store(isReady, ordering: .relaxed)
    guard isReady else { return }
    // So little is taken at once wherever there is room at all.
    let count = retryingInterrupts { write(descriptor, rest.baseAddress, min(rest.count, 512)) }
    guard count > 0 else { return }
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
  }
}

/// The system's words for an error number, as they stand in a message: in lower case.
package func describe(errno code: CInt) -> String {
  // glibc keeps a text that it makes up per thread (since 2.32), so nothing can change it before it is copied.
  let text = strerror(code).map { String(cString: $0) } ?? "error \(code)"
  return text.prefix(1).lowercased() + text.dropFirst()
}
