internal import CLI
internal import Flows
internal import OAuth

/// A command as a hint names it: typed like that, it works.
enum TypedCommand {
  /// Gives the words of a command on an account or a provider.
  ///
  /// A name may begin with a hyphen; then `--` stands before it, and the options before that.
  ///
  /// - Parameters:
  ///   - command: as `token` or `providers show`.
  ///   - options: with their values, each as a shell takes it.
  static func text(_ command: String, _ name: some CustomStringConvertible, _ options: String...) -> String {
    let name = name.description
    let words = name.hasPrefix("-") ? options + ["--", name] : [name] + options
    return (["oauthctl", command] + words).joined(separator: " ")
  }
}

extension Failure {
  /// The hint to log in with a scope more than an account has: the option names them all.
  static func hint(toAsk scope: String, beside others: [String], _ account: Account) -> String {
    var scopes = [scope]
    for other in others.map({ PrintableText.printable($0, limit: 200) }) where !scopes.contains(other) {
      scopes.append(other)
    }
    // Commas, so that most lists need no quotes within the hint's own.
    let list = scopes.joined(separator: ",")
    let isBare = list.utf8.allSatisfy { $0 == 0x3A || ShellWord.isPlain($0) }
    return "run '\(TypedCommand.text("login", account, "--scope", isBare ? list : ShellWord.quoted(list)))'"
  }
}
