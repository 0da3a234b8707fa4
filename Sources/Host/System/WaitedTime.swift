/// How long something has been waited for, without the time in which this process was stopped (SIGSTOP, a frozen container).
///
/// It had no chance then to see what came, and what came may be a token that is given once.
struct WaitedTime {
  /// The longest wait at a time, in milliseconds; where one took more than twice that, the process was stopped in it.
  static let turn: Int64 = 1000

  private let limit: Int64
  private let now: () -> Int64
  private var spent: Int64 = 0
  private var last: Int64

  /// Begins to count.
  ///
  /// - Parameter limit: how long to wait.
  init(limit: Duration, now: @escaping () -> Int64 = { Uptime.milliseconds }) {
    self.limit = Int64(limit.milliseconds)
    self.now = now
    last = now()
  }

  /// Gives how long the next wait may take, in milliseconds; nil where the limit is reached.
  ///
  /// To be asked after a look at what has come, so that it is never given up unseen.
  mutating func next() -> CInt? {
    let moment = now()
    spent += min(moment - last, 2 * Self.turn)
    last = moment
    return spent < limit ? CInt(min(limit - spent, Self.turn)) : nil
  }
}
