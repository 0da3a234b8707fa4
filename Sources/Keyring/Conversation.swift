internal import CLibsecret
internal import Crypto

/// One operation's talk with the secret service: its calls, all under one time limit.
///
/// The calls are those of the Secret Service protocol itself. libsecret's ready-made ones prompt on their own, show a
/// dismissed prompt as a missing item, or need several proxies and round trips; its session, its encryption, its
/// memory and its prompts are used.
/// https://specifications.freedesktop.org/secret-service/latest/
final class Conversation {
  static let defaultCollection = "/org/freedesktop/secrets/aliases/default"
  static let name = "org.freedesktop.secrets"
  static let root = "/org/freedesktop/secrets"

  private let connection: Connection
  let patience: Patience
  private var limit: TimeLimit
  /// Whether the limit is one for all calls together.
  private var isBrief = false

  init(_ connection: Connection, _ patience: Patience, within limit: TimeLimit) {
    self.connection = connection
    self.patience = patience
    self.limit = limit
  }

  /// Calls a method and gives its reply, a tuple of the type.
  func call(
    _ method: Method, at path: String = Conversation.root, on name: String = Conversation.name, _ arguments: [Variant],
    reply type: String
  ) throws(ServiceError) -> Variant {
    let reply = try method.call(connection.bus, at: path, on: name, arguments, reply: type, within: limit)
    if !isBrief { limit.restart() }
    return reply
  }

  /// A property of a collection or an item.
  func property(_ property: Method, at path: String) throws(ServiceError) -> Variant? {
    let get = Method("org.freedesktop.DBus.Properties", "Get")
    return try call(get, at: path, [.string(property.interface), .string(property.name)], reply: "(v)")[0]?[0]
  }

  /// The paths of the items that have all of the attributes: those that can be read, and those that are locked.
  func search(_ attributes: [(String, String)]) throws(ServiceError) -> (unlocked: [String], locked: [String]) {
    let found = try call(.service("SearchItems"), [.dictionary(attributes)], reply: "(aoao)")
    return (found[0]?.texts ?? [], found[1]?.texts ?? [])
  }

  /// An item's value.
  func secret(at path: String) throws(ServiceError) -> Secret {
    let reply = try call(.item("GetSecret"), at: path, [.path(connection.session)], reply: "((oayays))")
    guard let value = reply[0]?.lend({ secret_service_decode_dbus_secret(connection.service, $0) })
    else { throw ServiceError(.other, "the value could not be decrypted") }
    return StoredValue(taking: value).secret
  }

  /// Gives an item another value; its attributes and its label stay.
  func setSecret(at path: String, _ secret: Secret) throws(ServiceError) {
    _ = try call(.item("SetSecret"), at: path, [try encoded(secret)], reply: "()")
  }

  /// Stores an item in a collection, in the place of one with the same attributes or beside it.
  ///
  /// Gives its path, and that of a prompt where the service wants to ask first.
  func create(
    in collection: String, _ attributes: [(String, String)], label: String, _ secret: Secret, replacing: Bool = true
  ) throws(ServiceError) -> (item: String, prompt: String?) {
    let properties = Variant.properties([
      ("org.freedesktop.Secret.Item.Label", .string(label)),
      ("org.freedesktop.Secret.Item.Attributes", .dictionary(attributes)),
    ])
    let reply = try call(
      .collection("CreateItem"), at: collection, [properties, try encoded(secret), .boolean(replacing)], reply: "(oo)")
    return (reply[0]?.text ?? "", promptPath(reply[1]))
  }

  /// A secret as the service takes it: encrypted for the session.
  func encoded(_ secret: Secret) throws(ServiceError) -> Variant {
    guard let encoded = StoredValue(secret).lend({ secret_service_encode_dbus_secret(connection.service, $0) }) else {
      throw ServiceError(.other, "the value could not be encrypted")
    }
    return Variant(taking: encoded)
  }

  /// Deletes an item, and gives the path of a prompt where the service wants to ask first.
  func delete(_ path: String) throws(ServiceError) -> String? {
    promptPath(try call(.item("Delete"), at: path, [], reply: "(o)")[0])
  }

  /// Asks for items or collections to be unlocked.
  ///
  /// Gives those that could be at once, and the path of a prompt where a person must be asked.
  func requestUnlock(_ paths: [String]) throws(ServiceError) -> (unlocked: [String], prompt: String?) {
    let reply = try call(.service("Unlock"), [.paths(paths)], reply: "(aoo)")
    return (reply[0]?.texts ?? [], promptPath(reply[1]))
  }

  /// Gives what follows the whole time limit of an operation.
  func startAnew() {
    limit = TimeLimit(seconds: patience.limit)
  }

  /// Runs what may as well be left undone: a second in all at most, unless a person may be asked.
  func briefly(_ body: () throws(ServiceError) -> Void) {
    if !patience.mayPrompt { (limit, isBrief) = (TimeLimit(seconds: 1), true) }
    try? body()
    isBrief = false
    startAnew()
  }

