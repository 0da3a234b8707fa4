import Crypto
import Foundation
import Host
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows
@testable import Keyring

/// One thing that is wrong, and what is said of it.
struct BrokenSetUp: CustomTestStringConvertible, Sendable {
  let id: String
  let check: String
  let result: Finding.Result
  let code: Int32
  let words: String
  let remedy: String
  let breakIt: @Sendable (inout Machine) throws -> Void

  var testDescription: String { id }

  init(
    _ id: String, _ check: String, fails code: Int32, _ words: String, _ remedy: String,
    _ breakIt: @escaping @Sendable (inout Machine) throws -> Void
  ) {
    (self.id, self.check, self.code, self.words, self.remedy) = (id, check, code, words, remedy)
    (self.result, self.breakIt) = (.fail, breakIt)
  }

  init(
    _ id: String, _ check: String, warns words: String, _ remedy: String,
    _ breakIt: @escaping @Sendable (inout Machine) throws -> Void
  ) {
    (self.id, self.check, self.words, self.remedy) = (id, check, words, remedy)
    (self.result, self.code, self.breakIt) = (.warn, 0, breakIt)
  }

  static let all = keyring + accounts + desktop + network + folders + system

  private static func reporting(
    _ change: @escaping @Sendable (inout KeyringReport) -> Void
  ) -> @Sendable (inout Machine) -> Void {
    { machine in machine.inspectKeyring = { _ in DoctorStory.report(change) } }
  }

  static let keyring: [BrokenSetUp] = [
    BrokenSetUp(
      "no bus", "session-bus", fails: 69, "no session bus", "DBUS_SESSION_BUS_ADDRESS",
      reporting { $0 = KeyringReport(bus: .failure(.noBus(detail: "none")), writing: .notTried(.noOpenCollection)) }),
    BrokenSetUp(
      "no service, not installed", "secret-service", fails: 69, "no program", "apt-get install gnome-keyring"
    ) { machine in
      machine.hasProgram = { _ in false }
      reporting { ($0.service, $0.collection, $0.doubles) = (.failure(.noService(detail: "none")), nil, nil) }(&machine)
    },
    BrokenSetUp(
      "no service", "secret-service", fails: 69, "no program", "oauthctl unlock",
      reporting { ($0.service, $0.collection, $0.doubles) = (.failure(.noService(detail: "none")), nil, nil) }),
    BrokenSetUp(
      "a service that is stuck", "secret-service", fails: 69, "did not answer within 4 s", "restart the service",
      reporting { ($0.service, $0.collection, $0.doubles) = (.failure(.timedOut(seconds: 4)), nil, nil) }),
    BrokenSetUp(
      "no collection", "keyring", fails: 69, "no default collection", "oauthctl unlock",
      reporting { $0.collection = .success(nil) }),
    BrokenSetUp(
      "no collection, another service", "keyring", fails: 69, "no default collection", "own window",
      reporting { ($0.service, $0.collection) = (.success(DoctorStory.service(unlocks: false)), .success(nil)) }),
    BrokenSetUp(
      "locked", "keyring-unlocked", fails: 69, "'Login' is locked", "oauthctl unlock",
      reporting { $0.collection = .success(.init(label: "Login", isLocked: true)) }),
    BrokenSetUp(
      "locked, another service", "keyring-unlocked", fails: 69, "is locked", "own window",
      reporting {
        $0.service = .success(DoctorStory.service(unlocks: false))
        $0.collection = .success(.init(label: "Login", isLocked: true))
      }),
    BrokenSetUp(
      "not writable", "keyring-writable", fails: 69, "disk full", "journalctl --user",
      reporting { $0.writing = .failed(.failed(detail: "disk full")) }),
    BrokenSetUp(
      "doubles", "keyring-doubles", warns: "acme/work is stored 3 times", "oauthctl refresh acme/work",
      reporting { $0.doubles = .success([.init(key: Sample.key, count: 3)]) }),
  ]

  private static func storing(
    _ change: @escaping @Sendable (inout Session) -> Void
  ) -> @Sendable (inout Machine) throws -> Void {
    { machine in machine.store = try MemoryStore(Sample.session(change)) }
  }

