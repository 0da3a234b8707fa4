/// Text of somebody else's, made fit for a terminal.
public enum PrintableText {
  /// Gives one line: control and formatting characters become spaces, runs of spaces one, and what is longer than
  /// `limit` characters is cut.
  public static func line(_ text: String, limit: Int) -> String {
    var output = ""
    var count = 0
    var pendingSpace = false
    for scalar in text.unicodeScalars {
      if isInvisible(scalar) || scalar.properties.isWhitespace {
        pendingSpace = !output.isEmpty
        continue
      }
      if count >= limit { return output + "…" }
      if pendingSpace {
        output.append(" ")
        count += 1
        pendingSpace = false
      }
      output.unicodeScalars.append(scalar)
      count += 1
    }
    return output
  }

  /// What moves the cursor, changes colours, or reorders what a person reads.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
    default: false
    }
  }
}
