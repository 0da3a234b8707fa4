internal import CSystem
internal import Glibc

/// The environment that the process was given.
public enum ProcessEnvironment {
  /// Gives the variables; of one that is there twice, the first, as `getenv` does.
  public static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    var number: Int32 = 0
    while let entry = oauthctl_environment_entry(number) {
      let bytes = UnsafeRawBufferPointer(start: entry, count: strlen(entry))
      if let mark = bytes.firstIndex(of: UInt8(ascii: "=")) {
        let name = String(decoding: bytes[..<mark], as: UTF8.self)
        if variables[name] == nil { variables[name] = String(decoding: bytes[(mark + 1)...], as: UTF8.self) }
      }
      number += 1
    }
    return variables
  }
}
