import FoundationEssentials
import OAuth

func checkProviderFile(_ input: [UInt8]) throws {
  try checkJSON(input)
  try checkDetails(input)
  let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
  do {
    let provider = try ProviderFile.read(input)
    let written = ProviderFile.write(provider)
    try require(try ProviderFile.read(Array(written.utf8)) == provider, "written and read again it is another provider")
  } catch let error as ProviderError {
    let line: Int? =
      switch error {
      case .syntax(_, let line), .badValue(_, _, let line): line
      default: nil
      }
    try require(line.map { 1...lines ~= $0 } ?? true, "the message names line \(line ?? 0) of \(lines)")
  }
}

/// Authorization details in their shortest form say the same as before.
private func checkDetails(_ input: [UInt8]) throws {
  guard let text = String(validating: input, as: UTF8.self), let details = try? AuthorizationDetails(parsing: text)
  else { return }
  try require(try AuthorizationDetails(parsing: details.text) == details, "shortened twice they are others")
  try require(
    JSONValue(parsing: details.text.utf8) == JSONValue(parsing: input), "shortened they say something else")
  try require(!details.types.isEmpty && !details.types.contains(""), "they have no type")
}

/// What two readers both take they read alike, and what is printed says the same as what was read.
private func checkJSON(_ input: [UInt8]) throws {
  guard let value = JSONValue(parsing: input) else { return }
  // The first printing settles how numbers are written.
  let printed = settled(value)
  try require(settled(printed) == printed, "printed and read again it is another value")
  guard !hasRepeatedNames(LocatedJSON(parsing: input)),
    let other = try? JSONDecoder().decode(JSONValue.self, from: Data(input))
  else { return }
  try require(likeness(value) == likeness(other), "another reader reads another value")
}

private func settled(_ value: JSONValue) -> JSONValue {
  guard case .object = value else { return .null }
  return JSONValue(parsing: value.plainText.utf8) ?? .string("not JSON: \(value.plainText)")
}

private func hasRepeatedNames(_ json: LocatedJSON?) -> Bool {
  switch json?.value {
  case .object(let members):
    Set(members.map(\.name)).count < members.count || members.contains { hasRepeatedNames($0.value) }
  case .array(let elements): elements.contains { hasRepeatedNames($0) }
  default: false
  }
}

/// The value with its numbers as one kind.
private func likeness(_ value: JSONValue) -> JSONValue {
  switch value {
  case .integer(let number): .number(Double(number))
  case .number(let number): .number(number)
  // One that no Double holds is kept as it is written.
  case .string(let text) where Double(text) != nil: .null
  case .array(let elements): .array(elements.map(likeness))
  case .object(let members): .object(members.mapValues(likeness))
  case .null, .bool, .string: value
  }
}