  /// Lets the service ask a person, where that is allowed, and gives what it resulted in.
  func show(prompt: String) throws(ServiceError) -> Variant {
    guard patience.mayPrompt else { throw ServiceError(.locked) }
    let result: Variant
    do throws(ServiceError) {
      result = try patience.prompt.with(TimeLimit(seconds: patience.promptLimit)) { limit throws(ServiceError) in
        try perform(prompt, within: limit)
      }
    } catch  where error.reason == .timedOut {
      throw ServiceError(patience.prompt.isEnded ? .dismissed : .nobodyAnswered)
    }
    // The service's own time starts anew: the person's was not its.
    startAnew()
    return result
  }

  /// Lets the service finish a change it answered with a prompt.
  ///
  /// KeePassXC does so for every change, and then mostly asks nobody. Where it does ask and nobody may be asked, the
  /// question is taken back when the time is over.
  func finish(prompt: String) throws(ServiceError) {
    if patience.mayPrompt {
      _ = try show(prompt: prompt)
      return
    }
    do throws(ServiceError) {
      _ = try perform(prompt, within: limit)
    } catch  where error.reason == .timedOut {
      throw ServiceError(.other, "the keyring wants a confirmation, and nobody could be asked for it")
    }
  }

  private func perform(_ prompt: String, within limit: TimeLimit) throws(ServiceError) -> Variant {
    let result = try ServiceError.check { error in
      secret_service_prompt_at_dbus_path_sync(connection.service, prompt, limit.cancellable, nil, error)
    }
    let answer = result.map(Variant.init(taking:))
    // libsecret takes the prompt back when the time is over, and services call that completed.
    if limit.isOver { throw ServiceError(.timedOut) }
    guard let answer else { throw ServiceError(.dismissed) }  // the service is gone
    return answer
  }

  /// The collection an item is in.
  static func collection(of item: String) -> String {
    item.lastIndex(of: "/").map { String(item[..<$0]) } ?? item
  }

  /// Whether the service's program is also known by another name.
  func isAlsoKnown(as name: String) -> Bool {
    let owner = try? callBus("GetNameOwner", [.string(name)], reply: "(s)")[0]?.text
    return owner != nil && owner == connection.owner
  }

  /// Whether a program has a name on the bus or would be started for it.
  func isOnBus(_ name: String) -> Bool {
    if (try? callBus("NameHasOwner", [.string(name)], reply: "(b)"))?[0]?.bool == true { return true }
    return (try? callBus("ListActivatableNames", [], reply: "(as)"))?[0]?.texts.contains(name) == true
  }

  /// Asks the bus itself.
  func callBus(_ name: String, _ arguments: [Variant], reply: String) throws(ServiceError) -> Variant {
    try call(.bus(name), at: Method.busPath, on: Method.busName, arguments, reply: reply)
  }

  func promptPath(_ path: Variant?) -> String? {
    guard let text = path?.text, text != "/" else { return nil }
    return text
  }
}

/// How long is waited, and whether for a person too.
struct Patience {
  var mayPrompt: Bool
  var limit: Int
  var promptLimit: Int
  /// Called when a person is asked to unlock the keyring.
  var willWait: @Sendable () -> Void = {}
  /// The waits for a person that are under way.
  let prompt = PersonWait()
}

/// A method or a property and the interface it belongs to.
struct Method {
  let interface: String
  let name: String

  init(_ interface: String, _ name: String) {
    self.interface = interface
    self.name = name
  }

  static let busName = "org.freedesktop.DBus"
  static let busPath = "/org/freedesktop/DBus"

  static func bus(_ name: String) -> Method { Method(busName, name) }
  static func service(_ name: String) -> Method { Method("org.freedesktop.Secret.Service", name) }
  static func collection(_ name: String) -> Method { Method("org.freedesktop.Secret.Collection", name) }
  static func item(_ name: String) -> Method { Method("org.freedesktop.Secret.Item", name) }

  /// Calls it over a connection to a bus, and gives its reply, a tuple of the type.
  func call(
    _ bus: OpaquePointer, at path: String, on destination: String, _ arguments: [Variant], reply type: String,
    within limit: TimeLimit
  ) throws(ServiceError) -> Variant {
    let arguments = Variant.tuple(arguments)
    let reply = try ServiceError.check { error in
      arguments.lend { arguments in
        Variant.withType(type) { type in
          g_dbus_connection_call_sync(
            bus, destination, path, interface, name, arguments, type, G_DBUS_CALL_FLAGS_NONE, Int32.max,
            limit.cancellable, error)
        }
      }
    }
    guard let reply else { throw ServiceError(.other, "no reply, and no reason given") }
    return Variant(taking: reply)
  }
}
