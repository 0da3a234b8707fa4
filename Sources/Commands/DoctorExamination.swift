internal import Flows
internal import Keyring

/// One run of `doctor`: what several checks need of the machine is asked once, all at the same time.
struct Examination: Sendable {
  let machine: Machine
  /// Whether nothing is asked of the network.
  let isOffline: Bool
  /// How the keyring stands.
  let keyring: Task<KeyringReport, any Error>
  /// What is stored of each account, or why it cannot be read.
  let accounts: Task<[StoredAccount], any Error>
  /// What the servers of these accounts answered.
  let replies: Task<[HostReply], any Error>

  /// Begins the questions that take long.
  init(_ machine: Machine, isOffline: Bool) {
    self.machine = machine
    self.isOffline = isOffline
    let keyring = Task { try await offPool { machine.inspectKeyring(true) } }
    let accounts = Task {
      guard try await keyring.value.isReadable else { return [StoredAccount]() }
      return try await offPool { try StoredAccount.all(in: SessionStore(machine.store)) }
    }
    self.keyring = keyring
    self.accounts = accounts
    replies = Task {
      guard !isOffline else { return [] }
      let hosts = HostReply.hosts(of: try await accounts.value.compactMap(\.session))
      return try await HostReply.ask(hosts, machine.makeHTTP, machine.time)
    }
  }

  /// Runs the checks in their order, and hands each finding on as it is there.
  ///
  /// - Parameter limit: what all of them may take together; those that are not done by then say so.
  func run(
    _ checks: [Check], within limit: Duration, _ report: @Sendable (Check, Finding) throws -> Void
  ) async throws {
    var fates: [String: Finding] = [:]
    let deadline = Deadline(machine.time, limit)
    for check in checks {
      var findings: [Finding] = []
      if let needed = check.needs, let fate = fates[needed] {
        findings = [fate]
      } else {
        do {
          findings = try await deadline.bound { try await check.run(self) }
        } catch is Deadline.Passed {
          findings = [
            .fail(
              .temporary, "no answer within \(limit.components.seconds) s",
              remedy: "try again; if it stays so, see what hangs with 'oauthctl doctor --verbose'")
          ]
        } catch {
          try Task.checkCancellation()
          findings = [.fail(error)]
        }
      }
      // What hangs on this one is not looked at; nor what hangs on that.
      if findings.contains(where: { $0.result == .fail }) {
        fates[check.name] = .skip("\(check.name) failed")
      } else if let skipped = findings.first(where: { $0.result == .skip }) {
        fates[check.name] = skipped
      }
      for finding in findings { try report(check, finding) }
    }
  }

  /// Ends what was begun and is not needed any more.
  func end() {
    keyring.cancel()
    accounts.cancel()
    replies.cancel()
  }
}
