import Flows
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Host

/// One account, one worker at a time, on this machine.
struct FileLockTests {
  private let folder: TestFolder
  private let lock: FileLock

  init() throws {
    folder = try TestFolder()
    lock = FileLock(folder: folder.path + "/locks")
  }

  @Test func `the value of the body comes back, and its error`() async throws {
    #expect(try await lock.withLock("a", limit: .seconds(1)) { 42 } == 42)
    struct Odd: Error {}
    await #expect(throws: Odd.self) { try await lock.withLock("a", limit: .seconds(1)) { throw Odd() } }
    #expect(try await lock.withLock("a", limit: .zero) { "free again" } == "free again")
  }

  @Test func `tasks of one process exclude each other`() async throws {
    let (lock, inside) = (lock, Counter())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await lock.withLock("a", limit: .seconds(30)) {
            #expect(inside.add(1) == 1)
            try await Task.sleep(for: .milliseconds(2))
            #expect(inside.add(-1) == 0)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `accounts do not wait for each other`() async throws {
    try await lock.withLock("acme/work", limit: .zero) {
      try await lock.withLock("acme/home", limit: .zero) {}
    }
  }

  @Test func `the holder is named when the wait ends`() async throws {
    let lock = lock
    try await lock.withLock("a", limit: .zero) {
      let start = ContinuousClock.now
      await #expect(throws: LockError.busy(holder: Int(getpid()), seconds: 0)) {
        try await lock.withLock("a", limit: .milliseconds(200)) {}
      }
      #expect((.milliseconds(200) ..< .seconds(30)).contains(ContinuousClock.now - start))
    }
  }

  @Test func `who waits for long is told once who it is that is waited for`() async throws {
    let told = Recorder<Int?>()
    let patient = FileLock(folder: folder.path + "/locks") { told.add($0) }
    let lock = lock
    try await lock.withLock("a", limit: .zero) {
      await #expect(throws: LockError.self) { try await patient.withLock("a", limit: .zero) {} }
      #expect(told.all.isEmpty)
      await #expect(throws: LockError.self) { try await patient.withLock("a", limit: .seconds(4)) {} }
      #expect(told.all == [Int(getpid())])
    }
  }

  @Test func `a cancelled task stops waiting`() async throws {
    let lock = lock
    try await lock.withLock("a", limit: .zero) {
      let waiter = Task { try await lock.withLock("a", limit: .seconds(60)) {} }
      try await Task.sleep(for: .milliseconds(50))
      let start = ContinuousClock.now
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
      #expect(ContinuousClock.now - start < .seconds(30))
    }
  }

