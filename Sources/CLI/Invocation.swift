/// A command line that was understood: which command, its operands, its options.
public struct Invocation: Sendable {
  /// The canonical words of the command, aliases resolved: `["providers", "add"]`.
  public let path: [String]
  /// The operands in order; how many there are is what the command's table allows.
  public let operands: [String]
  /// Long names in the order given; a non-repeatable option occurs once.
  private let options: [(name: String, value: String?)]

  /// Makes an invocation by hand; ``Parser`` is the usual way.
  public init(path: [String], operands: [String] = [], options: [(name: String, value: String?)] = []) {
    self.path = path
    self.operands = operands
    self.options = options
  }

  /// Tells whether the option (long name, no dashes) was given.
  public func has(_ option: String) -> Bool {
    options.contains { $0.name == option }
  }

  /// Gives the option's value, the last one if there are several.
  public func value(_ option: String) -> String? {
    options.last { $0.name == option }?.value
  }

  /// Gives all values of a repeatable option in the order given.
  public func values(_ option: String) -> [String] {
    options.compactMap { $0.name == option ? $0.value : nil }
  }

  /// Gives the name of the first option that has this value.
  public func option(withValue value: String) -> String? {
    options.first { $0.value == value }?.name
  }

  /// Gives the operand at a position, counted from zero, if it was given.
  public func operand(_ position: Int) -> String? {
    operands.indices.contains(position) ? operands[position] : nil
  }
}

/// What a command line asks for.
public enum Parsed: Sendable {
  /// Run a command.
  case run(Invocation)
  /// Explain a command, or the program when the path is empty.
  case help(path: [String])
  /// Print the version.
  case version
}
