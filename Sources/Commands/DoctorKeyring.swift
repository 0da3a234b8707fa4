internal import CLI
internal import Flows
internal import Host
internal import Keyring
internal import OAuth

/// The way to the keyring, and the keyring.
enum DoctorKeyring {
  static let checks = [
    Check("session-bus", "whether there is a session bus, and where", run: bus),
    Check("secret-service", "which program keeps secrets there", needs: "session-bus", run: service),
    Check("keyring", "whether it has a default collection", needs: "secret-service", run: collection),
    Check("keyring-unlocked", "whether that is unlocked", needs: "keyring", run: unlocked),
    Check(
      "keyring-writable", "whether an item can be stored, read back and removed", needs: "keyring-unlocked",
      run: writable),
    Check(
      "keyring-doubles", "whether a login is stored more than once", needs: "keyring-unlocked", run: doubles),
  ]

  /// What GNOME's keyring is called, where a remedy names it.
  private static let daemon = "gnome-keyring-daemon"

  private static func bus(_ examination: Examination) async throws -> [Finding] {
    let bus: KeyringReport.Bus
    do {
      bus = try await examination.keyring.value.bus.get()
    } catch let error as StoreError {
      return [DoctorBus.finding(error, examination.machine)]
    } catch {
      return [.fail(error)]
    }
    let source =
      switch bus.source {
      case .variable: "DBUS_SESSION_BUS_ADDRESS"
      case .runtimeFolder: "XDG_RUNTIME_DIR"
      case .userFolder: "the usual place"
      }
    return [.ok("it answers at \(bus.address) (\(source))")]
  }

  private static func service(_ examination: Examination) async throws -> [Finding] {
    guard let service = try await examination.keyring.value.service else { return [unreached] }
    do {
      let service = try service.get()
      let pid = service.pid.map { " (pid \($0))" } ?? ""
      return [.ok("\(name(service))\(pid) keeps secrets\(service.wasRunning ? "" : "; the bus has just started it")")]
    } catch StoreError.noService(let detail) {
      let isInstalled = examination.machine.hasProgram(daemon)
      return [
        .fail(
          .keyringUnavailable, "no program on the session bus keeps secrets (\(detail))",
          remedy: isInstalled ? "oauthctl unlock" : "apt-get install gnome-keyring, as root, then oauthctl unlock")
      ]
    } catch {
      return [.fail(error)]
    }
  }

  private static func collection(_ examination: Examination) async throws -> [Finding] {
    let report = try await examination.keyring.value
    do {
      guard let collection = try report.collection?.get() else {
        return [
          .fail(
            .keyringUnavailable, "\(program(report)) has no default collection yet",
            remedy: unlocksHere(report)
              ? "oauthctl unlock, which makes one" : "make one named Login in \(program(report))'s own window")
        ]
      }
      return [.ok("the default collection is '\(collection.label)'")]
    } catch {
      return [.fail(error)]
    }
  }

  private static func unlocked(_ examination: Examination) async throws -> [Finding] {
    let report = try await examination.keyring.value
    guard let collection = try report.collection?.get() else { return [unreached] }
    guard collection.isLocked else { return [.ok("it is unlocked")] }
    let remedy = unlocksHere(report) ? "oauthctl unlock" : "unlock it in \(program(report))'s own window"
    return [.fail(.keyringLocked, "'\(collection.label)' is locked", remedy: remedy)]
  }

  private static func writable(_ examination: Examination) async throws -> [Finding] {
    let report = try await examination.keyring.value
    switch report.writing {
    case .works: return [.ok("an item was stored, read back and removed")]
    case .failed(let error): return [unwritable(error, examination.machine)]
    case .notTried(.leavesTraces): return [.skip("\(program(report)) asks before it removes an item, or keeps it")]
    case .notTried: return [unreached]
    }
  }

  /// The service tells little of why it stores nothing; its disk tells more.
  private static func unwritable(_ error: StoreError, _ machine: Machine) -> Finding {
    let folder = machine.paths.keyringsDirectory
    let word = ShellWord.posix(folder)
    let message = Failure(error).message
    return switch machine.space(folder) {
    case .some: .fail(error)
    case .full:
      .fail(
        .keyringUnavailable, "nothing can be stored, for the disk of \(folder) is full (\(message))",
        remedy: "make room: df -h \(word), and df -i")
    case .readOnly:
      .fail(
        .keyringUnavailable, "nothing can be stored, for the file system of \(folder) is read-only (\(message))",
        remedy: "see why: findmnt -T \(word); then mount -o remount,rw, as root")
    }
  }

  private static func doubles(_ examination: Examination) async throws -> [Finding] {
    let report = try await examination.keyring.value
    do {
      guard let doubles = try report.doubles?.get() else { return [unreached] }
      guard !doubles.isEmpty else { return [.ok("each login is stored once")] }
      return doubles.map { double in
        switch double.key.kind {
        case .session:
          let account = Account(provider: double.key.provider, name: double.key.name)
          return .warn(
            "\(account) is stored \(double.count) times; the newest counts", remedy: "oauthctl refresh \(account)")
        case .client:
          return .warn(
            "the client \(double.key.name) of \(double.key.provider) is stored \(double.count) times; the newest counts",
            remedy: "oauthctl login \(double.key.provider)")
        case .login:
          return .warn(
            "the begun login \(double.key.name) is stored \(double.count) times; it ends by itself",
            remedy: "oauthctl login \(double.key.provider)")
        case .keys:
          return .warn(
            "the signing keys of \(double.key.provider) are stored \(double.count) times; the newest count",
            remedy: "oauthctl login \(double.key.provider)")
        }
      }
    } catch {
      return [.fail(error)]
    }
  }

  private static let unreached = Finding.skip("the keyring was not reached")

  private static func unlocksHere(_ report: KeyringReport) -> Bool {
    (try? report.service?.get())?.unlocksWithoutPrompt == true
  }

  private static func program(_ report: KeyringReport) -> String {
    (try? report.service?.get()).map { name($0) } ?? "the keyring service"
  }

  private static func name(_ service: KeyringReport.Service) -> String {
    service.program?.split(separator: "/").last.map(String.init) ?? "a program"
  }
}

extension KeyringReport {
  /// Whether items can be read now, without anybody being asked.
  var isReadable: Bool {
    if case .success(let found?)? = collection { !found.isLocked } else { false }
  }
}
