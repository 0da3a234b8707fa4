extension ProviderSchema {
  /// Refuses a key that the schema does not have and a value of the wrong shape, anywhere in the file.
  static func checkKeys(_ file: LocatedJSON) throws(ProviderError) {
    guard let members = file.members else {
      throw .badValue(key: "", problem: "a provider file holds one JSON object", line: file.line)
    }
    try check(members, Provider.CodingKeys.self, under: [], named: [])
  }

  /// - Parameter schema: the path with `NAME` for each name that the file chose.
  private static func check<Keys: SchemaKeys>(
    _ members: [LocatedJSON.Member], _ keys: Keys.Type, under path: [String], named schema: [String]
  ) throws(ProviderError) {
    for member in members {
      let place = path + [member.name]
      guard let key = Keys(stringValue: member.name) else {
        if NearestKey.isSecret(member.name) { throw secretInFile(place, line: member.line) }
        throw .unknownKey(
          place.joined(separator: "."), line: member.line, nearest: NearestKey.find(member.name, under: schema))
      }
      if let problem = key.shape.problem(member.value) {
        throw .badValue(key: place.joined(separator: "."), problem: problem, line: member.line)
      }
      guard let inner = member.value.members else { continue }
      let innerSchema = schema + [member.name]
      switch key.shape {
      case .object(let innerKeys): try check(inner, innerKeys, under: place, named: innerSchema)
      case .objects(let innerKeys):
        for entry in inner {
          try check(
            entry.value.members ?? [], innerKeys, under: place + [entry.name], named: innerSchema + [NearestKey.anyName]
          )
        }
      default: break
      }
    }
    for key in keys.allCases where key.isRequired && !members.contains(where: { $0.name == key.stringValue }) {
      throw .badValue(key: (path + [key.stringValue]).joined(separator: "."), problem: "is missing", line: nil)
    }
  }

  static func secretInFile(_ place: [String], line: Int?) -> ProviderError {
    .badValue(
      key: place.joined(separator: "."),
      problem: "does not belong in a file: secrets are kept in the keyring, give it with --client-secret-file",
      line: line)
  }
}
