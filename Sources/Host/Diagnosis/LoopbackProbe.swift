internal import Flows
internal import Glibc

/// Whether the loopback addresses of this machine take a login's callback.
public enum LoopbackProbe {
  /// A loopback address.
  public enum Address: String, Sendable, CaseIterable {
    case v4 = "127.0.0.1"
    case v6 = "[::1]"
  }

  /// What became of a connection.
  public enum Outcome: Sendable, Equatable {
    /// It was made.
    case works
    /// This machine has no such address.
    case absent(reason: String)
    /// There is the address, and it does not work.
    case broken(reason: String)
  }

  /// Listens on a free port of the address as a login does, and connects to it as a browser does.
  ///
  /// - Parameter limit: milliseconds that connecting may take; on loopback it takes none, unless a firewall is silent.
  public static func run(_ address: Address, limit: Int32 = 1000) -> Outcome {
    let family: LoopbackSocket.Family = address == .v4 ? .v4 : .v6
    do throws(LoopbackSocket.Failure) {
      let (listener, port) = try LoopbackSocket.listen(family, port: 0)
      return withExtendedLifetime(listener) {
        LoopbackSocket.connect(family, port: port, limit: limit).map { .broken(reason: "connecting: \($0)") } ?? .works
      }
    } catch {
      return switch error {
      case .absent(let reason): .absent(reason: reason)
      case .refused(let reason): .broken(reason: "listening: \(reason)")
      case .inUse: .broken(reason: "listening: no port is free")
      }
    }
  }
}
