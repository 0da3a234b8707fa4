package import Crypto
internal import Glibc

/// Makes a line out of typed or pasted bytes, as a terminal in canonical mode would, but of any length.
///
/// The kernel's own editing cuts a line at 4095 bytes, and a pasted redirect URL can be longer. The bytes are zeroed when
/// the editor goes.
package final class LineEditor {
  /// What a byte did.
  package enum Event: Equatable {
    case none
    /// The character is whole: it stands at the end of the line, of so many bytes.
    case added(bytes: Int)
    /// So many characters are gone from the end of the line.
    case removed(characters: Int)
    /// The line is over; it may be too long, and then it is not whole.
    case done
    /// The end of the input, on an empty line.
    case end
    /// The user wants to stop the program for a while (^Z).
    case suspend
    /// The line is at its limit.
    case full
  }

  /// How many bytes a line may have.
  package static let limit = 64 * 1024

  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 1)
  package private(set) var count = 0
  /// Whether bytes had to be left out.
  private(set) var isOverfull = false
  private var escape = Escape.none

  /// Makes one with an empty line.
  package init() {}

  /// Where in a sequence that a key or a pasting terminal sends it is; those are left out.
  private enum Escape { case none, started, control }

  deinit {
    if let base = memory.baseAddress { explicit_bzero(base, memory.count) }
    memory.deallocate()
  }

  /// What the line has so far.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// A copy of the line.
  package var secret: Secret { Secret(copying: bytes) }

  /// Takes a byte from a terminal.
  package func type(_ byte: UInt8) -> Event {
    // A control character ends a sequence that was none: somebody pressed the escape key.
    if byte < 0x20 { escape = .none }
    switch escape {
    case .started:
      escape = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") ? .control : .none
      return .none
    case .control:
      if 0x40...0x7E ~= byte { escape = .none }
      return .none
    case .none: break
    }
    switch byte {
    case 0x0A, 0x0D: return .done
    case 0x04: return count == 0 ? .end : .none
    case 0x08, 0x7F: return removed { removeCharacter() ? 1 : 0 }
    case 0x15: return removed { removeAll() }
    case 0x17: return removed { removeWord() }
    case 0x1A: return .suspend
    case 0x1B:
      escape = .started
      return .none
    // A tab may be pasted; it is no key of ours.
    case 0x00..<0x20 where byte != 0x09: return .none
    default: return append(byte)
    }
  }

  private func append(_ byte: UInt8) -> Event {
    guard count < memory.count else {
      isOverfull = true
      return .full
    }
    memory[count] = byte
    count += 1
    return isWhole ? .added(bytes: lastCharacterLength) : .none
  }

  private func removed(_ remove: () -> Int) -> Event {
    let characters = remove()
    return characters == 0 ? .none : .removed(characters: characters)
  }

  private func removeCharacter() -> Bool {
    guard count > 0 else { return false }
    let length = lastCharacterLength
    for index in (count - length)..<count { memory[index] = 0 }
    count -= length
    return true
  }

  private func removeAll() -> Int {
    var characters = 0
    while removeCharacter() { characters += 1 }
    isOverfull = false
    return characters
  }

  private func removeWord() -> Int {
    var characters = 0
    while count > 0, memory[count - 1] == 0x20, removeCharacter() { characters += 1 }
    while count > 0, memory[count - 1] != 0x20, removeCharacter() { characters += 1 }
    return characters
  }

  /// How many bytes the last character has: one and the UTF-8 continuations after it.
  private var lastCharacterLength: Int {
    var length = 1
    while length < min(4, count), memory[count - length] & 0xC0 == 0x80 { length += 1 }
    return length
  }

  /// Whether the last character has all its bytes.
  private var isWhole: Bool {
    let first = memory[count - lastCharacterLength]
    let wanted = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
    return lastCharacterLength >= wanted
  }
}
