/// What a command prints with `--json`, for the manual.
public struct JSONShape: Sendable {
  /// One member of an object.
  public struct Key: Sendable {
    /// Its name; that of a member of a member has a dot, `error.code`.
    public let name: String
    /// Its type, with the unit of a number: `integer, seconds`.
    public let type: String
    /// One lower-case phrase without a full stop; `absent` in it says when the key is not there.
    public let meaning: String

    /// Describes a key.
    public init(_ name: String, _ type: String, _ meaning: String) {
      (self.name, self.type, self.meaning) = (name, type, meaning)
    }
  }

  /// The words of the commands that print it.
  public let commands: String
  /// Whole sentences.
  public let text: String
  /// Its keys; empty where they are described elsewhere.
  public let keys: [Key]

  /// Describes what some commands print.
  public init(_ commands: String, _ text: String, _ keys: [Key]) {
    (self.commands, self.text, self.keys) = (commands, text, keys)
  }
}
