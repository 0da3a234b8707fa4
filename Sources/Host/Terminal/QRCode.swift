internal import CQRencode

/// A text as a QR code (ISO/IEC 18004), for a telephone to read from the terminal.
struct QRCode: Sendable {
  /// How much of it may be unreadable: about 7 % or 15 %.
  enum Correction: Sendable { case low, medium }

  /// How many modules, the small squares, a side has.
  let width: Int
  /// Row by row; whether each is dark.
  private let modules: [Bool]

  /// Encodes a text in the smallest code that holds it.
  ///
  /// - Returns: nil where there is no library for it, or no code holds the text (more than 2 to 3 KB).
  init?(_ text: String, _ correction: Correction, library: QRCodeLibrary? = .shared) {
    guard let library, !text.isEmpty, !text.utf8.contains(0) else { return nil }
    let level =
      switch correction {
      case .low: oauthctl_qr_level_low
      case .medium: oauthctl_qr_level_medium
      }
    guard let code = library.encode(text, 0, level, oauthctl_qr_mode_bytes, 1) else { return nil }
    defer { library.free(code) }
    width = Int(code.pointee.width)
    guard width > 0, let data = code.pointee.data else { return nil }
    modules = UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
  }

  /// Gives the largest and safest form of a text's code that fits on a terminal, line by line.
  ///
  /// - Parameter coloured: whether the lines may say that they are black on white. Without that, what is lit is drawn, as
  ///   is right on a dark ground; on a light one the code is a negative, which most readers take as well.
  /// - Returns: nil where none fits, or ``init(_:_:library:)`` gives none.
  static func lines(
    for text: String, columns: Int, rows: Int, coloured: Bool, library: QRCodeLibrary? = .shared
  ) -> [String]? {
    // Four modules of quiet around it are the standard's; readers do with two.
    for (correction, quiet) in [(Correction.medium, 4), (.low, 4), (.low, 2)] {
      guard let code = QRCode(text, correction, library: library) else { return nil }
      let side = code.width + 2 * quiet
      if side <= columns, (side + 1) / 2 <= rows { return code.lines(quiet: quiet, coloured: coloured) }
    }
    return nil
  }

  /// Draws two rows of modules a line, with half blocks.
  ///
  /// - Parameter quiet: how many modules of light there are on each side.
  func lines(quiet: Int, coloured: Bool) -> [String] {
    let span = -quiet..<width + quiet
    return stride(from: span.lowerBound, to: span.upperBound, by: 2).map { y in
      let blocks = span.map { x -> Character in
        // In black on white the blocks are what is dark; else they are what is light.
        switch (isDark(x, y) == coloured, isDark(x, y + 1) == coloured) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return coloured ? "\u{1B}[30;47m\(String(blocks))\u{1B}[0m" : String(blocks)
    }
  }

  private func isDark(_ x: Int, _ y: Int) -> Bool {
    (0..<width).contains(x) && (0..<width).contains(y) && modules[y * width + x]
  }
}
