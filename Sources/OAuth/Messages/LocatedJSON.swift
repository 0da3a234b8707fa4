/// A JSON value with the line it stands on, so that a message can point there.
package struct LocatedJSON: Sendable {
  /// A member of an object; the line is that of its name.
  package struct Member: Sendable {
    package let name: String
    package let line: Int
    package let value: LocatedJSON
  }

  package indirect enum Value: Sendable {
    case null
    case bool(Bool)
    /// As written: a file has no number that is worth losing digits of.
    case number(String)
    case string(String)
    case array([LocatedJSON])
    case object([Member])
  }

  package let value: Value
  /// From 1.
  package let line: Int

  /// The members of an object in the order of the file; nil for anything else.
  package var members: [Member]? {
    if case .object(let members) = value { members } else { nil }
  }

  /// The text of a string; nil for anything else.
  package var text: String? {
    if case .string(let text) = value { text } else { nil }
  }

  /// The elements of an array; nil for anything else.
  package var elements: [LocatedJSON]? {
    if case .array(let elements) = value { elements } else { nil }
  }

  /// A number that is an integer; nil for anything else.
  package var integer: Int? {
    if case .number(let digits) = value { Int(digits) } else { nil }
  }

  /// Reads a whole JSON text; nil where it is not one.
  ///
  /// - Parameter refusingRepeats: whether it is none where an object has a name twice, which readers take differently.
  package init?(parsing bytes: some Sequence<UInt8>, refusingRepeats: Bool = false) {
    let rules = LocatedJSONParser.Rules(refusesRepeatedNames: refusingRepeats)
    guard let json = try? LocatedJSONParser.parse(Array(bytes), rules) else { return nil }
    self = json
  }

  init(value: Value, line: Int) {
    self.value = value
    self.line = line
  }

  /// A member's value; nil where there is none.
  package subscript(name: String) -> LocatedJSON? { members?.last { $0.name == name }?.value }

  /// The texts of an array of strings; nil for anything else.
  package var texts: [String]? { elements?.compactMap { $0.text } }

  /// The line of the key that the path names; nil where it does not exist.
  func line(of path: [String]) -> Int? {
    guard let name = path.first else { return line }
    guard let member = members?.first(where: { $0.name == name }) else { return nil }
    return path.count == 1 ? member.line : member.value.line(of: Array(path.dropFirst()))
  }

  /// A number that a Double holds; one that is beyond all of them is kept as it is written.
  private static func finite(_ digits: String) -> Double? { Double(digits).flatMap { $0.isFinite ? $0 : nil } }

  /// The same value without its lines; of a name that is there twice, the last.
  package var plain: JSONValue {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let digits):
      Int64(digits).map(JSONValue.integer) ?? Self.finite(digits).map(JSONValue.number) ?? .string(digits)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(\.plain))
    case .object(let members):
      .object(Dictionary(members.map { ($0.name, $0.value.plain) }, uniquingKeysWith: { _, last in last }))
    }
  }
}
