import Foundation
import Glibc
import Synchronization
import Testing

@testable import Host

/// In processes of their own: signals are the process's.
struct SignalWatchTests {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal is heard from the first moment on, and does not end the process`(_ number: Int32) async {
    await #expect(processExitsWith: .success) { [number] in
      for _ in 0..<200 {
        let heard = Mutex<[Int32]>([])
        let watch = SignalWatch { signal in heard.withLock { $0.append(signal) } }
        kill(getpid(), number)
        let limit = Date(timeIntervalSinceNow: 5)
        while heard.withLock({ $0.isEmpty }), Date() < limit { usleep(500) }
        #expect(heard.withLock { $0 } == [number])
        watch?.stop()
      }
    }
  }

  @Test func `after the watch a signal does what it does by default`() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let watch = SignalWatch { _ in }
      watch?.stop()
      kill(getpid(), SIGTERM)
      sleep(5)
    }
  }

  @Test func `a signal that the parent had ignored stays ignored`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGHUP, SIG_IGN)
      let heard = Mutex(false)
      let watch = SignalWatch { _ in heard.withLock { $0 = true } }
      kill(getpid(), SIGHUP)
      usleep(50_000)
      #expect(!heard.withLock { $0 })
      watch?.stop()
      kill(getpid(), SIGHUP)
    }
  }
}
