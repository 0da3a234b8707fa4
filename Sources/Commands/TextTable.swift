/// Columns of text for a terminal.
enum TextTable {
  /// Renders a heading and rows, two spaces between columns, no spaces at the ends of lines.
  static func render(_ heading: [String], _ rows: [[String]]) -> String {
    let lines = [heading] + rows
    let widths = heading.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { cells in
      var line = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
