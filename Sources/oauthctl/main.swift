import Commands
import FoundationEssentials

exit(Program.run(Array(CommandLine.arguments.dropFirst()), variables: ProcessInfo.processInfo.environment))
