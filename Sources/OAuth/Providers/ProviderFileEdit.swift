internal import FoundationEssentials

/// Changes which client a provider file names, and nothing else in it: comments, order and blanks are its owner's.
public enum ProviderFileEdit {
  /// Gives the file with another client id, or with none; nil where that cannot be done without changing anything else.
  public static func settingClientID(_ id: String?, in bytes: [UInt8]) -> [UInt8]? {
    var search = MemberSearch(bytes: bytes)
    guard let member = search.find("client_id"), var expected = try? ProviderFile.read(bytes) else { return nil }
    let changed: [UInt8]
    if let id {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      guard let value = try? encoder.encode(id) else { return nil }
      changed = bytes[..<member.value.lowerBound] + Array(value) + bytes[member.value.upperBound...]
    } else {
      changed = removing(member, from: bytes)
    }
    expected.clientID = id
    guard let read = try? ProviderFile.read(changed), read == expected else { return nil }
    return changed
  }

  /// Gives the line on which a file names its client, from 1; nil where that cannot be told.
  public static func lineOfClientID(in bytes: [UInt8]) -> Int? {
    var search = MemberSearch(bytes: bytes)
    guard let member = search.find("client_id") else { return nil }
    return bytes[..<member.start].count { $0 == UInt8(ascii: "\n") } + 1
  }

  /// Takes out a member with the comma that belongs to it, and its line where there is nothing else on it.
  private static func removing(_ member: MemberSearch.Member, from bytes: [UInt8]) -> [UInt8] {
    var (start, end) = (member.start, member.value.upperBound)
    var rest = bytes
    if let comma = member.commaAfter {
      end = comma + 1
    } else if let comma = member.commaBefore {
      rest.remove(at: comma)
      (start, end) = (start - 1, end - 1)
    }
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    let lineStart = rest[..<start].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    if let lineEnd = rest[end...].firstIndex(of: UInt8(ascii: "\n")), rest[lineStart..<start].allSatisfy(isBlank),
      rest[end..<lineEnd].allSatisfy(isBlank)
    {
      (start, end) = (lineStart, lineEnd + 1)
    }
    rest.removeSubrange(start..<end)
    return rest
  }
}

/// Finds where a member of the outermost object stands, in JSON with the comments of JavaScript.
private struct MemberSearch {
  /// Where a member is, in bytes.
  struct Member {
    let start: Int
    let value: Range<Int>
    let commaBefore: Int?
    let commaAfter: Int?
  }

  let bytes: [UInt8]
  private var position = 0
  private var depth = 0
  private var comma: Int?

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Finds a member whose name is written without escapes and whose value is a string; nil where there is none such.
  mutating func find(_ name: String) -> Member? {
    while let byte = next {
      let start = position
      switch byte {
      case UInt8(ascii: "\""):
        skipString()
        if depth == 1, bytes[start..<position].elementsEqual("\"\(name)\"".utf8), let found = member(from: start) {
          return found
        }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth == 1: comma = position
      default: break
      }
      position += 1
    }
    return nil
  }

  /// The next byte that is neither blank nor in a comment.
  private var next: UInt8? {
    mutating get {
      while position < bytes.count {
        switch bytes[position] {
        case 0x20, 0x09, 0x0A, 0x0D: position += 1
        case UInt8(ascii: "/"): skipComment()
        default: return bytes[position]
        }
      }
      return nil
    }
  }

  private mutating func member(from start: Int) -> Member? {
    let before = comma
    guard next == UInt8(ascii: ":") else { return nil }
    position += 1
    guard next == UInt8(ascii: "\"") else { return nil }
    let value = position
    skipString()
    let range = value..<position
    return Member(
      start: start, value: range, commaBefore: before, commaAfter: next == UInt8(ascii: ",") ? position : nil)
  }

  private mutating func skipString() {
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    position = min(position + 1, bytes.count)
  }

  private mutating func skipComment() {
    let isLine = position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "/")
    position += 2
    while position < bytes.count {
      if isLine, bytes[position] == UInt8(ascii: "\n") { return }
      if !isLine, bytes[position] == UInt8(ascii: "/"), bytes[position - 1] == UInt8(ascii: "*") {
        position += 1
        return
      }
      position += 1
    }
  }
}
