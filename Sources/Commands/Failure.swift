internal import CLI
internal import Flows
internal import OAuth

/// A failure as the user meets it: what happened, what helps, and the exit code.
struct Failure: Error, Sendable {
  var kind: FailureKind
  var message: String
  var hint: String?
  var server: ServerError?
  /// Whether nobody is there to be told of it: who read the answer went away.
  var isUnheard = false
  /// The account that the hint says to log in, where that is one of the keyring.
  var login: Account?
  /// The URL that was typed where a name belongs.
  var url: String?
  /// Where it is not the kind's own: a signal's.
  var exitCodeOverride: Int32?

  init(_ kind: FailureKind, _ message: String, hint: String? = nil, server: ServerError? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.server = server
  }

  var exitCode: Int32 { exitCodeOverride ?? kind.exitCode }

  init(_ error: UsageError) {
    self.init(.usage, error.message, hint: error.hint)
  }

  /// Reads back what ``json`` wrote; nil where it is not such an object.
  init?(json: JSONValue) {
    guard let members = json.members?["error"]?.members, let kind = members["kind"]?.text.flatMap(FailureKind.init)
    else {
      return nil
    }
    let said = members["server"]?.members
    var server: ServerError?
    if let said {
      server = ServerError(code: said["error"]?.text, description: said["error_description"]?.text)
      if case .integer(let status)? = said["status"] { server?.status = Int(status) }
    }
    self.init(kind, members["message"]?.text ?? "", hint: members["hint"]?.text, server: server)
  }

  /// The object that `--json` puts on standard error, and in a result's place.
  var json: JSONValue {
    var members: [String: JSONValue] = [
      "code": .integer(Int64(exitCode)), "kind": .string(kind.rawValue), "message": .string(message),
    ]
    if let hint { members["hint"] = .string(hint) }
    if let server {
      var said: [String: JSONValue] = [:]
      if server.code == nil, let status = server.status { said["status"] = .integer(Int64(status)) }
      if let code = server.code { said["error"] = .string(PrintableText.printable(code, limit: 300)) }
      if let text = server.description {
        said["error_description"] = .string(PrintableText.printable(text, limit: 300))
      }
      members["server"] = .object(said)
    }
    return .object(["error": .object(members)])
  }
}
