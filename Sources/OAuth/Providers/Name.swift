/// The names of providers and accounts.
public enum Name {
  /// The rule in words.
  public static let rule = "must be 1 to 64 of A-Z a-z 0-9 . _ @ + -"

  /// Whether a text may be the name of a provider or an account.
  public static func isValid(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "@"),
          UInt8(ascii: "+"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}

/// What a header line may hold (RFC 9110 section 5.5): nothing that could end the line or begin another.
public enum HeaderLine {
  /// Whether both parts can be sent as one header line.
  public static func isSafe(name: String, value: String) -> Bool {
    let token = Set("!#$%&'*+-.^_`|~".utf8)
    return !name.isEmpty
      && name.utf8.allSatisfy { byte in
        token.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte)
      }
      && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }
}
