internal import CLI
internal import Crypto
internal import Flows
internal import Host
internal import OAuth

extension Failure {
  /// Turns whatever was thrown into what the user is told: the one place that does.
  ///
  /// - Parameter login: what to type to log in again, as `github/work`; empty where no account is meant.
  init(_ error: any Error, login: String = "") {
    switch error {
    case let failure as Failure: self = failure
    case let error as UsageError: self.init(error)
    case let error as AccountError: self.init(account: error)
    case let error as SessionError: self.init(session: error)
    case let error as NewerItem: self.init(newer: error)
    case let error as StoreError: self.init(store: error)
    case let error as UnlockError: self.init(unlock: error)
    case let error as LockError: self.init(lock: error)
    case let error as TransportError: self.init(transport: error)
    case let error as TokenFailure: self.init(token: error, login: login)
    case let error as FlowError: self.init(flow: error, login: login)
    case let error as PendingLoginFailure: self.init(pendingLogin: error)
    case let error as DiscoveryFailure: self.init(discovery: error)
    case let error as ResourceFailure: self.init(resource: error)
    case let error as RegistrationFailure: self.init(registration: error)
    case let error as UnsupportedClientAuth: self.init(authentication: error)
    case let error as ClientIDDocument.Failure: self.init(clientID: error)
    case let error as Userinfo.Failure: self.init(userinfo: error, login: login)
    case let error as Introspection.Failure: self.init(introspection: error)
    case let error as ProviderError: self.init(provider: error)
    case let error as KeyError:
      self.init(
        .configuration, "the client's key cannot be used: \(error.message)",
        hint: "give another one with --private-key-file at 'oauthctl login\(login.isEmpty ? "" : " \(login)")'")
    case let error as KeySetError:
      self.init(
        .temporary,
        "the provider's keys cannot be read at \(PrintableText.printable(error.url, limit: 200)) (status \(error.status))",
        hint: "try again later")
    case let error as ListenerError: self.init(listener: error)
    case let error as BrowserError: self.init(browser: error)
    case let error as FileError: self.init(.configuration, error.reason)
    // The machine is out of processes, threads or descriptors.
    case let error as OwnProgram.Failure:
      self.init(.temporary, "oauthctl could not be run again: \(error.reason)", hint: "try again later")
    case let error as OwnProgram.Stuck:
      self.init(
        .temporary, "the refresh, process \(error.process), has not ended within \(error.seconds) s",
        hint: "if it is stopped ('ps -o stat= -p \(error.process)' says T), 'kill -CONT \(error.process)' lets it go on"
      )
    case let error as TerminalError:
      self.init(.temporary, "nobody can be asked: \(error.reason)", hint: "try again later")
    case let error as JWT.Mismatch: self.init(token: error)
    case is CancellationError: self.init(.interrupted, "interrupted")
    case let error as RandomnessError: self.init(.bug, "there are no random numbers: \(error.reason)")
    default:
      self.init(
        .bug, "unexpected: \(PrintableText.printable("\(error)", limit: 300))", hint: "please report this as a bug")
    }
  }

  static func loginHint(_ account: some CustomStringConvertible) -> String {
    "run '\(TypedCommand.text("login", account))'"
  }

  private init(account error: AccountError) {
    switch error {
    case .none(let account, let others):
      let known = others.isEmpty ? "" : "; there is \(others.map(\.description).joined(separator: ", "))"
      self.init(.loginRequired, "not logged in to \(account)\(known)", hint: Self.loginHint(account))
    case .ambiguous(let provider, let accounts):
      self.init(
        .configuration,
        "\(provider) has several accounts: \(accounts.map(\.fullName).joined(separator: ", "))",
        hint: "name one of them, as \(accounts.first.map { "'\($0.fullName)'" } ?? "PROVIDER/ACCOUNT")")
    }
  }

  private init(session error: SessionError) {
    switch error {
    case .unreadable(let account):
      self.init(
        .loginRequired, "the keyring item of \(account) cannot be read; it was left as it is",
        hint: "\(Self.loginHint(account)) to replace it")
    case .newer(let account, let version):
      self.init(
        .configuration, "the keyring item of \(account) was written by a newer oauthctl (layout \(version))",
        hint: "upgrade oauthctl; the item was left as it is")
    }
  }

