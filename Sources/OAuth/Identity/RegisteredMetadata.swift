/// What a server has of a client beside its id and its secrets, so that a change of one thing leaves the rest as it is.
extension RegistrationUpkeep {
  /// What is no metadata of the client's, or is kept elsewhere; RFC 7592 section 2.2 has most of it not be sent back.
  private static let notKept = [
    "client_id", "client_secret", "registration_access_token", "registration_client_uri", "client_secret_expires_at",
    "client_id_issued_at", "redirect_uris",
  ]

  /// The members that a change is made of, of a registration that is too long to be kept whole.
  private static let essential = [
    "client_name", "application_type", "grant_types", "response_types", "scope", "token_endpoint_auth_method", "jwks",
  ]

  /// How long a registration is kept whole, in bytes of JSON: an item of the keyring is not for a server to fill.
  private static let longest = 16384

  /// Gives what is to be remembered of a registration: what the reply says, and what was asked for where it says nothing.
  ///
  /// A scope that was asked for is remembered though the server left it out, and so is a new client's first grant: asking
  /// again would bring no more.
  ///
  /// - Parameter before: what was remembered.
  static func known(
    _ fields: [String: JSONValue], _ asked: ClientMetadata, of method: HTTPRequest.Method,
    before: [String: JSONValue]?
  ) -> [String: JSONValue] {
    let own = method == .get ? before ?? [:] : asked.members
    let told = fields.filter { $0.value != .null }
    var known = own.merging(told) { _, told in told }.filter { !notKept.contains($0.key) }
    // It is sent with a registration, and is the publisher's.
    known["software_statement"] = nil
    if let scopes = union(Scope.read(fields["scope"]), Scope.read(own["scope"])) {
      known["scope"] = .string(scopes.joined(separator: " "))
    }
    if method == .post, let told = DynamicRegistration.strings(fields["grant_types"]) {
      known["grant_types"] = .array(union(told, Array(asked.grantTypes.prefix(1)))?.map(JSONValue.string) ?? [])
    }
    if JSONValue.object(known).plainText.utf8.count <= longest { return known }
    known = known.filter { essential.contains($0.key) }
    return JSONValue.object(known).plainText.utf8.count <= longest ? known : [:]
  }

  /// Gives the whole of a changed registration: what the server has, and what a login needs beside it.
  ///
  /// A change that leaves out a member may drop it (RFC 7592 section 2.2), and the client's other logins need what they
  /// registered.
  ///
  /// - Parameters:
  ///   - asked: what the login needs.
  ///   - present: all that the server has registered; nil where it could not be read, and what is kept must do.
  ///   - client: the client as it is.
  public static func merged(
    _ asked: ClientMetadata, into present: [String: JSONValue]?, of client: ClientRegistration
  ) -> ClientMetadata {
    let management = client.management
    var base = (present ?? management?.metadata ?? [:]).filter { $0.value != .null && !notKept.contains($0.key) }
    var changed = asked
    let redirects = management?.redirectURIs ?? []
    // The one without a port stays away where the server did not take it.
    let wanted = asked.redirectURIs.enumerated().filter { $0.offset == 0 || redirects.contains($0.element) }
    changed.redirectURIs = LoopbackRedirect.merged(wanted.map(\.element), with: redirects)
    // Left out, it is the code alone (RFC 7591 section 2).
    let usesCode = !redirects.isEmpty
    let grants = DynamicRegistration.strings(base["grant_types"]) ?? (usesCode ? ["authorization_code"] : [])
    changed.grantTypes = union(asked.grantTypes, grants) ?? []
    let types = DynamicRegistration.strings(base["response_types"]) ?? (usesCode ? ["code"] : [])
    changed.responseTypes = union(asked.responseTypes, types) ?? []
    // Where the server chose them, a list of one login's would take the others' away.
    let scopes = Scope.read(base["scope"]) ?? management?.scopes
    changed.scopes = scopes.flatMap { union($0, asked.scopes) }
    let names = client.method?.registeredNames ?? [asked.authMethod]
    changed.authMethod =
      base["token_endpoint_auth_method"]?.text ?? (names.contains(asked.authMethod) ? asked.authMethod : names[0])
    if asked.keys != nil, changed.authMethod == "private_key_jwt" {
      for name in ["jwks", "jwks_uri", "token_endpoint_auth_signing_alg"] { base[name] = nil }
    } else {
      (changed.keys, changed.authAlgorithm) = (nil, nil)
    }
    // The other logins may have no key.
    changed.bindsTokensToKey = false
    if asked.softwareStatement != nil { base["software_statement"] = nil }
    let set = ["grant_types", "response_types", "scope", "token_endpoint_auth_method"]
    changed.further = base.filter { !set.contains($0.key) }.merging(asked.further) { _, own in own }
    return changed
  }

  /// The grants of a change without what the login could do without; nil where that is no less.
  public static func reduced(_ changed: ClientMetadata, of asked: ClientMetadata, from client: ClientRegistration)
    -> ClientMetadata?
  {
    var reduced = changed
    let present = client.management?.grantTypes ?? ["authorization_code", "refresh_token"]
    reduced.grantTypes = union(Array(asked.grantTypes.prefix(1)), present) ?? []
    return Set(reduced.grantTypes) == Set(changed.grantTypes) ? nil : reduced
  }

  /// The first list, and what only the second one has; nil where there is neither.
  private static func union(_ first: [String]?, _ second: [String]?) -> [String]? {
    guard let first else { return second }
    return first + (second ?? []).filter { !first.contains($0) }
  }
}

extension RegistrationManagement {
  /// The grants that are registered; nil where that is not known.
  public var grantTypes: [String]? { DynamicRegistration.strings(metadata?["grant_types"]) }
  /// The scopes that the client may ask for, and those that the server has refused to register; nil where that is not known.
  public var scopes: [String]? { Scope.read(metadata?["scope"]) }
}
