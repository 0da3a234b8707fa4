internal import Flows
internal import FoundationEssentials
internal import OAuth

/// What a server of one of the user's accounts answered to a question that carries nothing.
struct HostReply: Sendable {
  /// The scheme, host and port.
  var origin: String
  var outcome: Outcome

  enum Outcome: Sendable {
    /// It answered; its clock minus ours, in seconds, where it told its own.
    case answered(skew: Double?)
    case failed(Failure)
  }

  /// As many as a person would notice, and a server not mind.
  static let most = 3
  /// What one may take.
  private static let limit = Duration.seconds(5)

  /// The servers to ask: those of the accounts' issuers or token endpoints, each once, in the accounts' order.
  static func hosts(of sessions: [Session]) -> [String] {
    var hosts: [String] = []
    for session in sessions {
      guard let url = session.provider.endpoints?.token ?? session.provider.issuer, let parsed = WebURL(url) else {
        continue
      }
      let origin = "\(parsed.scheme)://\(parsed.host)\(parsed.port.map { ":\($0)" } ?? "")"
      if !hosts.contains(origin) { hosts.append(origin) }
    }
    return Array(hosts.prefix(most))
  }

  /// Asks all of them at once.
  static func ask(
    _ origins: [String], _ makeHTTP: @escaping @Sendable () throws -> any HTTPClient, _ time: any TimeSource
  ) async throws -> [HostReply] {
    guard !origins.isEmpty else { return [] }
    let http: any HTTPClient
    do {
      http = try makeHTTP()
    } catch {
      let failure = Failure(error)
      return origins.map { HostReply(origin: $0, outcome: .failed(failure)) }
    }
    return try await withThrowingTaskGroup(of: (Int, HostReply).self) { group in
      for (index, origin) in origins.enumerated() {
        group.addTask { (index, HostReply(origin: origin, outcome: try await ask(origin, http, time))) }
      }
      var replies: [(Int, HostReply)] = []
      for try await reply in group { replies.append(reply) }
      return replies.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private static func ask(_ origin: String, _ http: any HTTPClient, _ time: any TimeSource) async throws -> Outcome {
    let request = HTTPRequest(method: .head, url: origin + "/", headers: [HTTPHeader("Accept", "application/json")])
    do {
      let (response, at) = try await Deadline(time, limit).bound { (try await http.send(request), time.now) }
      // A Date is of the second that had begun.
      let date = response.header("Date").flatMap(HTTPDate.parse)
      return .answered(skew: date.map { $0.timeIntervalSince(at) + 0.5 })
    } catch is Deadline.Passed {
      return .failed(
        Failure(.temporary, "no answer within \(limit.components.seconds) s", hint: "check the network and the proxy"))
    } catch {
      try Task.checkCancellation()
      return .failed(Failure(error))
    }
  }
}
