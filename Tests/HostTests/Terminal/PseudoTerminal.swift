import Flows
import Foundation
import Glibc
import Testing

@testable import Host

/// Tests that ask, one at a time: a process has one terminal whose modes it changes.
@Suite(.timeLimit(.minutes(1)), .serialized)
enum AskingTests {}

/// A real terminal without anybody: the test types into it and reads what stands on it.
final class PseudoTerminal: Sendable {
  let keyboard: Int32
  let line: Int32
  private let shown = Collected()

  init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, nil, nil, &size) == 0 else { throw SystemFailure(call: "openpty", code: errno) }
    (keyboard, line) = (master, slave)
    let reader = dup(master)
    _ = WorkerThread.start { [shown] in
      var chunk = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(reader, &chunk, chunk.count)
        guard count > 0 else { break }
        shown.add(chunk[..<count])
      }
      close(reader)
    }
  }

  deinit {
    close(keyboard)
    close(line)
  }

  /// A terminal on it, as the program would make one.
  func terminal(isQuiet: Bool = false, _ environment: [String: String] = ["TERM": "xterm"]) -> Terminal {
    Terminal(input: line, output: line, isQuiet: isQuiet, environment: environment)
  }

  /// Everything that was written to it so far.
  var text: String { shown.text }

  /// Types; off the cooperative pool, for the terminal takes no more than it has room for.
  func type(_ text: String) async throws {
    try await onThread { [keyboard] in
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(keyboard, $0.baseAddress, min(512, $0.count)) }
        guard count > 0 else { throw SystemFailure(call: "write", code: errno) }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Waits until the text stands there.
  func shows(_ wanted: String) async throws {
    for _ in 0..<1000 {
      if text.contains(wanted) { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw SystemFailure(
      call: "nobody wrote \(wanted.debugDescription), but \(text.suffix(300).debugDescription)", code: 0)
  }

  var modes: Modes {
    var modes = termios()
    tcgetattr(line, &modes)
    let interrupt = withUnsafeBytes(of: &modes.c_cc) { $0[Int(VINTR)] }
    let suspend = withUnsafeBytes(of: &modes.c_cc) { $0[Int(VSUSP)] }
    return Modes(input: modes.c_iflag, local: modes.c_lflag, interrupt: interrupt, suspend: suspend)
  }

  struct Modes: Equatable {
    var input: UInt32
    var local: UInt32
    var interrupt: UInt8
    var suspend: UInt8
    var echoes: Bool { local & UInt32(ECHO) != 0 }
    var isCanonical: Bool { local & UInt32(ICANON) != 0 }
    var hasSignals: Bool { local & UInt32(ISIG) != 0 }
  }
}

/// Bytes from another thread.
final class Collected: Sendable {
  private let lock = NSLock()
  // Guarded by the lock.
  nonisolated(unsafe) private var bytes: [UInt8] = []
  func add(_ more: ArraySlice<UInt8>) { lock.withLock { bytes += more } }
  var text: String { lock.withLock { String(decoding: bytes, as: UTF8.self) } }
}
