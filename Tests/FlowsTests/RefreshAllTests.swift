import Flows
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct RefreshAllTests {
  private struct Trouble: Error {}
  private let accounts = (0..<20).map { Account(provider: "acme", name: "a\($0)") }

  @Test(arguments: [1, 3, 8, 64]) func `at most so many run at a time, and all of them run`(_ jobs: Int) async {
    let running = Mutex((now: 0, most: 0))
    let all = RefreshAll { _ in
      running.withLock { running in
        running.now += 1
        running.most = max(running.most, running.now)
      }
      // Long enough for others to begin, were they let.
      for _ in 0..<20 { await Task.yield() }
      running.withLock { $0.now -= 1 }
      return .skipped(Sample.session())
    }
    var done: [Account] = []
    await all.run(accounts, jobs: jobs) { account, _ in done.append(account) }
    #expect(Set(done) == Set(accounts) && done.count == 20)
    #expect(running.withLock { $0.most } <= jobs)
  }

  @Test func `once it is cancelled no further account is begun`() async {
    let begun = Recorder<Account>()
    let all = RefreshAll { account in
      begun.add(account)
      try await Task.sleep(for: .seconds(60))
      return .skipped(Sample.session())
    }
    let run = Task { [accounts] in await all.run(accounts, jobs: 2) { _, _ in } }
    while begun.all.count < 2 { await Task.yield() }
    run.cancel()
    await run.value
    #expect(begun.all.count == 2)
  }

  @Test func `one that fails does not stop the others`() async {
    let all = RefreshAll { account in
      if account.name.hasSuffix("3") { throw Trouble() }
      return .refreshed(Sample.session { $0.account = account.name })
    }
    var failed: [String] = []
    var refreshed = 0
    await all.run(accounts, jobs: 4) { account, outcome in
      switch outcome {
      case .failed(let error):
        #expect(error is Trouble)
        failed.append(account.name)
      case .refreshed(let session):
        #expect(session.account == account.name)
        refreshed += 1
      case .skipped: Issue.record("skipped \(account)")
      }
    }
    #expect(Set(failed) == ["a3", "a13"] && refreshed == 18)
  }

  @Test func `nothing to do is soon done, and no number of jobs is too small`() async {
    let all = RefreshAll { _ in .skipped(Sample.session()) }
    await all.run([], jobs: 8) { account, _ in Issue.record("\(account)") }
    var count = 0
    await all.run([Sample.account], jobs: 0) { _, _ in count += 1 }
    #expect(count == 1)
  }
}
