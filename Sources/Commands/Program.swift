internal import CLI
internal import Glibc
internal import Host

/// The whole program: arguments in, exit code out.
///
/// Nothing is thrown from here.
public enum Program {
  /// Runs the command line and the environment that the process was given.
  public static func main() -> Int32 {
    run(Array(ProcessArguments.all().dropFirst()), variables: { ProcessEnvironment.variables() })
  }

  /// Runs a command line.
  ///
  /// - Parameters:
  ///   - arguments: without the program's own name.
  ///   - variables: reads the environment.
  /// - Returns: the exit code.
  public static func run(_ arguments: [String], variables: @escaping @Sendable () -> [String: String]) -> Int32 {
    ProcessHardening.apply()
    let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
    let output = Output.standard(isJSON: isJSON, isQuiet: false)
    do {
      if ProcessHardening.isHardlyAllowedToOpenFiles {
        throw Failure(.temporary, "this process may open too few files", hint: "allow more: 'ulimit -n 64'")
      }
      switch try Parser(CommandTable.program(for: arguments)).parse(arguments) {
      case .version:
        try output.answer("oauthctl \(Version.current)\n")
      case .help(let path):
        try output.answer(HelpPage.render(CommandTable.program, path: path))
      case .run(let invocation):
        try CommandTable.run(invocation, .live(invocation, variables: variables))
      }
      return 0
    } catch let status as QuietFailure {
      return status.exitCode
    } catch {
      let failure = Failure(error)
      output.report(failure)
      return failure.exitCode
    }
  }
}

/// A failure whose messages have been given already.
struct QuietFailure: Error {
  let exitCode: Int32
}
