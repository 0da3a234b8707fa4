internal import Glibc

/// Bytes that must not be seen: a token, a client secret, a password.
///
/// It prints as `[redacted]` wherever it is interpolated or dumped, and its memory is zeroed when the last copy goes.
/// What it holds is reached only by a visible word, ``reveal()`` or ``withBytes(_:)``.
public struct Secret: Sendable {
  private let storage: Storage

  /// Takes a copy of the text's UTF-8 bytes.
  public init(_ text: String) {
    var text = text
    storage = text.withUTF8 { Storage(copying: UnsafeRawBufferPointer($0)) }
  }

  /// Takes a copy of the bytes.
  public init(bytes: some Sequence<UInt8>) {
    let direct = bytes.withContiguousStorageIfAvailable { Storage(copying: UnsafeRawBufferPointer($0)) }
    if let direct {
      storage = direct
      return
    }
    var copy = Array(bytes)
    storage = copy.withUnsafeMutableBytes { buffer in
      defer { if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) } }
      return Storage(copying: UnsafeRawBufferPointer(buffer))
    }
  }

  /// Takes a copy of memory that belongs to someone else.
  public init(copying memory: UnsafeRawBufferPointer) {
    storage = Storage(copying: memory)
  }

  /// How many bytes it holds.
  public var count: Int { storage.memory.count }

  /// Whether it holds nothing.
  public var isEmpty: Bool { storage.memory.isEmpty }

  /// Gives the value as text, malformed UTF-8 repaired.
  ///
  /// The copy is the caller's to keep short-lived.
  public func reveal() -> String {
    String(decoding: storage.memory, as: UTF8.self)
  }

  /// Lends the bytes for the time of the call.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(storage.memory))
  }

  /// Eight hexadecimal digits that name the value without giving it away: the head of its SHA-256.
  public var fingerprint: String {
    let digest = storage.memory.withMemoryRebound(to: UInt8.self) { SHA256.digest($0) }
    return digest.prefix(4).map { byte in
      let hex = String(byte, radix: 16)
      return hex.count == 1 ? "0" + hex : hex
    }.joined()
  }

  private final class Storage: Sendable {
    // Written in init alone, and read afterwards: nothing to race for.
    nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

    init(copying source: UnsafeRawBufferPointer) {
      memory = .allocate(byteCount: source.count, alignment: 1)
      memory.copyMemory(from: source)
    }

    deinit {
      if let base = memory.baseAddress { explicit_bzero(base, memory.count) }
      memory.deallocate()
    }
  }
}

extension Secret: Equatable {
  /// Compares in a time that depends on the length alone.
  public static func == (left: Secret, right: Secret) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left.storage.memory, right.storage.memory).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `[redacted]`.
  public var description: String { "[redacted]" }
  /// Always `[redacted]`.
  public var debugDescription: String { "[redacted]" }
  /// Shows nothing to `dump`.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Codable {
  /// Reads a JSON string.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the value in the clear: only what goes into the keyring is ever encoded.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(reveal())
  }
}
