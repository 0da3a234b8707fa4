import Crypto
import FoundationEssentials
import OAuth

/// The input is a whole token, or else the claims of one.
func checkIDToken(_ input: [UInt8]) throws {
  let text = String(decoding: input, as: UTF8.self)
  if let bytes = Base64URL.decode(text) {
    try require(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "encoded and decoded it is another")
    try require(Base64URL.decode(Base64URL.encodeClassic(bytes)) == bytes, "encoded and decoded it is another")
  }
  try require(Base64URL.decode(Base64URL.encode(input)) == input, "decoded it is another")
  try checkToken(Secret(text))
  try checkToken(Secret("e30.\(Base64URL.encode(input)).c2ln"))
  try checkSigned(input)
  try checkParsed(Secret(text))
}

private let now = Date(timeIntervalSince1970: 1_800_000_000)
private let nonce = Secret("n-0S6_WzA2Mj")
private let clientSecret = Secret("a client's secret")

/// What comes straight from a server that publishes no keys.
private let unchecked = IDToken.Expectation(issuers: ["https://id.example"], clientID: "app", nonce: nonce)

private func checkToken(_ token: Secret) throws {
  let result = Result { () throws(JWT.Mismatch) in
    try IDToken.verify(token, expecting: unchecked, now: now)
  }
  if case .success(let good) = result { try checkClaims(good) }
  let unsigned = IDToken.Expectation(issuers: [], clientID: "app", keys: JSONWebKeySet(keys: []))
  try require((try? IDToken.verify(token, expecting: unsigned, now: now)) == nil, "a token is taken without a key")
}

/// The claims, signed as an issuer may: no signature makes up for what they lack.
private func checkSigned(_ claims: [UInt8]) throws {
  let input = Base64URL.encode(#"{"alg":"HS256"}"#.utf8) + "." + Base64URL.encode(claims)
  let code = try HMAC.sign(Array(input.utf8), key: clientSecret, by: .hs256)
  let expectation = IDToken.Expectation(
    issuers: ["https://id.example"], clientID: "app", nonce: nonce, clientSecret: clientSecret)
  let token = Secret(input + "." + Base64URL.encode(code))
  guard let good = try? IDToken.verify(token, expecting: expectation, now: now) else { return }
  try checkClaims(good)
  try require(
    good.claims["azp"] == .string("app") || (good.claims["azp"] == nil && !hasSeveralAudiences(good)),
    "a token that was made for another client is taken")
  try require(IDToken(unverified: token) == good, "two readers read another token")
}

private func hasSeveralAudiences(_ token: IDToken) -> Bool {
  if case .array(let many) = token.claims["aud"] { many.count { $0.text != nil } > 1 } else { false }
}

private func checkClaims(_ good: IDToken) throws {
  try require(good.claims["iss"] == .string("https://id.example"), "another issuer's token is taken")
  try require(good.claims["nonce"] == .string(nonce.reveal()), "a token of another login is taken")
  let isForUs =
    switch good.claims["aud"] {
    case .string(let one): one == "app"
    case .array(let many): many.contains(.string("app"))
    default: false
    }
  try require(isForUs, "a token for another client is taken")
  let expiry: Double? =
    switch good.claims["exp"] {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  try require(expiry.map { $0 > 1_800_000_000 - 61 } ?? false, "a token that is over is taken")
  try require(good.identity?.isEmpty == false, "a token of nobody is taken")
}

/// What is taken apart is all of the token, and it is written in one way only.
private func checkParsed(_ token: Secret) throws {
  guard let jwt = JWT.Parsed(token) else { return }
  let whole = String(decoding: jwt.signingInput, as: UTF8.self) + "." + Base64URL.encode(jwt.signature)
  try require(Secret(whole) == token, "put together again it is another token")
  try require((try? jwt.checkSignature(keys: JSONWebKeySet(keys: []))) == nil, "a signature by no key is taken")
}

/// The input is a key set, and a key.
func checkKeySet(_ input: [UInt8]) throws {
  guard let json = JSONValue(parsing: input) else { return }
  if let key = JSONWebKey(json) { try checkKey(key) }
  if let (key, _, algorithm) = try? JSONWebKey.privateKey(from: json) {
    try require(algorithm.map(key.supports) ?? true, "a key is read with an algorithm that it does not know")
    let token = try JWT.sign(header: [:], claims: [:], key: .privateKey(key, keyID: nil))
    let keys = JSONWebKeySet(keys: [JSONWebKey(key.publicKey)])
    try require((try? JWT.Parsed(token)?.checkSignature(keys: keys)) != nil, "a key does not check what it signs")
  }
  guard let set = JSONWebKeySet(json) else { return }
  try require(set.keys.count <= JSONWebKeySet.mostKeys, "a set has no end")
  try set.keys.prefix(4).forEach(checkKey)
  for algorithm in SignatureAlgorithm.allCases {
    let candidates = set.candidates(keyID: nil, algorithm: algorithm)
    try require(!algorithm.isSymmetric || candidates.isEmpty, "a published key serves as a secret")
    try require(candidates.allSatisfy { $0.use == nil || $0.use == "sig" }, "a key for something else is tried")
    try require(
      candidates.allSatisfy { $0.publicKey?.supports(algorithm) ?? true }, "a key of another kind is tried")
  }
}

private func checkKey(_ key: JSONWebKey) throws {
  try require(JSONWebKey(key.json) == key, "written and read again it is another key")
  try require(key.thumbprint.utf8.count == 43, "a thumbprint is no SHA-256")
  try require(key.json.members?["d"] == nil, "a private key is written")
  guard let publicKey = key.publicKey else { return }
  try require(JSONWebKey(publicKey).thumbprint == key.thumbprint, "the same key has two names")
}
