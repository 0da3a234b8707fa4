public import FoundationEssentials
public import OAuth

/// A login that was begun, and that another run of the program finishes: all that it needs for that.
public struct PendingLogin: Sendable, Equatable, Codable {
  /// The layout's version that this program reads and writes.
  static let currentVersion = ItemVersion.current

  /// The layout's version.
  var version: Int
  /// What it is called; no secret.
  public var id: PendingLoginID
  /// The provider, complete, as it was when the login began.
  public var provider: Provider
  /// The account's name.
  public var account: String
  /// The client's id.
  public var clientID: String
  /// The client authentication that was chosen, if one was.
  public var clientAuth: ClientAuthMethod?
  /// The client, where it is not as the keyring has it: a login that is never finished changes no client.
  public var client: ClientRegistration?
  /// The key that the tokens will be bound to.
  public var binding: DPoPBinding?
  /// What was asked for.
  public var scopes: [String]
  /// The resources that the tokens are for (RFC 8707).
  public var resources: [String]
  /// Further parameters of the token request.
  public var tokenParameters: [Parameter]
  /// How long ago the person may have logged in when this login began, in seconds.
  public var maxAge: Int?
  /// What the options asked for, to be kept with the tokens.
  public var choices: LoginChoices?
  /// What the answer must fit to.
  public var authorization: PendingAuthorization
  /// When it began.
  public var startedAt: Date
  /// The client that the login's one has taken the place of, to be forgotten when the login is finished.
  public var replaced: String?

  enum CodingKeys: String, CodingKey {
    case version, id, provider, account
    case clientID = "client_id"
    case clientAuth = "client_auth"
    case client
    case binding = "dpop"
    case scopes, resources
    case tokenParameters = "token_parameters"
    case maxAge = "max_age"
    case choices, authorization
    case startedAt = "started_at"
    case replaced = "replaced_client_id"
  }

  /// Makes one of a plan whose person is sent away now.
  ///
  /// - Parameter client: the client to be kept with the tokens; nil where the keyring has it as it is.
  public init(
    id: PendingLoginID, account: String, client: ClientRegistration?, plan: LoginPlan,
    authorization: PendingAuthorization, startedAt: Date
  ) {
    version = Self.currentVersion
    self.id = id
    self.account = account
    self.client = client
    self.authorization = authorization
    self.startedAt = startedAt
    provider = plan.provider
    clientID = plan.client.registration.id
    clientAuth = plan.client.registration.method
    binding = plan.client.binding
    (scopes, resources, tokenParameters, maxAge) = (plan.scopes, plan.resources, plan.tokenParameters, plan.maxAge)
    choices = plan.choices
  }

  /// The account that the tokens will be of.
  public var target: Account { Account(provider: provider.name, name: account) }

  /// Gives the plan of what is left to do.
  public func plan(_ client: ClientRegistration, now: Date) -> LoginPlan {
    var registration = client
    registration.method = clientAuth
    var plan = LoginPlan(
      client: RequestingClient(provider: provider, registration: registration, binding: binding), scopes: scopes)
    (plan.resources, plan.tokenParameters, plan.choices) = (resources, tokenParameters, choices)
    plan.redirect = .paste(authorization.redirectURI)
    plan.requiresIssuer = authorization.requiresIssuer
    plan.isImplicit = authorization.isImplicit
    plan.responseMode = authorization.responseMode
    plan.isHybrid = authorization.isHybrid == true
    // The server compared it with the time at which it was asked.
    plan.maxAge = maxAge.map { $0 + Int(min(max(now.timeIntervalSince(startedAt), 0), 1e9).rounded(.up)) }
    return plan
  }
}

/// The name of a login that was begun: when it ends, and some random characters.
///
/// So what has ended can be told, and removed, without a look at what is secret.
public struct PendingLoginID: Sendable, Hashable, Codable, CustomStringConvertible {
  /// When the login ends, in whole seconds.
  public let expiresAt: Date
  private let tail: String

  private static let radix = 32
  private static let tailLength = 5

  /// Makes one out of three random bytes or more.
  public init(expiresAt: Date, random: [UInt8]) {
    let seconds = min(max(expiresAt.timeIntervalSince1970, 0), 1e12).rounded(.down)
    self.expiresAt = Date(timeIntervalSince1970: seconds)
    let number = random.prefix(3).reduce(0) { $0 << 8 | Int($1) }
    let digits = String(number, radix: Self.radix)
    tail = String(repeating: "0", count: Self.tailLength - digits.count) + digits
  }

  /// Reads one; nil where it is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x76).contains($0) || $0 == 0x2D }
    guard isPlain, parts.count == 2, (1...9).contains(parts[0].count), parts[1].count == Self.tailLength,
      let seconds = Int(parts[0], radix: Self.radix)
    else { return nil }
    expiresAt = Date(timeIntervalSince1970: Double(seconds))
    tail = String(parts[1])
  }

  /// Reads one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = Self(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no id of a login")
    }
    self = id
  }

  /// Writes it as it is shown.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// What is shown, and typed.
  public var description: String { String(Int(expiresAt.timeIntervalSince1970), radix: Self.radix) + "-" + tail }
}
