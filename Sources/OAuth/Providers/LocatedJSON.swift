/// A JSON value with the line it stands on, so that a message can point there.
struct LocatedJSON {
  /// A member of an object; the line is that of its name.
  struct Member {
    let name: String
    let line: Int
    let value: LocatedJSON
  }

  indirect enum Value {
    case null
    case bool(Bool)
    /// As written: a file has no number that is worth losing digits of.
    case number(String)
    case string(String)
    case array([LocatedJSON])
    case object([Member])
  }

  let value: Value
  /// From 1.
  let line: Int

  /// The members of an object in the order of the file; nil for anything else.
  var members: [Member]? {
    if case .object(let members) = value { members } else { nil }
  }

  /// The text of a string; nil for anything else.
  var text: String? {
    if case .string(let text) = value { text } else { nil }
  }

  /// The elements of an array; nil for anything else.
  var elements: [LocatedJSON]? {
    if case .array(let elements) = value { elements } else { nil }
  }

  /// A number that is an integer; nil for anything else.
  var integer: Int? {
    if case .number(let digits) = value { Int(digits) } else { nil }
  }

  /// The line of the key that the path names; nil where it does not exist.
  func line(of path: [String]) -> Int? {
    guard let name = path.first else { return line }
    guard let member = members?.first(where: { $0.name == name }) else { return nil }
    return path.count == 1 ? member.line : member.value.line(of: Array(path.dropFirst()))
  }

  /// The same value without its lines; a number that is no integer becomes null.
  var plain: JSONValue {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let digits): Int64(digits).map(JSONValue.integer) ?? .null
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(\.plain))
    case .object(let members):
      .object(Dictionary(members.map { ($0.name, $0.value.plain) }, uniquingKeysWith: { first, _ in first }))
    }
  }
}
