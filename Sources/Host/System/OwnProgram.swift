internal import Flows
internal import Glibc
internal import Synchronization

/// Runs this very program again.
public enum OwnProgram {
  /// This program could not be started again.
  public struct Failure: Error, Sendable, Equatable {
    /// The system's words.
    public let reason: String
  }

  /// It has given no answer for longer than anything that it does may take.
  public struct Stuck: Error, Sendable, Equatable {
    /// Its process id.
    public let process: Int32
    /// How long it was waited for, in seconds.
    public let seconds: Int
  }

  /// How long an answer is waited for: a lock (50 s), a request and its repetition (30 s each), a keyring that stalls.
  private static let limit = Duration.seconds(180)

  /// Runs it with other arguments, in a session of its own: no signal of the terminal or of a process group reaches it,
  /// and it goes on where this process ends.
  ///
  /// It gets the same standard error, and no input.
  ///
  /// - Returns: what it printed.
  /// - Throws: ``Failure``; ``Stuck``, and the program goes on; `CancellationError` at once where the task is cancelled, and the program goes on.
  public static func run(_ arguments: [String], environment: [String: String]) async throws -> [UInt8] {
    try Task.checkCancellation()
    let (process, output) = try start(arguments, environment)
    let answer = Once<[UInt8]>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        answer.wait(continuation)
        let thread = WorkerThread.start {
          if !hasAnswer(output, within: limit) {
            answer.give(.failure(Stuck(process: process, seconds: Int(limit.components.seconds))))
          }
          let bytes = (try? WholeFile.read(output, named: "the answer", limit: 1 << 20)) ?? []
          while waitpid(process, nil, 0) < 0, errno == EINTR {}
          answer.give(.success(bytes))
        }
        if !thread { answer.give(.failure(Failure(reason: describe(errno: EAGAIN)))) }
      }
    } onCancel: {
      answer.give(.failure(CancellationError()))
    }
  }

  /// For the program that was run: once its caller is gone, it gets SIGTERM, as if somebody had asked it to end.
  public static func endWithCaller() {
    _ = WorkerThread.start {
      // The caller holds the other end of standard output; it hangs up when the caller ends, however that happens.
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&output, 1, -1) < 0, errno == EINTR {}
      kill(getpid(), SIGTERM)
    }
  }

  /// Waits until there is something to read, or the other end has hung up; false where that takes too long.
  static func hasAnswer(_ output: FileDescriptor, within limit: Duration) -> Bool {
    var waited = WaitedTime(limit: limit)
    return output.withNumber { number in
      while true {
        var end = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        if poll(&end, 1, 0) > 0 { return true }
        guard let turn = waited.next() else { return false }
        poll(&end, 1, turn)
      }
    }
  }

  private static func start(_ arguments: [String], _ environment: [String: String]) throws -> (pid_t, FileDescriptor) {
    guard let (reader, writer) = FileDescriptor.socketPair() else { throw Failure(reason: describe(errno: errno)) }
    var process: pid_t = 0
    // The link is resolved by the kernel, so it leads to this program even where its file has been replaced.
    let code = writer.withNumber { number in
      ChildProcess.spawn(
        "/proc/self/exe", arguments, environment: ProcessHardening.environmentOverwritingFreedMemory(environment),
        output: number, keepsErrors: true, process: &process)
    }
    guard code == 0 else { throw Failure(reason: describe(errno: code)) }
    return (process, reader)
  }
}

/// A continuation that is resumed once, by whoever comes first.
private final class Once<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<Value, any Error>)
    case early(Result<Value, any Error>)
    case done
  }

  private let state = Mutex(State.empty)

  func wait(_ continuation: CheckedContinuation<Value, any Error>) {
    let early: Result<Value, any Error>? = state.withLock { state in
      if case .early(let result) = state {
        state = .done
        return result
      }
      state = .waiting(continuation)
      return nil
    }
    if let early { continuation.resume(with: early) }
  }

  func give(_ result: Result<Value, any Error>) {
    let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
      switch state {
      case .empty:
        state = .early(result)
        return nil
      case .waiting(let continuation):
        state = .done
        return continuation
      case .early, .done:
        return nil
      }
    }
    waiting?.resume(with: result)
  }
}