  @Test func `another process is excluded until it is killed`() async throws {
    let path = folder.path
    async let child = #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      try await FileLock(folder: path + "/locks").withLock("a/b", limit: .zero) {
        try WholeFile.write(Array("\(getpid())".utf8), to: path + "/pid")
        try await Task.sleep(for: .seconds(60))
      }
    }
    var pid: pid_t?
    for _ in 0..<1000 where pid == nil {
      try await Task.sleep(for: .milliseconds(10))
      pid = folder.read("pid").flatMap { pid_t($0) }
    }
    let holder = try #require(pid)
    #expect(holder != getpid())
    await #expect(throws: LockError.busy(holder: Int(holder), seconds: 0)) {
      try await lock.withLock("a/b", limit: .milliseconds(100)) {}
    }
    kill(holder, SIGKILL)
    #expect(try await lock.withLock("a/b", limit: .seconds(5)) { "ours" } == "ours")
    _ = await child
  }

  @Test func `the files are private and stay`() async throws {
    try await lock.withLock("a/b", limit: .zero) {}
    var status = stat()
    #expect(stat(folder.path + "/locks", &status) == 0 && status.st_mode & 0o7777 == 0o700)
    #expect(stat(folder.path + "/locks/a%2Fb.lock", &status) == 0 && status.st_mode & 0o7777 == 0o600)
  }

  @Test func `children do not inherit the lock`() async throws {
    let (lock, file) = (lock, folder.path + "/locks/a.lock")
    try await lock.withLock("a", limit: .zero) {
      let inherited = (0..<256).filter { number in
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
        guard count > 0 else { return false }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) == file
          && fcntl(Int32(number), F_GETFD) & FD_CLOEXEC == 0
      }
      #expect(inherited == [])
    }
  }

  static let unusable: [(id: String, reason: String, make: @Sendable (String) throws -> Void)] = [
    ("folder is a link", "it is a symbolic link", { _ = symlink("/tmp", $0) }),
    (
      "folder is open to others", "other users have access to it",
      {
        mkdir($0, 0o700); chmod($0, 0o750)
      }
    ),
    ("folder is a file", "not a directory", { try Data().write(to: URL(fileURLWithPath: $0)) }),
    (
      "file is a link", "it is a symbolic link",
      {
        mkdir($0, 0o700); symlink("/etc/passwd", $0 + "/a.lock")
      }
    ),
    (
      "file is open to others", "other users have access to it",
      {
        mkdir($0, 0o700)
        try Data().write(to: URL(fileURLWithPath: $0 + "/a.lock"))
        chmod($0 + "/a.lock", 0o644)
      }
    ),
    (
      "file is a pipe", "it is not a file",
      {
        mkdir($0, 0o700); mkfifo($0 + "/a.lock", 0o600)
      }
    ),
    (
      "file is a folder", "is a directory",
      {
        mkdir($0, 0o700); mkdir($0 + "/a.lock", 0o700)
      }
    ),
  ]

  @Test(arguments: unusable.indices)
  func `a folder or file that others can reach is not used`(_ index: Int) async throws {
    let example = Self.unusable[index]
    try example.make(folder.path + "/locks")
    let error = await #expect(throws: LockError.self, "\(example.id)") {
      try await lock.withLock("a", limit: .zero) {}
    }
    guard case .unusable(_, let reason) = error else {
      Issue.record("\(example.id): \(String(describing: error))")
      return
    }
    #expect(reason == example.reason, "\(example.id)")
  }

  @Test func `a folder of another user is not used`() async throws {
    // Only root can make one; anybody else has one that root made.
    let path = folder.path + "/locks"
    if geteuid() == 0 {
      mkdir(path, 0o700)
      #expect(chown(path, 65534, 65534) == 0)
      await #expect(throws: LockError.unusable(path: path, reason: "it belongs to another user")) {
        try await lock.withLock("a", limit: .zero) {}
      }
    } else {
      await #expect(throws: LockError.self) { try await FileLock(folder: "/root").withLock("a", limit: .zero) {} }
    }
  }

  @Test func `missing folders above are made`() async throws {
    let deep = FileLock(folder: folder.path + "/x/y/z")
    try await deep.withLock("a", limit: .zero) {}
    #expect(try folder.names == ["x"])
  }

  static let names: [(String, String)] = [
    ("acme", "acme.lock"), ("acme/work", "acme%2Fwork.lock"), ("a%2Fb", "a%252Fb.lock"),
    (".", "%2E.lock"), ("..", "%2E..lock"), ("a.b@c+d_e-f", "a.b@c+d_e-f.lock"), ("", ".lock"),
    ("a\u{0}b", "a%00b.lock"), ("ü", "%C3%BC.lock"),
  ]

  @Test(arguments: names)
  func `every name has a file name of its own`(name: String, file: String) {
    #expect(FileLock.fileName(for: name) == file)
  }

  @Test func `a name too long for a file is hashed`() {
    let long = String(repeating: "x", count: 201)
    #expect(FileLock.fileName(for: long).utf8.count <= 255)
    #expect(FileLock.fileName(for: long) != FileLock.fileName(for: long + "x"))
    #expect(FileLock.fileName(for: long).hasPrefix("%sha256-"))
    #expect(FileLock.fileName(for: String(long.dropLast())) == String(long.dropLast()) + ".lock")
  }
}

private final class Counter: Sendable {
  private let value = Atomic(0)

  func add(_ number: Int) -> Int { value.wrappingAdd(number, ordering: .sequentiallyConsistent).newValue }
}
