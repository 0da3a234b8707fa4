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
  ///
  /// Cancelled, it begins no other account; of those under way the outcome is still told.
  public func run(
    _ accounts: [Account], jobs: Int, report: (Account, Outcome) -> Void
  ) async {
    await withTaskGroup(of: Finished.self) { group in
      var waiting = accounts[...]
      for account in waiting.prefix(max(1, jobs)) {
        group.addTask { await finish(account) }
      }
      waiting = waiting.dropFirst(max(1, jobs))
      while let finished = await group.next() {
        report(finished.account, finished.outcome)
        if !Task.isCancelled, let account = waiting.popFirst() { group.addTask { await finish(account) } }
      }
    }
  }

  // A value of its own, and a function of its own: with a tuple that the group's closure built in its `catch`, the
  // optimizer of Swift 6.3 freed the account's name once too often.
  private struct Finished: Sendable {
    let account: Account
    let outcome: Outcome
  }

  private func finish(_ account: Account) async -> Finished {
    do {
      return Finished(account: account, outcome: try await refresh(account))
    } catch {
      return Finished(account: account, outcome: .failed(error))
    }
  }
}
