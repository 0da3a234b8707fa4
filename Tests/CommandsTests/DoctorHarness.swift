import Crypto
import Flows
import Foundation
import Host
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Keyring

/// A healthy machine, and ways to break it.
enum DoctorStory {
  static let user: UInt32 = 1000
  static let folder = "/home/ada/.config/oauthctl"
  static let lockFolder = "/run/user/1000/oauthctl"

  static func report(_ change: (inout KeyringReport) -> Void = { _ in }) -> KeyringReport {
    var report = KeyringReport(
      bus: .success(.init(source: .variable, address: "unix:path=/run/user/1000/bus")),
      service: .success(service()), collection: .success(.init(label: "Login", isLocked: false)), writing: .works,
      doubles: .success([]))
    change(&report)
    return report
  }

  static func service(unlocks: Bool = true) -> KeyringReport.Service {
    .init(pid: 7, program: "/usr/bin/gnome-keyring-daemon", wasRunning: true, unlocksWithoutPrompt: unlocks)
  }

  /// A machine on which all is well, with one login, whose server's clock agrees.
  static func machine(_ change: (inout Machine) throws -> Void = { _ in }) throws -> Machine {
    let paths = Paths(
      environment: ["HOME": "/home/ada", "XDG_RUNTIME_DIR": "/run/user/1000"], uid: user)
    let store = try MemoryStore(Sample.session())
    var machine = Machine(
      variables: ["XDG_RUNTIME_DIR": "/run/user/1000"], paths: paths, time: FakeTime(holdsSleeps: true),
      inspectKeyring: { _ in report() }, store: store, hasProgram: { _ in true }, takeLock: { _ in },
      browser: { "/usr/bin/xdg-open" }, loopback: { _ in .works },
      trust: { .builtIn(file: "/etc/ssl/certs/ca-certificates.crt") }, proxy: { .none },
      makeHTTP: { FakeHosts(["https://id.acme.example": .success(.telling(Sample.now))]) }, curlProblem: { nil },
      random: { Sample.random($0) }, folder: { FolderStatus(path: $0, owner: user, mode: 0o700) },
      space: { _ in .some }, user: user, userName: { $0 == 0 ? "root" : $0 == user ? "ada" : "user\($0)" },
      timers: { TimerSupport(hasUserManager: true, lingers: true, hasCron: false) }, gaps: { [] })
    try change(&machine)
    return machine
  }

  /// What all checks find, in their order.
  static func examine(_ machine: Machine, isOffline: Bool = false) async throws -> [Found] {
    let found = Recorder<Found>()
    let examination = Examination(machine, isOffline: isOffline)
    defer { examination.end() }
    try await examination.run(DoctorCommand.checks, within: DoctorCommand.limit) {
      found.add(Found(check: $0.name, finding: $1))
    }
    return found.all
  }

  struct Found: Sendable {
    let check: String
    let finding: Finding
  }
}

extension [DoctorStory.Found] {
  /// The findings of one check.
  subscript(check: String) -> [Finding] { filter { $0.check == check }.map(\.finding) }

  /// The checks with such a result.
  func checks(_ result: Finding.Result) -> [String] { filter { $0.finding.result == result }.map(\.check) }
}

/// Servers by their origin, in any order; each answers a request that carries nothing.
final class FakeHosts: HTTPClient {
  typealias Reply = Result<HTTPResponse, TransportError>
  let asked = Recorder<String>()
  private let replies: [String: Reply]

  init(_ replies: [String: Reply]) { self.replies = replies }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    asked.add(request.url)
    guard request.method == .head, request.body == nil, request.headers.map(\.name) == ["Accept"],
      request.url.hasSuffix("/"), let reply = replies[String(request.url.dropLast())]
    else {
      Issue.record("unexpected request: \(request.method.rawValue) \(request.url)")
      throw UnexpectedUse()
    }
    return try reply.get()
  }
}

extension HTTPResponse {
  /// A refusal that tells the time.
  static func telling(_ date: Date) -> HTTPResponse {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return HTTPResponse(status: 405, headers: [HTTPHeader("date", formatter.string(from: date))])
  }
}

extension TransportError {
  static func unreachable(_ host: String = "id.acme.example") -> TransportError {
    TransportError(kind: .cannotConnect, host: host, message: "refused", mayHaveArrived: false)
  }
}
