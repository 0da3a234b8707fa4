/// A D-Bus value, as far as the fake bus needs them.
indirect enum Wire {
  case text(String)
  case path(String)
  case flag(Bool)
  case number(UInt32)
  case bytes([UInt8])
  case list(of: String, [Wire])
  case tuple([Wire])
  case open(Wire)

  var signature: String {
    switch self {
    case .text: "s"
    case .path: "o"
    case .flag: "b"
    case .number: "u"
    case .bytes: "ay"
    case .list(let element, _): "a" + element
    case .tuple(let members): "(" + members.map(\.signature).joined() + ")"
    case .open: "v"
    }
  }
}

/// Writes D-Bus's little-endian form.
/// https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-marshaling
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  mutating func align(_ size: Int) {
    while bytes.count % size != 0 { bytes.append(0) }
  }

  mutating func append(_ value: Wire) {
    switch value {
    case .text(let text), .path(let text):
      append(number: UInt32(text.utf8.count))
      bytes += Array(text.utf8) + [0]
    case .flag(let flag): append(number: flag ? 1 : 0)
    case .number(let number): append(number: number)
    case .bytes(let content):
      append(number: UInt32(content.count))
      bytes += content
    case .list(let element, let members):
      append(number: 0)
      let length = bytes.count - 4
      if "({".contains(element.first ?? "s") { align(8) }
      let start = bytes.count
      for member in members { append(member) }
      patch(number: UInt32(bytes.count - start), at: length)
    case .tuple(let members):
      align(8)
      for member in members { append(member) }
    case .open(let value):
      append(signature: value.signature)
      append(value)
    }
  }

  mutating func append(signature: String) {
    bytes += [UInt8(signature.utf8.count)] + Array(signature.utf8) + [0]
  }

  mutating func append(byte: UInt8) {
    bytes.append(byte)
  }

  mutating func append(number: UInt32) {
    align(4)
    bytes += withUnsafeBytes(of: number.littleEndian, Array.init)
  }

  mutating func patch(number: UInt32, at index: Int) {
    bytes.replaceSubrange(index..<index + 4, with: withUnsafeBytes(of: number.littleEndian, Array.init))
  }
}

/// Reads the little of a message that the fake bus looks at.
struct WireReader {
  private let bytes: [UInt8]
  private(set) var index: Int

  init(_ bytes: [UInt8], at index: Int = 0) {
    self.bytes = bytes
    self.index = index
  }

  mutating func align(_ size: Int) {
    index = (index + size - 1) / size * size
  }

  mutating func byte() -> UInt8 {
    defer { index += 1 }
    return bytes[index]
  }

  mutating func number() -> UInt32 {
    align(4)
    defer { index += 4 }
    return (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << UInt32(8 * $1) }
  }

  mutating func text() -> String { text(count: Int(number())) }
  mutating func signature() -> String { text(count: Int(byte())) }

  private mutating func text(count: Int) -> String {
    defer { index += count + 1 }
    return String(decoding: bytes[index..<index + count], as: UTF8.self)
  }
}

/// A method call, as far as the fake bus looks at it.
struct Call {
  var serial: UInt32
  var path = ""
  var interface = ""
  var member = ""
  /// The texts its arguments begin with.
  var words: [String] = []

  /// Reads a whole message.
  init(_ message: [UInt8]) {
    var reader = WireReader(message, at: 8)
    serial = reader.number()
    let end = 16 + Int(reader.number())
    var signature = ""
    while reader.index < end {
      reader.align(8)
      guard reader.index < end else { break }
      let field = reader.byte()
      let type = reader.signature()
      let value =
        switch type {
        case "g": reader.signature()
        case "u": String(reader.number())
        default: reader.text()
        }
      switch field {
      case 1: path = value
      case 2: interface = value
      case 3: member = value
      case 8: signature = value
      default: break
      }
    }
    reader.align(8)
    for type in signature {
      guard type == "s" || type == "o" else { break }
      words.append(reader.text())
    }
  }
}
