/// Text that others wrote, made fit for a terminal.
public enum PrintableText {
  /// Gives one line of at most `limit` characters; what was cut shows as `…`.
  ///
  /// Escape sequences, control characters and invisible format characters (bidirectional overrides, zero-width ones,
  /// tags) are gone; line ends and other blanks are one space each.
  public static func printable(_ serverText: String, limit: Int) -> String {
    var output = String.UnicodeScalarView()
    var count = 0
    var blankPending = false
    var scalars = serverText.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if scalar == "\u{1B}" || scalar == "\u{9B}" || scalar == "\u{9D}" || scalar == "\u{90}" {
        skipEscapeSequence(scalar, &scalars)
      } else if scalar.properties.isWhitespace {
        blankPending = count > 0
      } else if isVisible(scalar) {
        guard count + (blankPending ? 2 : 1) <= limit else { return cut(output, limit) }
        if blankPending { output.append(" ") }
        output.append(scalar)
        count += blankPending ? 2 : 1
        blankPending = false
      }
    }
    return String(output)
  }

  /// Gives the text with everything that a terminal would act on, or not show, written as an escape: `\n`, `\u{1b}`.
  public static func escaped(_ text: some StringProtocol) -> String {
    var output = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == " " || isVisible(scalar) && !scalar.properties.isWhitespace {
        output.append(scalar)
      } else {
        let simple: [Unicode.Scalar: String] = ["\n": "\\n", "\r": "\\r", "\t": "\\t"]
        output.append(contentsOf: (simple[scalar] ?? "\\u{\(String(scalar.value, radix: 16))}").unicodeScalars)
      }
    }
    return String(output)
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  private static func cut(_ text: String.UnicodeScalarView, _ limit: Int) -> String {
    guard limit > 0 else { return "" }
    var kept = String.UnicodeScalarView(text.prefix(limit - 1))
    if kept.last == " " { kept.removeLast() }
    return String(kept) + "…"
  }

  /// Skips the rest of a sequence (ECMA-48): `ESC [ … letter`, `ESC ] … BEL`, `ESC P … ESC \`, or `ESC x`.
  private static func skipEscapeSequence(_ first: Unicode.Scalar, _ rest: inout Substring.UnicodeScalarView) {
    var kind = first
    if first == "\u{1B}" {
      guard let next = rest.first else { return }
      kind = next
      if next.value >= 0x20 && next.value < 0x7F { rest.removeFirst() } else { return }
    }
    switch kind {
    case "[", "\u{9B}":
      while let next = rest.first, next.value >= 0x20, next.value < 0x40 { rest.removeFirst() }
      if let final = rest.first, final.value >= 0x40, final.value < 0x7F { rest.removeFirst() }
    case "]", "P", "_", "^", "X", "\u{9D}", "\u{90}":
      // Where it is not ended, only the introducer was there: the text after it is still shown.
      let terminated = rest.firstIndex { $0 == "\u{07}" || $0 == "\u{9C}" || $0 == "\u{1B}" }
      guard let end = terminated else { return }
      let isEscape = rest[end] == "\u{1B}"
      rest = rest[rest.index(after: end)...]
      if isEscape, rest.first == "\\" { rest.removeFirst() }
    default:
      while let next = rest.first, kind.value < 0x30, next.value >= 0x20, next.value < 0x7F {
        kind = next
        rest.removeFirst()
      }
    }
  }
}
