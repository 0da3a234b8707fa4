internal import CLI
internal import Flows
internal import OAuth

/// A subcommand: its place in the table, and what it does.
protocol Command: SendableMetatype {
  /// Its name.
  static var name: String { get }
  /// How it is called: the source of parser, help, man page and completions.
  static var spec: CommandSpec { get }
  /// Does it.
  static func run(_ invocation: Invocation, _ environment: Environment) throws
}

/// All commands.
///
/// A new one is a file beside this one and a line here.
enum CommandTable {
  private static let commands: [any Command.Type] = [
    LoginCommand.self, TokenCommand.self, RefreshCommand.self, RevokeCommand.self, StatusCommand.self,
    InspectCommand.self,
    ProvidersCommand.self, UnlockCommand.self, LockCommand.self, DoctorCommand.self, CompleteCommand.self,
    GenerateCommand.self, RefreshWorkerCommand.self,
  ]

  /// The table that a command line needs: where its first word is a command's name, that command alone.
  ///
  /// Building all of it costs more than the rest of handing out a stored token.
  static func program(for arguments: [String]) -> ProgramSpec {
    guard let command = commands.first(where: { $0.name == arguments.first }) else { return program }
    return program(of: [command.spec])
  }

  /// Runs the command that was parsed.
  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    guard let command = commands.first(where: { $0.name == invocation.path.first }) else {
      throw Failure(.bug, "no command '\(invocation.path.joined(separator: " "))'")
    }
    do {
      try command.run(invocation, environment)
    } catch let failure as Failure {
      throw failure.completed(environment.sessions).naming(environment.providers)
    } catch let error as FlowError {
      throw Failure(error).completed(environment.sessions)
    } catch {
      throw Failure.naming(error, in: invocation)
    }
  }

  /// The whole table.
  static let program = program(of: commands.map { $0.spec })

  private static func program(of specs: [CommandSpec]) -> ProgramSpec {
    ProgramSpec(
      name: "oauthctl", version: Version.current, date: Version.date,
      summary: "get, keep and renew OAuth 2.0 and OpenID Connect tokens",
      description: [
        "oauthctl logs a person in to an OAuth 2.0 or OpenID Connect provider once, keeps the tokens in the keyring "
          + "(the Secret Service, through libsecret) and nowhere else, and hands out a valid access token to scripts, "
          + "renewing it when it is about to end.",
        "Standard output carries only the answer. Everything else goes to standard error. Secrets are read from a "
          + "prompt, a file, standard input or the environment, never from the command line.",
        "PROVIDER is a name from 'oauthctl providers', or of a file of one's own; ACCOUNT tells several logins at one "
          + "provider apart. Without ACCOUNT the provider's only account is meant, else the one named 'default'. "
          + "Durations are written as 90, 90s, 10m, 2h or 7d.",
      ],
      commands: specs,
      globalOptions: [
        OptionSpec("quiet", short: "q", help: "print errors alone on standard error"),
        OptionSpec("verbose", short: "v", help: "trace requests and responses on standard error, secrets redacted"),
      ],
      examples: [
        Example("oauthctl login github", "log in once"),
        Example("oauthctl token github", "print a valid token, in scripts as $(oauthctl token github)"),
        Example("oauthctl refresh --all --within 1h", "keep all logins fresh, from cron"),
      ],
      exitCodes: [
        ExitStatus(0, "done"),
        ExitStatus(64, "the command line is wrong: fix the call"),
        ExitStatus(
          69, "the keyring is missing or locked, no browser can be opened, or a port is in use: unlock, retry"),
        ExitStatus(70, "a bug in oauthctl: report it"),
        ExitStatus(75, "network, timeout, server trouble or rate limit: retry later"),
        ExitStatus(76, "the reply breaks the protocol (state, issuer, nonce, not a token reply): stop"),
        ExitStatus(77, "login needed: no session, denied, expired or revoked grant: run 'oauthctl login'"),
        ExitStatus(78, "unknown provider or account, bad client, bad provider file: fix the configuration"),
        ExitStatus(130, "interrupted (129 by SIGHUP, 143 by SIGTERM)"),
      ],
      environment: [
        ("OAUTHCTL_<PROVIDER>_CLIENT_ID", "the client id for that provider (upper case; '-' and '.' as '_')"),
        ("OAUTHCTL_<PROVIDER>_CLIENT_SECRET", "its client secret"),
        ("BROWSER", "a colon separated list of browsers to try; %s stands for the URL"),
        ("HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "the proxies to use; loopback is never proxied"),
        ("SSL_CERT_FILE", "the certificate authorities to trust in place of the system's"),
        ("NO_COLOR", "when set, no colour"),
        ("DBUS_SESSION_BUS_ADDRESS", "the session bus; without it /run/user/UID/bus is tried"),
        ("XDG_CONFIG_HOME, XDG_RUNTIME_DIR", "where provider files and locks are"),
      ],
      files: [
        ("$XDG_CONFIG_HOME/oauthctl/providers/NAME.json", "a provider of one's own; see oauthctl-providers(5)"),
        (
          "$XDG_RUNTIME_DIR/oauthctl/",
          "locks, one a login, without secrets; where that is unset, $XDG_STATE_HOME/oauthctl/"
        ),
      ],
      seeAlso: ["oauthctl-providers(5)", "secret-tool(1)"])
  }
}
