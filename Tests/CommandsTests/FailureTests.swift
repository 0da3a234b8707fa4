import CLI
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Crypto
@testable import Flows
@testable import Host

/// Every error of every module, and the exit code that the command line's contract gives it.
struct FailureTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let error: any Error
    let kind: FailureKind

    init(_ kind: FailureKind, _ error: any Error) { (self.error, self.kind) = (error, kind) }

    var testDescription: String { "\(error)" }
  }

  private struct Strange: Error {}

  private static let said = ServerError(status: 400, code: "code", description: "words")
  private static let account = Sample.account

  static let ports: [Row] = [
    Row(.keyringUnavailable, StoreError.noBus(detail: "d")),
    Row(.keyringUnavailable, StoreError.noService(detail: "d")),
    Row(.keyringUnavailable, StoreError.noCollection), Row(.keyringLocked, StoreError.locked),
    Row(.keyringLocked, StoreError.itemLocked),
    Row(.keyringLocked, StoreError.otherKeyringLocked(label: "Other")), Row(.keyringLocked, StoreError.unlockDismissed),
    Row(.keyringUnavailable, StoreError.timedOut(seconds: 5)),
    Row(.keyringLocked, UnlockError.wrongPassword), Row(.keyringLocked, UnlockError.onlyInItsWindow),
    Row(.keyringUnavailable, UnlockError.noDaemon), Row(.keyringLocked, UnlockError.store(.locked)),
    Row(.keyringUnavailable, StoreError.failed(detail: "d")), Row(.temporary, LockError.busy(holder: 7, seconds: 45)),
    Row(.temporary, LockError.busy(holder: nil, seconds: 45)),
    Row(.configuration, LockError.unusable(path: "/p", reason: "r")),
    Row(.portInUse, ListenerError.portsInUse(ports: [80, 81], holder: "h")),
    Row(.portInUse, ListenerError.unavailable(address: "::1", reason: "r")),
    Row(.browserUnavailable, BrowserError.noDisplay(reason: "r")),
    Row(.browserUnavailable, BrowserError.notFound(tried: ["a"])),
    Row(.browserUnavailable, BrowserError.noPrivateWindow(browser: "b")), Row(.interrupted, CancellationError()),
    Row(.temporary, OwnProgram.Failure(reason: "r")), Row(.temporary, OwnProgram.Stuck(process: 1, seconds: 2)),
    Row(.temporary, TerminalError(reason: "r")),
    Row(.bug, RandomnessError(reason: "r")), Row(.bug, Strange()),
  ]

  static let transports: [Row] = [
    (TransportError.Kind.cannotResolve, FailureKind.temporary), (.cannotConnect, .temporary), (.timedOut, .temporary),
    (.tls, .temporary), (.handshake, .temporary), (.broken, .temporary), (.tooLarge, .protocolViolation),
    (.refusedURL, .configuration),
    (.badProxy, .configuration), (.badClientCertificate, .configuration), (.unavailable, .bug),
  ].map { Row($1, TransportError(kind: $0, host: "h", message: "m", mayHaveArrived: false)) }

  static let flows: [Row] = [
    Row(.loginRequired, AccountError.none(account, others: [])),
    Row(.loginRequired, AccountError.none(account, others: [account])),
    Row(.configuration, AccountError.ambiguous(provider: "acme", accounts: [account])),
    Row(.loginRequired, SessionError.unreadable(account)), Row(.configuration, SessionError.newer(account, version: 2)),
    Row(.loginRequired, FlowError.noRefreshToken(account)),
    Row(.loginRequired, FlowError.grantRefused(account, said, interrupted: nil)),
    Row(.loginRequired, FlowError.alreadyRefused(account, RefusedGrant.sample)),
    Row(.configuration, FlowError.targetRefused(account, said)),
    Row(.keyringLocked, FlowError.notMarked(account, .locked)),
    Row(.keyringUnavailable, FlowError.notForgotten(account, .failed(detail: "full"))),
    Row(.keyringLocked, FlowError.stillMarked(account, .locked)),
    Row(.temporary, FlowError.backingOff(account, Backoff(failures: 3, notBefore: Sample.now), seconds: 90)),
    Row(.loginRequired, FlowError.refreshForbidden(account)),
    Row(.keyringLocked, FlowError.tokensNotSaved(account, .locked)),
    Row(.configuration, FlowError.noEndpoint(provider: "acme", endpoint: "token")),
    Row(.configuration, FlowError.noClientSecret(provider: "acme", clientID: "app")),
    Row(.loginRequired, FlowError.unusableBindingKey(provider: "acme", reason: "r")),
    Row(.configuration, FlowError.noProofAlgorithm(provider: "acme", offered: ["RS256"])),
    Row(.configuration, FlowError.noRequestObjects(provider: "acme")),
    Row(.protocolViolation, FlowError.unexpectedTokenType(expected: "DPoP", got: nil, provider: "acme")),
    Row(.temporary, FlowError.loginTimedOut(seconds: 300)),
    Row(.browserUnavailable, FlowError.noWayBack(redirectURI: "https://h")),
    Row(.protocolViolation, FlowError.callback(.incomplete)),
    Row(.protocolViolation, FlowError.callback(.issuerMismatch(expected: "a", got: nil))),
  ]

  static let callbacks: [Row] = [
    ("access_denied", FailureKind.loginRequired), ("login_required", .loginRequired),
    ("consent_required", .loginRequired),
    ("unheard_of", .loginRequired), ("temporarily_unavailable", .temporary), ("server_error", .temporary),
    ("unauthorized_client", .configuration), ("invalid_scope", .configuration), ("invalid_request", .configuration),
    ("unsupported_response_type", .configuration), ("invalid_target", .configuration),
  ].map { Row($1, FlowError.callback(.server(ServerError(code: $0)))) }

  static let protocols: [Row] = [
    Row(.temporary, TokenFailure.transient(said, retryAfter: 5)), Row(.loginRequired, TokenFailure.grantRefused(said)),
    Row(.configuration, TokenFailure.clientRefused(said)),
    Row(.protocolViolation, TokenFailure.notATokenReply(said, reason: "r")),
    Row(.configuration, DiscoveryFailure.notFound(url: "u", status: 404)),
    Row(.protocolViolation, DiscoveryFailure.unreadable(url: "u")),
    Row(.temporary, DiscoveryFailure.transient(said)),
    Row(.protocolViolation, DiscoveryFailure.issuerMismatch(expected: "a", got: "b")),
    Row(.protocolViolation, DiscoveryFailure.badEndpoint(name: "token", url: "http://h")),
    Row(.protocolViolation, JWT.Mismatch(of: .idToken, claim: "aud", expected: "a", got: nil)),
    Row(.configuration, ProviderError.syntax(detail: "d", line: 3)),
    Row(.configuration, ProviderError.unknownKey("k", line: 3, nearest: "key")),
    Row(.configuration, ProviderError.badValue(key: "k", problem: "p", line: nil)),
    Row(.configuration, ProviderError.missingVariable("v", provider: "acme")),
    Row(.configuration, ProviderError.unknownVariable("v", provider: "acme", known: [])),
  ]

  @Test(arguments: ports + transports + flows + callbacks + protocols)
  func `an error has its kind, and words in the house's manner`(_ row: Row) {
    let failure = Failure(row.error, login: "acme/work")
    #expect(failure.kind == row.kind && failure.exitCode == row.kind.exitCode)
    for line in [failure.message] + (failure.hint.map { [$0] } ?? []) {
      #expect(!line.isEmpty && !line.hasSuffix(".") && !line.contains("\n"), "\(line)")
      #expect(line.first?.isUppercase == false, "\(line)")
    }
  }

  @Test(
    arguments: [
      (FailureKind.usage, 64), (.keyringLocked, 69), (.keyringUnavailable, 69), (.browserUnavailable, 69),
      (.portInUse, 69),
      (.bug, 70), (.temporary, 75), (.protocolViolation, 76), (.loginRequired, 77), (.configuration, 78),
      (.interrupted, 130),
    ] as [(FailureKind, Int32)]) func `a kind has the exit code that is documented`(_ kind: FailureKind, _ code: Int32)
  {
    #expect(kind.exitCode == code)
  }

  @Test func `where a login helps the hint is the very command`() {
    for error in [
      TokenFailure.grantRefused(Self.said) as any Error, FlowError.noRefreshToken(Self.account),
      FlowError.alreadyRefused(Self.account, .sample),
      FlowError.grantRefused(Self.account, Self.said, interrupted: nil), AccountError.none(Self.account, others: []),
    ] {
      #expect(Failure(error, login: "acme/work").hint == "run 'oauthctl login acme/work'")
    }
    #expect(Failure(TokenFailure.grantRefused(Self.said)).hint == nil)
  }

  @Test func `five troubles with a keyring have five different messages`() {
    let messages = [StoreError.locked, .itemLocked, .noCollection, .noBus(detail: "d"), .noService(detail: "d")].map {
      Failure($0).message
    }
    #expect(Set(messages).count == 5)
  }

  @Test func `a server's words are cleaned`() {
    let failure = Failure(TokenFailure.grantRefused(ServerError(code: "a\u{1B}[2Jb", description: "c\r\nd\u{202E}")))
    #expect(failure.message == "the server refused: ab: c d")
    #expect(failure.json.plainText.contains(#""error":"ab","error_description":"c d""#))
  }

  @Test func `what the server said goes along`() {
    for error in [
      TokenFailure.grantRefused(Self.said) as any Error, TokenFailure.clientRefused(Self.said),
      FlowError.callback(.server(Self.said)),
    ] {
      #expect(Failure(error).server == Self.said)
    }
    #expect(Failure(TokenFailure.transient(Self.said, retryAfter: 5)).hint == "try again in 5 s")
    let long = "the server wants to be left alone for more than a day"
    #expect(Failure(TokenFailure.transient(Self.said, retryAfter: 1_000_000_000)).hint == long)
    #expect(Failure(Userinfo.Failure.transient(Self.said, retryAfter: 86401)).hint == long)
  }

  @Test func `a target that is refused names the quirk of servers that narrow the refresh token`() {
    let failure = Failure(FlowError.targetRefused(Self.account, ServerError(status: 400, code: "invalid_target")))
    #expect(failure.hint?.contains("oauthctl login acme/work") == true)
    #expect(failure.hint?.contains("resource_on_refresh") == true && failure.message.contains("invalid_target"))
  }

  @Test func `a logout that did not come to its end names both ways out`() {
    let mark = RefusedGrant(fingerprint: "f", at: Sample.now, error: RefusedGrant.revocation)
    let failure = Failure(FlowError.alreadyRefused(Self.account, mark))
    #expect(failure.kind == .loginRequired && !failure.message.contains("oauthctl_"))
    for way in ["oauthctl logout acme/work", "oauthctl login acme/work"] {
      #expect(failure.hint?.contains(way) == true)
    }
  }
}

extension RefusedGrant {
  static let sample = RefusedGrant(fingerprint: "f", at: Sample.now, status: 400, error: "invalid_grant")
}
