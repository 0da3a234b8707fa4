internal import FoundationEssentials
internal import Glibc

/// Finds out who listens on a port, as far as `/proc` lets this user see it.
enum PortHolder {
  /// Gives the name and process id of the program, or only whose it is; nil where nothing can be told.
  static func find(port: Int, families: [LoopbackSocket.Family]) -> String? {
    // An IPv6 socket may listen for IPv4 too, so both tables count for either.
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
      guard let text = read(table) else { continue }
      for line in text.split(separator: "\n").dropFirst() {
        guard let entry = listener(line), entry.port == port else { continue }
        if let program = program(holding: entry.inode) { return program }
        return entry.user == getuid() ? nil : "a program of user \(userName(entry.user))"
      }
    }
    return nil
  }

  /// Reads a line of `/proc/net/tcp` (proc_pid_net(5)); nil where it is no listening socket.
  static func listener(_ line: some StringProtocol) -> (port: Int, user: uid_t, inode: String)? {
    let columns = line.split(separator: " ")
    guard columns.count > 9, columns[3] == "0A", let colon = columns[1].lastIndex(of: ":"),
      let port = Int(columns[1][columns[1].index(after: colon)...], radix: 16), let user = uid_t(columns[7])
    else { return nil }
    return (port, user, String(columns[9]))
  }

  private static func program(holding inode: String) -> String? {
    let wanted = "socket:[\(inode)]"
    let files = FileManager.default
    for process in (try? files.contentsOfDirectory(atPath: "/proc")) ?? [] where process.allSatisfy(\.isNumber) {
      let folder = "/proc/\(process)/fd"
      // Another user's folder cannot be listed.
      for descriptor in (try? files.contentsOfDirectory(atPath: folder)) ?? []
      where linkTarget("\(folder)/\(descriptor)") == wanted {
        return "\(name(of: process)) (process \(process))"
      }
    }
    return nil
  }

  private static func linkTarget(_ path: String) -> String {
    var text = [CChar](repeating: 0, count: 64)
    let count = readlink(path, &text, text.count)
    return String(decoding: text.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func name(of process: String) -> String {
    let name = (read("/proc/\(process)/comm") ?? "").unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
    return name.isEmpty ? "a program" : String(String.UnicodeScalarView(name))
  }

  private static func userName(_ user: uid_t) -> String {
    guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return String(user) }
    return String(cString: name)
  }

  private static func read(_ path: String) -> String? {
    // Not by FileManager: these files have no size, and it trusts the size.
    (try? WholeFile.read(path, limit: 16 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }
}
