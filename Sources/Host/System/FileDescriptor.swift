internal import Glibc
internal import Synchronization

/// Owns an open file descriptor, which children do not inherit: it is closed when its last owner goes, or before.
final class FileDescriptor: Sendable {
  /// The number, for as long as somebody holds this object: Swift drops an object after its last use, so where nothing
  /// else holds it, ``withNumber(_:)`` does.
  let number: CInt
  private let isOpen = Atomic(true)
  private let isListening: Bool

  /// Takes over a descriptor; from now on nobody else closes it.
  ///
  /// - Parameter isListening: that closing it ends its listening, too.
  init(owning number: CInt, isListening: Bool = false) {
    self.number = number
    self.isListening = isListening
  }

  deinit { closeNow() }

  /// Closes it although it may have other owners; those must not use its number any more.
  func closeNow() {
    guard isOpen.exchange(false, ordering: .relaxed) else { return }
    // Another thread's child has a copy until it becomes another program, and would keep the port open.
    if isListening { shutdown(number, CInt(SHUT_RDWR)) }
    close(number)
  }

  /// Lends the number, which stays open for the time of the call.
  func withNumber<Value, Failure: Error>(_ body: (CInt) throws(Failure) -> Value) throws(Failure) -> Value {
    try withExtendedLifetime(self) { () throws(Failure) in try body(number) }
  }

  /// Opens a file, close-on-exec; nil with `errno` set where it cannot be opened.
  static func open(_ path: String, _ flags: CInt, mode: mode_t = 0) -> FileDescriptor? {
    owning(retryingInterrupts { Glibc.open(path, flags | O_CLOEXEC, mode) })
  }

  /// Opens a file in the folder that this is; otherwise as ``open(_:_:mode:)``.
  func open(_ name: String, _ flags: CInt, mode: mode_t = 0) -> FileDescriptor? {
    Self.owning(withNumber { folder in retryingInterrupts { openat(folder, name, flags | O_CLOEXEC, mode) } })
  }

  /// Makes two ends that are connected to each other, close-on-exec; nil with `errno` set where there can be none.
  ///
  /// Sockets and not a pipe: their ends are close-on-exec from the start, so that no other thread's child inherits them.
  static func socketPair(nonBlocking: Bool = false) -> (FileDescriptor, FileDescriptor)? {
    var ends: [CInt] = [-1, -1]
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)
    guard socketpair(AF_UNIX, CInt(kind), 0, &ends) == 0 else { return nil }
    return (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
  }

  /// Keeps it from children and from blocking its thread; for those calls that cannot say so when they open it.
  func makePrivateAndNonBlocking() {
    withNumber { number in
      _ = fcntl(number, F_SETFD, fcntl(number, F_GETFD) | FD_CLOEXEC)
      _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }
  }

  /// What the descriptor refers to; nil with `errno` set where that cannot be told.
  var status: stat? {
    var status = stat()
    return withNumber { fstat($0, &status) } == 0 ? status : nil
  }

  private static func owning(_ number: CInt) -> FileDescriptor? {
    number < 0 ? nil : FileDescriptor(owning: number)
  }
}

extension stat {
  var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
  var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
  /// What group and others may do.
  var sharedAccess: mode_t { st_mode & 0o077 }
}
