/// Finds what somebody meant who mistyped a name.
public enum Suggestion {
  /// Gives the candidate closest to the word, or nil when none is close enough to be meant.
  ///
  /// A candidate is close when it takes one slip for each three letters (one at least) to get there, a slip being a
  /// letter missing, added, changed, or swapped with its neighbour, or when it begins with the word. Case does not count.
  public static func nearest(to word: String, among candidates: [String]) -> String? {
    let typed = letters(word)
    guard !typed.isEmpty else { return nil }
    var best: (candidate: String, slips: Int)?
    for candidate in candidates {
      let wanted = letters(candidate)
      let allowed = max(1, min(typed.count, wanted.count) / 3)
      guard abs(typed.count - wanted.count) <= allowed else { continue }
      let slips = distance(typed, wanted)
      // Where every letter differs nothing is alike, however short the words are.
      guard slips <= allowed, slips < max(typed.count, wanted.count) else { continue }
      if best.map({ slips < $0.slips }) ?? true { best = (candidate, slips) }
    }
    return best?.candidate ?? completion(of: typed, among: candidates)
  }

  /// The shortest candidate that begins with what was typed, three letters at least.
  private static func completion(of typed: [Unicode.Scalar], among candidates: [String]) -> String? {
    guard typed.count >= 3 else { return nil }
    return candidates.filter { letters($0).starts(with: typed) }.min { $0.count < $1.count }
  }

  private static func letters(_ text: String) -> [Unicode.Scalar] {
    Array(text.lowercased().unicodeScalars)
  }

  /// The optimal string alignment distance: edits and swaps of neighbours, no letter touched twice.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for i in left.indices {
      var row = [i + 1]
      row.reserveCapacity(right.count + 1)
      for j in right.indices {
        var slips = min(last[j + 1] + 1, row[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          slips = min(slips, beforeLast[j - 1] + 1)
        }
        row.append(slips)
      }
      (beforeLast, last) = (last, row)
    }
    return last[right.count]
  }
}
