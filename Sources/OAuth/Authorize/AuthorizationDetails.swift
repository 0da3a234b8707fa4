/// What somebody asks for in more words than a scope has (RFC 9396).
public struct AuthorizationDetails: Sendable, Equatable {
  /// The JSON text without the white space between its parts: the value of `authorization_details`.
  public let text: String
  /// The types that it names, in order.
  public let types: [String]

  /// Why a text cannot be used.
  public enum Problem: Error, Sendable, Equatable {
    /// It is no JSON; the line where it stops being that, where it can be told.
    case syntax(detail: String, line: Int?)
    /// It is not an array of objects, or one that says nothing.
    case notAnArray
    /// One of its objects is not as it must be; counted from 1.
    case object(Int, line: Int, problem: String)
    /// It has more bytes than a request bears.
    case tooLong(limit: Int)

    /// What is wrong, as the end of a sentence about the details.
    public var sentence: String {
      switch self {
      case .syntax(let detail, let line): "are no JSON\(line.map { ", line \($0)" } ?? ""): \(detail)"
      case .notAnArray: "must be a JSON array of objects"
      case .object(let index, let line, let problem): "are wrong in object \(index), line \(line): it \(problem)"
      case .tooLong(let limit): "are longer than \(limit / 1024) KiB"
      }
    }
  }

  /// The longest text that is taken, in bytes.
  public static let longest = 32 * 1024

  /// Checks a text that a person wrote, and keeps it in its shortest form.
  ///
  /// Each object needs a `type`; the members that RFC 9396 section 2.2 names must be of the kind that it says. All
  /// others are the type's own, and stay as they are.
  ///
  /// - Throws: ``Problem``.
  /// - See: https://www.rfc-editor.org/rfc/rfc9396#section-2
  public init(parsing text: String) throws(Problem) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.longest else { throw .tooLong(limit: Self.longest) }
    let json = try Self.parse(bytes)
    guard let objects = json.elements, !objects.isEmpty else { throw .notAnArray }
    var types: [String] = []
    for (index, object) in objects.enumerated() {
      guard object.members != nil else { throw .notAnArray }
      if let problem = Self.problem(object) { throw .object(index + 1, line: object.line, problem: problem) }
      if let type = object["type"]?.text { types.append(type) }
    }
    self.types = types
    self.text = String(decoding: Self.compact(bytes), as: UTF8.self)
  }

  private static func parse(_ bytes: [UInt8]) throws(Problem) -> LocatedJSON {
    do {
      return try LocatedJSONParser.parse(bytes, LocatedJSONParser.Rules(refusesRepeatedNames: true))
    } catch {
      switch error {
      case .syntax(let detail, let line): throw .syntax(detail: detail, line: line)
      case .badValue(let key, let problem, let line): throw .syntax(detail: "\(key) \(problem)", line: line)
      default: throw .syntax(detail: "is not JSON", line: nil)
      }
    }
  }

  private static func problem(_ object: LocatedJSON) -> String? {
    guard let type = object["type"]?.text, !type.isEmpty else { return "needs a type, which is a string" }
    for name in ["locations", "actions", "datatypes", "privileges"] {
      guard let value = object[name] else { continue }
      guard let elements = value.elements, elements.allSatisfy({ $0.text != nil }) else {
        return "has \(name) that are no list of strings"
      }
    }
    if let identifier = object["identifier"], identifier.text == nil { return "has an identifier that is no string" }
    return nil
  }

  /// The same JSON without white space outside of its strings: numbers and the order of members stay as they are.
  private static func compact(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var (isInString, isEscaped) = (false, false)
    for byte in bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...] {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte
          == UInt8(ascii: "\"")
        {
          isInString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
        continue
      }
      output.append(byte)
    }
    return output
  }
}