  private init(store error: StoreError) {
    switch error {
    case .noBus(let detail):
      self.init(
        .keyringUnavailable, "there is no session bus, so no keyring can be reached (\(detail))",
        hint:
          "log in to the desktop or by SSH, or run 'loginctl enable-linger' once; 'oauthctl doctor' looks closer")
    case .noService(let detail):
      self.init(
        .keyringUnavailable, "no keyring service runs on the session bus (\(detail))",
        hint: "run 'oauthctl unlock': it starts gnome-keyring-daemon")
    case .noCollection:
      self.init(
        .keyringUnavailable, "the keyring is empty: it has no default collection yet",
        hint: "run 'oauthctl unlock' to make one, then try again")
    case .locked:
      self.init(
        .keyringLocked, "the keyring is locked",
        hint: "run 'oauthctl unlock', then try again")
    case .itemLocked:
      self.init(
        .keyringLocked, "the keyring service keeps this item from oauthctl until somebody allows it",
        hint:
          "allow it in its window, or turn its confirmation of access off there (KeePassXC: Settings, Secret Service "
          + "Integration)")
    case .otherKeyringLocked(let label):
      self.init(
        .keyringLocked,
        "it is in another keyring, '\(PrintableText.printable(label, limit: 60))', and that one is locked",
        hint: "unlock that one (in Passwords and Keys), or log in again: 'oauthctl login' stores in the default one")
    case .unlockDismissed:
      self.init(
        .keyringLocked, "the keyring is locked: unlock was dismissed",
        hint: "try again and give the keyring's password")
    case .timedOut(let seconds):
      self.init(
        .keyringUnavailable, "the keyring service did not answer within \(seconds) s",
        hint: "it may be waiting for a password elsewhere; look for a dialog, or restart the service")
    case .failed(let detail):
      self.init(
        .keyringUnavailable, "the keyring service refused: \(PrintableText.printable(detail, limit: 300))",
        hint: "see what the service itself says: journalctl --user -n 50")
    }
  }

  private init(unlock error: UnlockError) {
    switch error {
    case .wrongPassword:
      self.init(
        .keyringLocked, "the keyring's password is wrong",
        hint:
          "nothing was changed; it is usually your login password, or the one that you had when the keyring was made")
    case .onlyInItsWindow:
      self.init(
        .keyringLocked, "this keyring service can only be unlocked in its own window",
        hint: "open that program, unlock its database there, then try again")
    case .noDaemon:
      self.init(
        .keyringUnavailable, "no keyring service runs on the session bus, and gnome-keyring-daemon is not installed",
        hint: "install it (Debian: gnome-keyring)")
    case .store(let error): self.init(store: error)
    }
  }

  private init(lock error: LockError) {
    switch error {
    case .busy(let holder, let seconds):
      self.init(
        .temporary,
        "another oauthctl\(holder.map { " (pid \($0))" } ?? "") has been busy with this account for \(seconds) s",
        hint: "try again later")
    case .unusable(let path, let reason):
      self.init(
        .configuration, "the lock \(path) cannot be used: \(reason)",
        hint: "make its folder yours alone (chmod 700) and writable; 'oauthctl doctor' says what is wrong with it")
    }
  }

  private init(listener error: ListenerError) {
    switch error {
    case .portsInUse(let ports, let holder):
      self.init(
        .portInUse,
        "port \(ports.map(String.init).joined(separator: ", ")) is in use\(holder.map { " by \($0)" } ?? "")",
        hint: "end that program, or choose another registered port with --port")
    case .unavailable(let address, let reason):
      self.init(
        .portInUse, "cannot listen on \(address): \(reason)", hint: "choose another address with --redirect-uri")
    }
  }

  private init(browser error: BrowserError) {
    self.init(
      .browserUnavailable, error.sentence, hint: "name one with --browser, or open the page yourself with --no-browser")
  }
}
