import Crypto
import Flows
import Glibc
import Keyring

/// Uses one keyring from several threads at once, each with an item of its own and all with one in common.
///
/// Gives `ok`, or what the first thread saw that it should not have seen.
func runThreads(count: Int, operations: Int, _ keyring: Keyring) -> String {
  let workers = (0..<count).map { Worker($0, operations, keyring) }
  run(workers) {}
  return workers.compactMap(\.complaint).first ?? "ok"
}

/// Loads in several threads at once what somebody must be asked for, and stops waiting for that after half a second.
///
/// Gives what each thread got.
func runWaits(count: Int, _ keyring: Keyring) -> String {
  let waiters = (0..<count).map { _ in Waiter(keyring) }
  run(waiters) {
    usleep(500_000)
    keyring.stopWaiting()
  }
  return waiters.map(\.answer).joined(separator: " ")
}

/// Runs each in a thread of its own and something meanwhile, and gives back when all have ended.
private func run(_ runners: [Runner], meanwhile: () -> Void) {
  let threads = runners.map { runner in
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Runner>.fromOpaque(argument).takeUnretainedValue().run() }
        return nil
      }, Unmanaged.passUnretained(runner).toOpaque())
    return thread
  }
  meanwhile()
  withExtendedLifetime(runners) {
    for thread in threads { pthread_join(thread, nil) }
  }
}

private class Runner {
  func run() {}
}

private final class Waiter: Runner {
  private let keyring: Keyring
  private(set) var answer = "none"

  init(_ keyring: Keyring) {
    self.keyring = keyring
  }

  override func run() {
    do throws(StoreError) {
      answer = try keyring.load(SecretKey(kind: .session, provider: "google", name: "work"))?.reveal() ?? "nil"
    } catch {
      answer = "\(error)"
    }
  }
}

private final class Worker: Runner {
  private let number: Int
  private let operations: Int
  private let keyring: Keyring
  private(set) var complaint: String?

  init(_ number: Int, _ operations: Int, _ keyring: Keyring) {
    self.number = number
    self.operations = operations
    self.keyring = keyring
  }

  override func run() {
    let own = SecretKey(kind: .session, provider: "own", name: "\(number)")
    let common = SecretKey(kind: .session, provider: "common", name: "one")
    do throws(StoreError) {
      for step in 0..<operations {
        switch step % 5 {
        case 0: try keyring.save(Secret("\(number) \(step)"), for: own, label: "own")
        case 1: expect(try keyring.load(own)?.reveal(), "\(number) \(step - 1)")
        case 2: try keyring.save(Secret("common"), for: common, label: "common")
        case 3: expect(try keyring.load(common)?.reveal(), "common")
        default: expect(try keyring.list(.session, provider: "own").contains(own) ? "listed" : nil, "listed")
        }
      }
      try keyring.delete(own)
      expect(try keyring.load(own)?.reveal(), nil)
    } catch {
      complaint = "\(error)"
    }
  }

  private func expect(_ seen: String?, _ wanted: String?) {
    if seen != wanted, complaint == nil { complaint = "thread \(number) saw \(seen ?? "nil") for \(wanted ?? "nil")" }
  }
}
