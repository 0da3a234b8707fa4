/// Shows text that came from somebody else without letting it write to the terminal.
public enum Quoting {
  /// Puts text in single quotes, what does not print escaped, cut after `limit` characters.
  public static func quote(_ text: String, limit: Int = 100) -> String {
    "'" + escape(text, limit: limit) + "'"
  }

  /// Escapes what does not print (controls, line separators, direction marks) and cuts after `limit` characters.
  public static func escape(_ text: String, limit: Int = 100) -> String {
    var shown = ""
    var count = 0
    for scalar in text.unicodeScalars {
      let piece = escaped(scalar)
      count += piece?.count ?? 1
      // Counted in scalars: one grapheme can be as long as the whole command line.
      guard count <= limit else { return shown + "..." }
      if let piece { shown += piece } else { shown.unicodeScalars.append(scalar) }
    }
    return shown
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      let hex = String(scalar.value, radix: 16)
      return scalar.value < 0x80 ? "\\x" + (hex.count < 2 ? "0" : "") + hex : "\\u{" + hex + "}"
    default:
      return nil
    }
  }
}
