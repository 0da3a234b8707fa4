
/// Refreshes many accounts at once; none of them stops the others.
public struct RefreshAll: Sendable {
  /// What became of one account.
  public enum Outcome: Sendable {
    /// New tokens were stored, or another process has just stored some.
    case refreshed(Session)
    /// There was nothing to do: it does not end soon, or it has no refresh token and has not ended.
    case skipped(Session)
    /// It failed.
    case failed(any Error)
  }

  private let refresh: @Sendable (Account) async throws -> Outcome

  /// Refreshes each account with the given function.
  public init(_ refresh: @escaping @Sendable (Account) async throws -> Outcome) {
    self.refresh = refresh
  }

  /// Runs at most `jobs` at a time and hands over each outcome as it comes.
  public func run(
    _ accounts: [Account], jobs: Int, report: (Account, Outcome) -> Void
  ) async {
    await withTaskGroup(of: (Account, Outcome).self) { group in
      var waiting = accounts.makeIterator()
      func start() {
        guard let account = waiting.next() else { return }
        group.addTask {
          do { return (account, try await refresh(account)) } catch { return (account, .failed(error)) }
        }
      }
      for _ in 0..<max(1, jobs) { start() }
      for await (account, outcome) in group {
        report(account, outcome)
        start()
      }
    }
  }
}
