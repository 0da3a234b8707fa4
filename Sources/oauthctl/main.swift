import Commands
import FoundationEssentials
import Glibc

exit(Program.run(Array(CommandLine.arguments.dropFirst()), variables: ProcessInfo.processInfo.environment))
