internal import Glibc

/// The time that deadlines are counted in: it never jumps.
enum Uptime {
  /// Milliseconds since some moment in the past.
  static var milliseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}
