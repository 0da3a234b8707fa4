import OAuth

func checkChallenge(_ input: [UInt8]) throws {
  let lines = input.split(separator: UInt8(ascii: "\n")).map { line in
    HTTPHeader("WWW-Authenticate", String(decoding: line, as: UTF8.self))
  }
  let response = HTTPResponse(status: 401, headers: lines)
  let challenges = AuthenticationChallenge.all(in: response)
  try require(challenges.count <= 32, "more challenges than are read")
  for challenge in challenges {
    try require(HeaderLine.isSafe(name: challenge.scheme, value: ""), "a scheme that is no word")
    let names = challenge.parameters.map(\.name)
    try require(names.count <= 32 && Set(names).count == names.count, "a name twice, or too many")
    try require(names.allSatisfy { $0 == $0.lowercased() && !$0.isEmpty }, "a name that is not found by itself")
  }
  // Written as the RFC has it, they are read as what they are.
  let written = challenges.map(text).joined(separator: ", ")
  if written.utf8.count <= 16384 {
    let again = HTTPResponse(status: 401, headers: [HTTPHeader("WWW-Authenticate", written)])
    try require(AuthenticationChallenge.all(in: again) == challenges, "written and read they are others")
  }
  _ = ProtectedResource.demand(in: response)
}

private func text(_ challenge: AuthenticationChallenge) -> String {
  let parameters = challenge.parameters.map { parameter in
    // Scalars, not characters: an accent after it would make one character of the two.
    var value = String.UnicodeScalarView()
    for scalar in parameter.value.unicodeScalars {
      if scalar == "\\" || scalar == "\"" { value.append("\\") }
      value.append(scalar)
    }
    return "\(parameter.name)=\"\(String(value))\""
  }
  let head = challenge.scheme + (challenge.token68.map { " " + $0 } ?? "")
  guard !parameters.isEmpty else { return head }
  return head + (challenge.token68 == nil ? " " : ", ") + parameters.joined(separator: ", ")
}
