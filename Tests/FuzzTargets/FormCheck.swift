import OAuth

func checkForm(_ input: [UInt8]) throws {
  let text = String(decoding: input, as: UTF8.self)
  let parameters = FormEncoding.decode(text)
  try require(FormEncoding.decode(FormEncoding.encode(parameters)) == parameters, "encoded and decoded it is another")
  if let mark = input.firstIndex(of: UInt8(ascii: "&")) {
    let before = FormEncoding.decode(String(decoding: input[..<mark], as: UTF8.self))
    let after = FormEncoding.decode(String(decoding: input[(mark + 1)...], as: UTF8.self))
    try require(before + after == parameters, "an ampersand does not part two parameters")
  }
  for parameter in parameters {
    let encoded = FormEncoding.encode(parameter.value)
    try require(encoded.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"&=#?\"'<>\\".utf8.contains($0) }, "not encoded")
    try require(
      FormEncoding.decode("a=" + FormEncoding.encodeForQuery(parameter.value)).first?.value == parameter.value,
      "a query's value does not come back")
  }
  try checkQuery(text)
  try checkPasted(text)
}
