internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// `oauthctl inspect`: shows what is in the tokens of an account, and what the provider says of them.
enum InspectCommand: Command {
  static let name = "inspect"
  static let spec = CommandSpec(
    name: name, summary: "show what the tokens say, and ask the provider about them",
    discussion:
      "Prints the claims of the ID token, whose signature, issuer and audience are checked with the provider's keys, and those of an access token that is a JWT: of that nothing must hold, since it is for the resource's eyes, and 'decoded only' says that the provider's keys did not sign it. The tokens themselves are not printed. Where --userinfo or --introspect fails, the rest is printed all the same, and the error told; the exit code is the highest of several. Keys are kept in the keyring for as long as the provider says (5 minutes to 24 hours), so that nobody is asked meanwhile.",
    operands: [SharedOptions.account(.required)],
    options: [
      OptionSpec("userinfo", help: "ask the provider who it is, too (OpenID Connect, or the provider's own way)"),
      OptionSpec("introspect", help: "ask the server what the access token is good for, too (RFC 7662)"),
      OptionSpec("id-token", help: "the ID token alone; it is an error where there is none"),
      SharedOptions.json, SharedOptions.cacert,
    ],
    examples: [
      Example("oauthctl inspect google", "who is logged in, and what the tokens say"),
      Example("oauthctl inspect google/work --userinfo --json", "what the provider says of the person, for a script"),
      Example("oauthctl inspect acme --introspect", "whether the server still takes the access token"),
    ])

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let isAlone = invocation.has("id-token")
    if isAlone, let other = ["userinfo", "introspect"].first(where: { invocation.has($0) }) {
      throw Failure(.usage, "--id-token and --\(other) exclude each other", hint: "leave one of them out")
    }
    let account = try AccountLookup(environment).locate(try invocation.account(invocation.operands[0]))
    guard let session = try environment.sessions.load(account) else { throw AccountError.none(account, others: []) }
    guard !isAlone || session.tokens.idToken != nil else {
      throw Failure.noIDToken(account, session)
    }
    let network = try environment.makeNetwork()
    environment.terminal.status("inspecting \(account)")
    defer { environment.terminal.status(nil) }
    let inspection = Inspection(
      environment: environment, account: account, asksUserinfo: invocation.has("userinfo"),
      introspects: invocation.has("introspect"),
      inspect: InspectAccount(store: environment.store, network: network, warn: environment.output.warn))
    let (report, failures) = try environment.wait {
      do {
        return try await inspection.run(session)
      } catch let mismatch as JWT.Mismatch {
        var failure = Failure(mismatch)
        failure.hint = "it is not the token of this login as the provider gave it: \(Failure.loginHint(account))"
        throw failure
      } catch {
        throw Failure(error, login: account.description)
      }
    }
    environment.terminal.status(nil)
    let now = environment.time.now
    try environment.output.answer(
      invocation.has("json")
        ? report.json(now: now, isAlone: isAlone).plainText + "\n" : report.text(now: now, isAlone: isAlone))
    for failure in failures { environment.output.report(failure) }
    if let worst = failures.map(\.exitCode).max() { throw QuietFailure(exitCode: worst) }
  }
}

/// The course of one inspection.
private struct Inspection: Sendable {
  let environment: Environment
  let account: Account
  let asksUserinfo: Bool
  let introspects: Bool
  let inspect: InspectAccount

  /// Gives what could be found out, and why the rest could not.
  ///
  /// - Throws: what leaves nothing to show: an ID token that does not hold, a keyring that cannot be read,
  ///   `CancellationError`.
  func run(_ stored: Session) async throws -> (report: InspectReport, failures: [Failure]) {
    var failures: [Failure] = []
    var session = stored
    var asksUserinfo = asksUserinfo
    // What has ended is not worth sending.
    if asksUserinfo, stored.isRenewable, !stored.isUsable(at: environment.time.now, for: 0) {
      do {
        session = try await refreshed(stored)
      } catch {
        failures.append(try failure(error))
        asksUserinfo = false
      }
    }
    var subject = try await prepare(session)
    var userinfo: [String: JSONValue]?
    if asksUserinfo {
      do {
        userinfo = try await askUserinfo(&subject, mayRefresh: session == stored)
      } catch let refusal as Userinfo.Failure where session.grant?.kind == .clientCredentials {
        failures.append(Failure.noPerson(account, Failure(refusal)))
      } catch {
        failures.append(try failure(error))
      }
    }
    var introspection: Introspection?
    if introspects {
      do { introspection = try await inspect.introspection(subject) } catch { failures.append(try failure(error)) }
    }
    let report = InspectReport(
      account: account, session: subject.session, idToken: try await inspect.idToken(subject),
      accessToken: try await inspect.accessToken(subject), userinfo: userinfo, introspection: introspection)
    if let obstacle = report.idToken?.obstacle {
      var unverified = try failure(obstacle)
      unverified.message = "the ID token could not be verified: \(unverified.message)"
      failures.append(unverified)
    }
    return (report, failures)
  }

  /// What a person is told of a part that failed; of an interruption the command as a whole.
  private func failure(_ error: any Error) throws -> Failure {
    if error is CancellationError { throw error }
    return Failure(error, login: account.description)
  }

  /// Asks who it is; where the server does not take the token, once more with a new one.
  private func askUserinfo(
    _ subject: inout InspectAccount.Subject, mayRefresh: Bool
  ) async throws -> [String: JSONValue] {
    do {
      return try await inspect.userinfo(subject)
    } catch Userinfo.Failure.refused(let error)
      where error.status == 401 && subject.session.isRenewable && mayRefresh
    {
      subject = try await prepare(try await refreshed(subject.session))
      return try await inspect.userinfo(subject)
    }
  }

  private func prepare(_ session: Session) async throws -> InspectAccount.Subject {
    let needs: [DiscoverProvider.Need] = (asksUserinfo ? [.userinfo] : []) + (introspects ? [.introspection] : [])
    let secret = environment.environmentSecret(provider: account.provider, clientID: session.clientID)
    return try await inspect.prepare(session, secret: secret, needs: needs)
  }

  private func refreshed(_ session: Session) async throws -> Session {
    try RefreshSession.refuseKnownRefusal(of: session, account, now: environment.time.now)
    try await environment.refresh(account, session.tokens.accessToken.fingerprint, TokenVariant.Request())
    guard let fresh = try await offPool({ try environment.sessions.load(account) }) else {
      throw AccountError.none(account, others: [])
    }
    return fresh
  }
}
