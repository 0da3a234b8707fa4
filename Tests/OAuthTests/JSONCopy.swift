import Foundation

/// What comes back of a value that was written as JSON.
enum JSONCopy {
  static func of<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }
}
