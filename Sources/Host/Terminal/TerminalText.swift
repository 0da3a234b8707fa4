internal import OAuth

/// The last door before the terminal: whatever text comes here, nothing of it is an order to the terminal.
///
/// Who words a message has made server text printable already; this is for the day that somebody forgets.
package enum TerminalText {
  /// Gives a text with each control character, but for line ends, written as an escape.
  package static func harmless(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { isControl($0) && $0 != "\n" }) else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(PrintableText.escaped).joined(
      separator: "\n")
  }

  /// Gives what is shown of a typed or pasted line, or of its last character: not the control characters that a page may
  /// have put into what a person copied.
  package static func echo(of bytes: Slice<UnsafeRawBufferPointer>) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars where !isControl(scalar) || scalar == "\t" {
      shown.append(scalar)
    }
    return String(shown)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }
}
