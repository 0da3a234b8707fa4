internal import Glibc

/// The command line that the process was given.
public enum ProcessArguments {
  /// Gives it, the program's own name first.
  ///
  /// Swift looks for it beside the environment, and finds nothing where a library that was preloaded has set a variable
  /// and so moved that; then the kernel is asked.
  public static func all() -> [String] {
    let found = CommandLine.arguments
    return found.isEmpty ? fromKernel() : found
  }

  /// Gives what the kernel has; empty where there is no `/proc`.
  static func fromKernel() -> [String] {
    guard let bytes = try? WholeFile.read("/proc/self/cmdline", limit: 4 << 20) else { return [] }
    // Each argument ends with a zero byte, the last one too.
    return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
