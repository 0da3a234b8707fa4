internal import Flows
internal import Glibc
internal import Synchronization

/// Hears the signals by which a person or the system asks the process to end: SIGINT, SIGTERM, SIGHUP.
///
/// None is lost from the moment that the watch exists: a handler writes each into a socket, and a thread reads them. One
/// that the parent had ignored (`nohup`) stays ignored. There is one watch at a time.
public final class SignalWatch: Sendable {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]

  private let watched: [Int32]
  private let writer: FileDescriptor

  /// Begins to hear; `hear` runs on a thread of the watch's own.
  ///
  /// Nil where the process has no descriptor or thread left; the signals then do what they do by default.
  public init?(_ hear: @escaping @Sendable (_ number: Int32) -> Void) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    let reader = FileDescriptor(owning: ends[0])
    writer = FileDescriptor(owning: ends[1])
    watched = Self.numbers.filter { !Self.isIgnored($0) }
    let started = WorkerThread.start {
      var number: UInt8 = 0
      while reader.withNumber({ descriptor in retryingInterrupts { read(descriptor, &number, 1) } }) == 1 {
        hear(Int32(number))
      }
    }
    guard started else { return nil }
    wakeDescriptor.store(ends[1], ordering: .sequentiallyConsistent)
    for number in watched { Self.setHandler(of: number, handle) }
  }

  /// Hears no more; the signals do what they do by default.
  public func stop() {
    for number in watched { Self.setHandler(of: number, nil) }
    wakeDescriptor.store(-1, ordering: .sequentiallyConsistent)
    // The thread's next read gives the end, and it with that.
    writer.withNumber { _ = shutdown($0, Int32(SHUT_RDWR)) }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // Functions cannot be compared; SIG_IGN is the address 1.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// Sets a handler, or without one what the system does by default.
  private static func setHandler(of number: Int32, _ handler: (@convention(c) (Int32) -> Void)?) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    action.sa_flags = SA_RESTART
    sigemptyset(&action.sa_mask)
    sigaction(number, &action, nil)
  }
}

/// Where the handler writes to; -1 while nobody listens.
private let wakeDescriptor = Atomic<Int32>(-1)

/// Only what a signal handler may do: an atomic read and a write, and `errno` as it was.
private func handle(_ number: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  let descriptor = wakeDescriptor.load(ordering: .relaxed)
  if descriptor >= 0 { _ = write(descriptor, &byte, 1) }
  errno = saved
}
