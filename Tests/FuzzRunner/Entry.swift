import FuzzTargets
import Glibc

private let target: FuzzTarget = {
  guard let name = getenv("FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
    say("set FUZZ_TARGET to one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    exit(64)
  }
  return target
}()

private func say(_ line: String) {
  _ = "\(line)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

/// What libFuzzer calls with each input; its `main` is in the toolchain.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try target.check(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    say("\(target.rawValue): broken promise: \(error)")
    abort()
  }
  return 0
}
