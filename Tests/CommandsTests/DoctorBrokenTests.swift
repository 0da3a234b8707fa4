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
      "a stopped bus", "session-bus", fails: 69, "the bus at /run/user/1000/bus did not answer within 4 s",
      "pgrep -a dbus",
      reporting { $0 = KeyringReport(bus: .failure(.timedOut(seconds: 4)), writing: .notTried(.noOpenCollection)) }),
    BrokenSetUp(
      "another's bus", "session-bus", fails: 69, "the bus at unix:path=/x does not let this user in",
      "unset it, or log in as ada"
    ) { machine in
      machine.variables["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/x"
      reporting {
        $0 = KeyringReport(
          bus: .failure(.noBus(detail: "Could not connect: Permission denied")), writing: .notTried(.noOpenCollection))
      }(&machine)
    },
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
      "a full disk under the keyring", "keyring-writable", fails: 69,
      "the disk of /home/ada/.local/share/keyrings is full",
      "df -h /home/ada/.local/share/keyrings"
    ) { machine in
      machine.space = { $0.hasSuffix("/keyrings") ? .full : .some }
      reporting { $0.writing = .failed(.failed(detail: "couldn't create")) }(&machine)
    },
    BrokenSetUp(
      "a read-only disk under the keyring", "keyring-writable", fails: 69, "is read-only (the keyring", "findmnt -T"
    ) { machine in
      machine.space = { $0.hasSuffix("/keyrings") ? .readOnly : .some }
      reporting { $0.writing = .failed(.timedOut(seconds: 4)) }(&machine)
    },
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
    BrokenSetUp("no display", "browser", warns: "no browser can be opened here: there is no", "--no-browser") {
      $0.browser = { throw BrowserError.noDisplay(reason: "there is no display") }
    },
    BrokenSetUp("no browser", "browser", warns: "looked for xdg-open", "--no-browser") {
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
