internal import CLibsecret
internal import Glibc

/// Ends what hangs: a cancellable that a thread of its own cancels when the time is over.
///
/// A D-Bus call can be waiting for the bus, for the service's start or for its answer; a timeout of GDBus covers only
/// the last of these, cancelling covers all.
final class TimeLimit {
  private let length: gint64
  let cancellable: UnsafeMutablePointer<GCancellable>
  private let watch: Watch
  private let thread: UnsafeMutablePointer<GThread>?

  init(seconds: Int) {
    length = gint64(max(0, seconds)) * 1_000_000
    cancellable = g_cancellable_new()
    watch = Watch(cancelling: cancellable, at: g_get_monotonic_time() + length)
    // Where no thread can be made there is no limit, and still an answer from a service that gives one.
    thread = g_thread_try_new(
      "time limit",
      { watch in
        if let watch { Unmanaged<Watch>.fromOpaque(watch).takeUnretainedValue().wait() }
        return nil
      }, Unmanaged.passUnretained(watch).toOpaque(), nil)
  }

  deinit {
    watch.stop()
    if let thread { g_thread_join(thread) }
    g_object_unref(cancellable)
  }

  /// The end, in microseconds of the clock that nobody sets.
  var end: gint64 { watch.end }

  /// Counts anew from now: the service has shown that it lives.
  ///
  /// It has one thread, and where two hundred programs ask it at once, each waits for the others at every step.
  func restart() {
    watch.move(to: g_get_monotonic_time() + length)
  }

  /// Whether the calls were ended.
  var isOver: Bool { g_cancellable_is_cancelled(cancellable) != 0 }

  /// What the thread sees.
  private final class Watch {
    private let signal = Signal()
    private let cancellable: UnsafeMutablePointer<GCancellable>
    private var ending: gint64
    private var stopped = false

    var end: gint64 { signal.locked { ending } }

    init(cancelling cancellable: UnsafeMutablePointer<GCancellable>, at end: gint64) {
      self.cancellable = cancellable
      ending = end
    }

    func wait() {
      while true {
        let end = end
        if signal.wait(until: end, for: { stopped }) { return }
        if self.end == end { return g_cancellable_cancel(cancellable) }
      }
    }

    /// Moves the end; the thread sees it when it wakes at the former one.
    func move(to end: gint64) {
      signal.locked { ending = end }
    }

    func stop() {
      signal.wake { stopped = true }
    }
  }
}

/// The waits for a person, which another thread can end: each thread that asks has one of its own.
final class PersonWait: Sendable {
  private let signal = Signal()
  // Read and written under the signal's mutex.
  nonisolated(unsafe) private var cancellables: [UnsafeMutablePointer<GCancellable>] = []
  nonisolated(unsafe) private var ended = false

  /// Runs the body, which waits within the limit.
  func with<Value, Failure: Error>(
    _ limit: TimeLimit, _ body: (TimeLimit) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    signal.locked {
      cancellables.append(limit.cancellable)
      if ended { g_cancellable_cancel(limit.cancellable) }
    }
    defer { signal.locked { cancellables.removeAll { $0 == limit.cancellable } } }
    return try body(limit)
  }

  /// Whether ``end()`` was called.
  var isEnded: Bool {
    var answer = false
    signal.locked { answer = ended }
    return answer
  }

  /// Ends all waits there are, and each one that begins later.
  func end() {
    signal.locked {
      ended = true
      for cancellable in cancellables { g_cancellable_cancel(cancellable) }
    }
  }
}

/// A lock whose wait ends: one thread that waits for a mute bus must not make the others wait for it in turn.
final class TimedLock: Sendable {
  private let signal = Signal()
  // Read and written under the signal's mutex.
  nonisolated(unsafe) private var taken = false

  /// Runs the body alone, or gives nil where the lock was not free in time.
  func with<Value, Failure: Error>(
    within limit: TimeLimit, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    let free = signal.wait(until: limit.end, for: { !taken }, then: { taken = true })
    guard free else { return nil }
    defer { signal.wake { taken = false } }
    return try body()
  }
}

/// A mutex and its condition; owns both.
///
/// Those of the C library and not GLib's, which the thread sanitizer cannot see through.
private final class Signal: Sendable {
  // Made in init and cleared in deinit; in between they are what makes sharing safe.
  nonisolated(unsafe) private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  nonisolated(unsafe) private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Reads or changes what nobody waits for.
  func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Changes what is waited for.
  func wake(_ change: () -> Void) {
    pthread_mutex_lock(mutex)
    change()
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits until it is so and then does something with the mutex held, or gives false where the time is over first.
  func wait(until end: gint64, for isSo: () -> Bool, then change: () -> Void = {}) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var time = timespec(tv_sec: Int(end / 1_000_000), tv_nsec: Int(end % 1_000_000) * 1000)
    while !isSo() {
      // By the clock of g_get_monotonic_time(), which nobody sets.
      if oauthctl_wait(condition, mutex, &time) == ETIMEDOUT, !isSo() { return false }
    }
    change()
    return true
  }
}
