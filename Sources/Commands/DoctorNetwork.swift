internal import Flows
internal import FoundationEssentials
internal import Host
internal import OAuth

/// The way to the servers: libraries, authorities, proxy, hosts, clock.
enum DoctorNetwork {
  static let checks = [
    Check("libraries", "whether libcurl and libcrypto can be loaded", look: libraries),
    Check("certificates", "which certificate authorities are trusted", needs: "libraries", look: certificates),
    Check("proxy", "which proxy is used, and whether its address can be read", needs: "libraries", look: proxy),
    Check(
      "network", "whether the servers of up to \(HostReply.most) accounts answer", needs: "certificates", run: network),
    Check("clock", "whether this clock agrees with theirs", needs: "network", run: clock),
  ]

  private static func libraries(_ machine: Machine) -> [Finding] {
    // libcurl needs libcrypto, and would be blamed for it.
    do {
      _ = try machine.random(1)
    } catch {
      return [.fail(.configuration, Failure(error).message, remedy: "apt-get install libssl3, as root")]
    }
    if let problem = machine.curlProblem() {
      return [.fail(.configuration, problem, remedy: "apt-get install libcurl4, as root")]
    }
    return [.ok("libcurl and libcrypto are there")]
  }

  private static func certificates(_ machine: Machine) -> [Finding] {
    do {
      return switch try machine.trust() {
      case .variable(let file): [.ok("those in \(file) are trusted (SSL_CERT_FILE)")]
      case .builtIn(let file), .usual(let file): [.ok("those in \(file) are trusted")]
      case nil:
        [.fail(.configuration, "no certificate authority is trusted", remedy: "apt-get install ca-certificates")]
      }
    } catch let error as FileError {
      let file = machine.variables["SSL_CERT_FILE"] ?? ""
      let isVariable = !file.isEmpty && error.reason.hasPrefix(file + ":")
      return [
        .fail(
          error, remedy: isVariable ? "unset SSL_CERT_FILE, or let it name a PEM file" : "name a PEM file with --cacert"
        )
      ]
    } catch {
      return [.fail(error)]
    }
  }

  private static func proxy(_ machine: Machine) throws -> [Finding] {
    switch try machine.proxy() {
    case .none: return [.ok("none is used")]
    case .malformed(let variable, let reason):
      return [
        .fail(
          .configuration, "\(variable) cannot be used: \(reason)",
          remedy: "unset \(variable), or set it as \(variable)=http://HOST:PORT")
      ]
    case .used(let variable, let proxy, "*"?):
      return [.ok("nothing goes through \(proxy) (\(variable)): NO_PROXY is *, which exempts every host")]
    case .used(let variable, let proxy, let exceptions):
      let but = exceptions.map { "loopback and \($0)" } ?? "loopback"
      return [.ok("\(proxy) is used (\(variable)), but not for \(but)")]
    }
  }

  private static func network(_ examination: Examination) async throws -> [Finding] {
    guard !examination.isOffline else { return [.skip("--offline")] }
    guard try await examination.keyring.value.isReadable else { return [.skip("the accounts cannot be read")] }
    let replies: [HostReply]
    do {
      replies = try await examination.replies.value
    } catch is StoreError {
      return [.skip("the accounts cannot be read")]
    }
    guard !replies.isEmpty else { return [.skip("no account is logged in, so there is no server to ask")] }
    let failures = replies.compactMap { reply in
      if case .failed(let failure) = reply.outcome { (reply.origin, failure) } else { nil }
    }
    guard !failures.isEmpty else { return [.ok("\(replies.map(\.origin).joined(separator: ", ")) answered")] }
    return failures.map { origin, failure in
      let message = "\(origin): \(failure.message)"
      let remedy = failure.hint ?? "see more with 'oauthctl doctor --verbose'"
      // Where another one answers, the network is there.
      return failures.count < replies.count
        ? .warn(message, remedy: remedy) : .fail(failure.kind, message, remedy: remedy)
    }
  }

  /// How far a clock may be off, in seconds: an ID token's times are allowed one minute.
  private static let tolerance = 60.0
  private static let limit = 300.0

  private static func clock(_ examination: Examination) async throws -> [Finding] {
    let skews = try await examination.replies.value.compactMap { reply -> Double? in
      if case .answered(let skew) = reply.outcome { skew } else { nil }
    }
    // The one that agrees most with this machine: where only some are off, the fault is theirs.
    guard let skew = skews.min(by: { abs($0) < abs($1) }) else { return [.skip("no server told its time")] }
    guard abs(skew) > tolerance else { return [.ok("this clock agrees with the servers'")] }
    let message = "this clock is \(span(abs(skew))) \(skew < 0 ? "ahead of" : "behind") the servers'"
    let remedy = "timedatectl set-ntp true, as root"
    return [abs(skew) > limit ? .fail(.configuration, message, remedy: remedy) : .warn(message, remedy: remedy)]
  }

  private static func span(_ seconds: Double) -> String {
    let text = Relative.text(seconds)
    return String(text.dropFirst("in ".count))
  }
}
