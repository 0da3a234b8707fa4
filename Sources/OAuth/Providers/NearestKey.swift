/// What somebody meant who wrote a key that the schema does not have.
enum NearestKey {
  /// Stands for a name that the file chose, as that of a grant.
  static let anyName = "NAME"

  /// Gives the full name of a key that reads nearly the same: first of the same object, then of any other.
  static func find(_ stray: String, under path: [String]) -> String? {
    let here = path.map { $0 + "." }.joined()
    let all = paths(Provider.CodingKeys.self, under: "")
    let near = all.filter { $0.prefix == here } + all.filter { $0.prefix != here }
    let wanted = fold(stray)
    // A word of another language's convention, or of the server metadata (RFC 8414): tokenEndpoint, jwks_uri.
    if let same = near.first(where: { fold($0.name) == wanted }) { return same.prefix + same.name }
    // A slip of the finger is looked for in the same object only: elsewhere anything is near to something.
    let slips = near.prefix { $0.prefix == here }.map { (key: $0, distance: distance(fold($0.name), wanted)) }
    guard let best = slips.min(by: { $0.distance < $1.distance }), best.distance <= (wanted.count < 6 ? 1 : 2) else {
      return nil
    }
    return best.key.prefix + best.key.name
  }

  /// Whether a key is meant to hold the client's secret.
  static func isSecret(_ name: String) -> Bool { ["clientsecret", "secret"].contains(fold(name)) }

  private static func paths<Keys: SchemaKeys>(_ keys: Keys.Type, under prefix: String) -> [(
    prefix: String, name: String
  )] {
    keys.allCases.flatMap { key in
      let inner: [(prefix: String, name: String)] =
        switch key.shape {
        case .object(let innerKeys): paths(innerKeys, under: "\(prefix)\(key.stringValue).")
        case .objects(let innerKeys): paths(innerKeys, under: "\(prefix)\(key.stringValue).\(anyName).")
        default: []
        }
      return [(prefix, key.stringValue)] + inner
    }
  }

  private static func fold(_ name: String) -> String {
    var folded = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
    for ending in ["endpoint", "uri", "url"] where folded.hasSuffix(ending) && folded.count > ending.count {
      folded.removeLast(ending.count)
    }
    return folded
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours between two texts; 9 for long ones.
  private static func distance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.utf8), Array(second.utf8))
    guard first.count <= 40, second.count <= 40 else { return 9 }
    var before: [Int] = []
    var previous = Array(0...second.count)
    for row in 0..<first.count {
      var current = [row + 1]
      for column in 0..<second.count {
        var best = min(
          previous[column + 1] + 1, current[column] + 1, previous[column] + (first[row] == second[column] ? 0 : 1))
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          best = min(best, before[column - 1] + 1)
        }
        current.append(best)
      }
      (before, previous) = (previous, current)
    }
    return previous[second.count]
  }
}
