internal import Dispatch
internal import Glibc

/// A thread of its own for work that waits in the kernel, so that the cooperative pool's few threads never do.
package enum WorkerThread {
  /// Starts the work; gives false where the system has no thread left, and then the work is not done.
  ///
  /// Signals stay with the other threads, but for those of job control: a background process that touches its terminal
  /// has to be stopped by it.
  package static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    var blocked = sigset_t()
    var previous = sigset_t()
    sigfillset(&blocked)
    for signal in [SIGTTIN, SIGTTOU, SIGTSTP] { sigdelset(&blocked, signal) }
    // A thread starts with its maker's mask; that of Dispatch's threads blocks these three, so nothing of it is kept.
    pthread_sigmask(SIG_SETMASK, &blocked, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    let box = Unmanaged.passRetained(Work(run: work))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        // Retained above for this thread alone.
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    guard result == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  /// Tells whether the system would give so many threads at once.
  package static func areAvailable(_ count: Int) -> Bool {
    let gate = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let made = (0..<count).prefix { _ in
      start {
        gate.wait()
        ended.signal()
      }
    }.count
    for _ in 0..<made { gate.signal() }
    for _ in 0..<made { ended.wait() }
    return made == count
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
