import Crypto
import Flows
import Glibc
import Keyring

/// Uses one keyring from several threads at once, each with an item of its own and all with one in common.
///
/// Gives `ok`, or what the first thread saw that it should not have seen.
func runThreads(count: Int, operations: Int, _ keyring: Keyring) -> String {
  let workers = (0..<count).map { Worker($0, operations, keyring) }
  let threads = workers.map { worker in
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Worker>.fromOpaque(argument).takeUnretainedValue().run() }
        return nil
      }, Unmanaged.passUnretained(worker).toOpaque())
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
  return withExtendedLifetime(workers) { workers.compactMap(\.complaint).first ?? "ok" }
}

private final class Worker {
  private let number: Int
  private let operations: Int
  private let keyring: Keyring
  private(set) var complaint: String?

  init(_ number: Int, _ operations: Int, _ keyring: Keyring) {
    self.number = number
    self.operations = operations
    self.keyring = keyring
  }

  func run() {
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
