import Foundation
import Glibc
import Testing

@testable import Host

/// What a process does for its own safety; each in a process of its own.
struct ProcessHardeningTests {
  @Test func `no core file and no debugger`() async {
    await #expect(processExitsWith: .success) {
      ProcessHardening.apply()
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      #expect(limit.rlim_cur == 0)
      #expect(dumpable() == 0)
    }
  }

  @Test func `the kernel has the same arguments as Swift`() {
    #expect(ProcessArguments.all() == CommandLine.arguments)
    #expect(ProcessArguments.fromKernel() == CommandLine.arguments)
  }

  @Test func `too few open files are noticed before they are missed`() async {
    await #expect(processExitsWith: .success) {
      #expect(ProcessHardening.canOpen(20) && !ProcessHardening.isHardlyAllowedToOpenFiles)
      var limit = rlimit(rlim_cur: 15, rlim_max: 15)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      #expect(!ProcessHardening.canOpen(20) && ProcessHardening.isHardlyAllowedToOpenFiles)
    }
  }

  @Test func `a closed pipe is an error, not the end`() async {
    await #expect(processExitsWith: .success) {
      ProcessHardening.apply()
      var ends: [CInt] = [0, 0]
      #expect(pipe(&ends) == 0)
      close(ends[0])
      #expect(write(ends[1], "x", 1) == -1)
      #expect(errno == EPIPE)
    }
  }

  @Test func `closed standard descriptors are taken, and stay of no use`() async {
    await #expect(processExitsWith: .success) {
      for descriptor in Int32(0)...2 { close(descriptor) }
      ProcessHardening.apply()
      var byte: UInt8 = 0
      #expect(read(STDIN_FILENO, &byte, 1) == -1)
      #expect(write(STDOUT_FILENO, "x", 1) == -1)
      #expect(write(STDERR_FILENO, "x", 1) == -1)
      #expect(open("/dev/null", O_RDONLY) > 2)
    }
  }

  @Test func `what a browser inherits is left as it was`() async {
    await #expect(processExitsWith: .success) {
      umask(0o022)
      var before = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &before)
      ProcessHardening.apply()
      var after = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &after)
      #expect(umask(0) == 0o022 && after.rlim_max == before.rlim_max)
    }
  }
}

/// `prctl` is variadic, so its looked-up address is called; on Linux the calling convention is the same.
private func dumpable() -> CInt {
  let prGetDumpable: CInt = 3
  guard let address = dlsym(nil, "prctl") else { return -1 }
  return unsafeBitCast(address, to: (@convention(c) (CInt, CUnsignedLong) -> CInt).self)(prGetDumpable, 0)
}

/// The machine's clock.
struct SystemTimeTests {
  @Test func `now is now, and a sleep takes its time`() async throws {
    let time = SystemTime()
    #expect(abs(time.now.timeIntervalSinceNow) < 5)
    let start = ContinuousClock.now
    try await time.sleep(for: .milliseconds(30))
    #expect(ContinuousClock.now - start >= .milliseconds(30))
  }

  @Test func `a cancelled sleep ends at once`() async {
    let sleeper = Task { try await SystemTime().sleep(for: .seconds(60)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }
}