  static let accounts: [BrokenSetUp] = [
    BrokenSetUp(
      "refused", "accounts", warns: "acme/work: the server refused", "oauthctl login acme/work",
      storing { $0.refused = RefusedGrant(fingerprint: Secret("refresh-1").fingerprint, at: Sample.now) }),
    BrokenSetUp(
      "interrupted", "accounts", warns: "5m ago had no clear end", "oauthctl login acme/work",
      storing {
        $0.pendingRefresh = PendingRefresh(
          fingerprint: Secret("refresh-1").fingerprint, startedAt: Sample.now.addingTimeInterval(-300))
      }),
    BrokenSetUp(
      "near its end", "accounts", warns: "its refresh token ends in 47h", "oauthctl login acme/work",
      storing { $0.tokens.refreshExpiresAt = Sample.now.addingTimeInterval(47.5 * 3600) }),
    BrokenSetUp(
      "ended", "accounts", warns: "its refresh token ended 3m ago", "oauthctl login acme/work",
      storing { $0.tokens.refreshExpiresAt = Sample.now.addingTimeInterval(-200) }),
    BrokenSetUp(
      "expired without refresh", "accounts", warns: "no refresh token", "oauthctl login acme/work",
      storing { ($0.tokens.expiresAt, $0.tokens.refreshToken) = (Sample.now.addingTimeInterval(-1), nil) }),
    BrokenSetUp("unreadable", "accounts", warns: "acme/work cannot be read", "oauthctl login acme/work") { machine in
      let store = MemoryStore()
      store.items[Sample.key] = Secret("rubbish")
      machine.store = store
    },
    BrokenSetUp("newer", "accounts", warns: "newer oauthctl", "upgrade oauthctl") { machine in
      let store = MemoryStore()
      store.items[Sample.key] = Secret(#"{"version":99}"#)
      machine.store = store
    },
  ]

  static let desktop: [BrokenSetUp] = [
    BrokenSetUp("no display", "browser", warns: "there is no display", "--no-browser") {
      $0.browser = { throw BrowserError.noDisplay(reason: "there is no display") }
    },
    BrokenSetUp("no browser", "browser", warns: "tried xdg-open", "--no-browser") {
      $0.browser = { throw BrowserError.notFound(tried: ["xdg-open"]) }
    },
    BrokenSetUp("no IPv4", "loopback-ipv4", fails: 69, "there is no 127.0.0.1", "ip link set lo up") {
      $0.loopback = { $0 == .v4 ? .absent(reason: "cannot assign requested address") : .works }
    },
    BrokenSetUp("no IPv6", "loopback-ipv6", warns: "there is no [::1]", "disable_ipv6=0") {
      $0.loopback = { $0 == .v6 ? .absent(reason: "address family not supported by protocol") : .works }
    },
    BrokenSetUp("a firewall on loopback", "loopback-ipv6", fails: 69, "connecting: connection timed out", "firewall") {
      $0.loopback = { $0 == .v6 ? .broken(reason: "connecting: connection timed out") : .works }
    },
  ]

  private static func answering(_ reply: FakeHosts.Reply) -> @Sendable (inout Machine) -> Void {
    { machine in machine.makeHTTP = { FakeHosts(["https://id.acme.example": reply]) } }
  }

  static let network: [BrokenSetUp] = [
    BrokenSetUp("no libcurl", "libraries", fails: 78, "libcurl.so.4", "apt-get install libcurl4") {
      $0.curlProblem = { "libcurl.so.4 cannot be loaded" }
    },
    BrokenSetUp("no libcrypto", "libraries", fails: 78, "libcrypto.so.3", "apt-get install libssl3") {
      $0.random = { _ in throw RandomnessError(reason: "libcrypto.so.3 cannot be loaded") }
    },
    BrokenSetUp("SSL_CERT_FILE missing", "certificates", fails: 78, "/no.pem: no such file", "unset SSL_CERT_FILE") {
      $0.variables["SSL_CERT_FILE"] = "/no.pem"
      $0.trust = { throw FileError.notFound(path: "/no.pem") }
    },
    BrokenSetUp("--cacert missing", "certificates", fails: 78, "/ca.pem: no such file", "--cacert") {
      $0.trust = { throw FileError.notFound(path: "/ca.pem") }
    },
    BrokenSetUp("no authorities", "certificates", fails: 78, "no certificate authority", "install ca-certificates") {
      $0.trust = { nil }
    },
    BrokenSetUp("a bad proxy", "proxy", fails: 78, "HTTPS_PROXY cannot be used: it is not a URL", "unset HTTPS_PROXY") {
      $0.proxy = { .malformed(variable: "HTTPS_PROXY", reason: "it is not a URL") }
    },
    BrokenSetUp(
      "no network", "network", fails: 75, "https://id.acme.example: cannot connect", "check the network",
      answering(.failure(.unreachable()))),
    BrokenSetUp("no client", "network", fails: 78, "x.pem: no such file", "--verbose") {
      $0.makeHTTP = { throw FileError.notFound(path: "x.pem") }
    },
    BrokenSetUp(
      "a clock that is slow", "clock", warns: "this clock is 89s behind", "timedatectl set-ntp true",
      answering(.success(.telling(Sample.now.addingTimeInterval(89))))),
    BrokenSetUp(
      "a clock a day ahead", "clock", fails: 78, "this clock is 23h ahead of", "timedatectl set-ntp true",
      answering(.success(.telling(Sample.now.addingTimeInterval(-86400))))),
  ]

  private static func folder(_ status: FolderStatus) -> @Sendable (inout Machine) -> Void {
    { $0.folder = { $0 == status.path ? status : FolderStatus(path: $0, owner: DoctorStory.user, mode: 0o700) } }
  }

  /// Gives the machine a provider file, which is there for as long as the machine is.
  private static func configure(_ machine: inout Machine, _ file: String) throws {
    let folder = try TestFolder()
    try folder.write(file, to: "oauthctl/providers/acme.json")
    machine.paths = Paths(environment: ["XDG_CONFIG_HOME": folder.path, "XDG_RUNTIME_DIR": "/run/user/1000"])
    machine.userName = { _ in withExtendedLifetime(folder) { "ada" } }
  }

  static let folders: [BrokenSetUp] = [
    BrokenSetUp(
      "root's folder", "configuration", fails: 78, "belongs to root, not to ada (sudo may have made it)",
      "sudo chown -R ada: /home/ada/.config/oauthctl",
      folder(FolderStatus(path: DoctorStory.folder, owner: 0, mode: 0o700))),
    BrokenSetUp(
      "another's providers", "configuration", fails: 78, "belongs to user7", "sudo chown -R ada:",
      folder(FolderStatus(path: DoctorStory.folder + "/providers", owner: 7, mode: 0o755))),
    BrokenSetUp(
      "a folder for all", "configuration", fails: 78, "all users can change", "chmod -R go-w",
      folder(FolderStatus(path: DoctorStory.folder, owner: DoctorStory.user, mode: 0o777))),
    BrokenSetUp(
      "a folder for a group", "configuration", warns: "the group can change", "chmod -R go-w",
      folder(FolderStatus(path: DoctorStory.folder, owner: DoctorStory.user, mode: 0o775))),
    BrokenSetUp(
      "a file in the folder's place", "configuration", fails: 78, "is not a folder", "mv ",
      folder(FolderStatus(path: DoctorStory.folder, isFolder: false, owner: DoctorStory.user, mode: 0o600))),
    BrokenSetUp(
      "a closed folder", "configuration", fails: 78, "cannot be read", "chmod u+rwx",
      folder(FolderStatus(path: DoctorStory.folder, owner: DoctorStory.user, mode: 0, isAccessible: false))),
    BrokenSetUp("a folder that cannot be looked at", "configuration", fails: 78, "permission denied", "namei -l") {
      $0.folder = { path in
        guard path != DoctorStory.folder else { throw FileError.unreadable(path: path, reason: "permission denied") }
        return nil
      }
    },
    BrokenSetUp("root's parent folder", "configuration", warns: "/home/ada/.config belongs to root", "sudo chown ada:")
    {
      $0.folder = { $0 == "/home/ada/.config" ? FolderStatus(path: $0, owner: 0, mode: 0o755) : nil }
    },
    BrokenSetUp("a broken provider file", "provider-files", fails: 78, "acme.json:1:", "correct the file") {
      try configure(&$0, "{]")
    },
    BrokenSetUp("a secret in a provider file", "provider-files", warns: "headers.X-Api-Key", "chmod 600") {
      try configure(&$0, #"{"name":"acme","headers":{"X-Api-Key":"hush"}}"#)
    },
    BrokenSetUp("a lock folder for all", "lock-folder", fails: 78, "other users have access", "chmod -R u+rwX,go=") {
      $0.takeLock = { _ in
        throw LockError.unusable(path: DoctorStory.lockFolder, reason: "other users have access to it")
      }
    },
    BrokenSetUp("another's lock folder", "lock-folder", fails: 78, "another user", "sudo chown -R ada:") {
      $0.takeLock = { _ in throw LockError.unusable(path: DoctorStory.lockFolder, reason: "it belongs to another user")
      }
      folder(FolderStatus(path: DoctorStory.lockFolder, owner: 0, mode: 0o700))(&$0)
    },
    BrokenSetUp(
      "another's runtime folder", "lock-folder", warns: "in a folder of user7", "unset XDG_RUNTIME_DIR",
      folder(FolderStatus(path: "/run/user/1000", owner: 7, mode: 0o700))),
    BrokenSetUp("another's closed runtime folder", "lock-folder", fails: 78, "permission", "unset XDG_RUNTIME_DIR") {
      $0.takeLock = { _ in throw LockError.unusable(path: DoctorStory.lockFolder, reason: "permission denied") }
      folder(FolderStatus(path: "/run/user/1000", owner: 7, mode: 0o700))(&$0)
    },
    BrokenSetUp("a read-only runtime folder", "lock-folder", fails: 78, "read-only", "XDG_RUNTIME_DIR") {
      $0.takeLock = { _ in throw LockError.unusable(path: DoctorStory.lockFolder, reason: "read-only file system") }
      $0.space = { _ in .readOnly }
    },
    BrokenSetUp("a full disk", "lock-folder", fails: 78, "no space left", "df -h") {
      $0.takeLock = { _ in throw LockError.unusable(path: DoctorStory.lockFolder, reason: "no space left on device") }
      $0.space = { _ in .full }
    },
    BrokenSetUp("a disk that is full and takes locks", "lock-folder", warns: "is full", "df -h") {
      $0.space = { _ in .full }
    },
    BrokenSetUp("no runtime folder", "lock-folder", warns: "there is no XDG_RUNTIME_DIR", "loginctl enable-linger") {
      $0.variables["XDG_RUNTIME_DIR"] = nil
      $0.paths = Paths(environment: ["HOME": "/home/ada"], uid: 4_000_000)
    },
  ]

  static let system: [BrokenSetUp] = [
    BrokenSetUp("no timer", "timer", warns: "neither systemd", "apt-get install cron") {
      $0.timers = { TimerSupport(hasUserManager: false, lingers: false, hasCron: false) }
    },
    BrokenSetUp("no linger", "timer", warns: "only while you are logged in", "loginctl enable-linger ada") {
      $0.timers = { TimerSupport(hasUserManager: true, lingers: false, hasCron: true) }
    },
    BrokenSetUp("cron alone", "timer", warns: "cron runs here", "loginctl enable-linger ada") {
      $0.timers = { TimerSupport(hasUserManager: false, lingers: false, hasCron: true) }
    },
    BrokenSetUp("not hardened", "process", warns: "core file", "sandbox") {
      $0.gaps = { ["it may leave a core file"] }
    },
  ]
}

struct DoctorBrokenTests {
  @Test(arguments: BrokenSetUp.all) func `what is wrong is named, with what helps`(_ setUp: BrokenSetUp) async throws {
    let found = try await DoctorStory.examine(try DoctorStory.machine(setUp.breakIt))
    let bad = found[setUp.check].first
    #expect(bad?.result == setUp.result && bad?.exitCode == setUp.code)
    #expect(bad?.message.contains(setUp.words) == true, "\(bad?.message ?? "nothing")")
    #expect(bad?.remedy?.contains(setUp.remedy) == true, "\(bad?.remedy ?? "nothing")")
    // Nothing else is: what needs this is not looked at, and all the rest is well.
    #expect(found.checks(.fail) + found.checks(.warn) == [setUp.check])
    #expect(Set(found.map(\.check)) == Set(DoctorCommand.checks.map(\.name)))
  }

  @Test func `each check is broken once, and none is broken that there is not`() {
    #expect(Set(BrokenSetUp.all.map(\.check)) == Set(DoctorCommand.checks.map(\.name)))
    #expect(Set(BrokenSetUp.all.map(\.id)).count == BrokenSetUp.all.count)
  }
}
