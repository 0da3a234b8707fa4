internal import Crypto
internal import FoundationEssentials

/// An item of the keyring that a newer program wrote; it is left as it is.
public struct NewerItem: Error, Sendable, Equatable {
  /// What it is of, for a person.
  public let name: String
  /// Its layout's version.
  public let version: Int

  /// Makes one.
  public init(name: String, version: Int) {
    self.name = name
    self.version = version
  }
}

/// The version of the layout of an item that is no session; where there is none it is the first.
///
/// A layout that an older program would read wrongly, or lose something of when it saves, gets the next number.
enum ItemVersion {
  /// The version that this program writes, and the newest that it reads.
  static let current = 1

  /// Says that an item was written by a newer program.
  ///
  /// - Parameter name: what it is of, for a person.
  static func check(_ item: Secret, _ name: @autoclosure () -> String) throws(NewerItem) {
    struct Header: Decodable { var version: Int? }
    var data = item.withBytes { Data($0) }
    defer { data.resetBytes(in: data.indices) }
    guard let version = (try? JSONDecoder().decode(Header.self, from: data))?.version, version > current else { return }
    throw NewerItem(name: name(), version: version)
  }
}

/// A value as an item holds it, with the version of its layout.
struct Versioned<Value: Encodable>: Encodable {
  private let value: Value

  private enum CodingKeys: String, CodingKey { case version }

  init(_ value: Value) {
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    try value.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(ItemVersion.current, forKey: .version)
  }
}
