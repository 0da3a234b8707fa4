import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

struct FailureOfRegistryTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let kind: FailureKind
    let error: any Error & Sendable
    /// What the message or the hint must say.
    let words: [String]

    init(_ kind: FailureKind, _ error: any Error & Sendable, _ words: String...) {
      (self.kind, self.error, self.words) = (kind, error, words)
    }

    var testDescription: String { "\(error)" }
  }

  private static let said = ServerError(status: 400, code: "code-1", description: "words")

  static let resources = [
    Row(.configuration, ResourceFailure.notFound(url: "u-1", status: 404), "u-1", "404", "--resource"),
    Row(.protocolViolation, ResourceFailure.unreadable(url: "u-1"), "u-1"),
    Row(.temporary, ResourceFailure.transient(said), "code-1"),
    Row(.protocolViolation, ResourceFailure.resourceMismatch(expected: "e-1", got: "g-1"), "expected e-1", "got g-1"),
    Row(.protocolViolation, ResourceFailure.badURL(name: "resource_metadata", url: "u-1"), "resource_metadata", "u-1"),
    Row(.configuration, ResourceFailure.noAuthorizationServer(resource: "r-1"), "login ISSUER --resource r-1"),
    Row(
      .protocolViolation, DiscoveryFailure.unverified(JWT.Mismatch(claim: "iss", expected: "e-1", got: nil)), "'iss'",
      "expected e-1", "got none"),
  ]

  static let registrations = [
    Row(.temporary, RegistrationFailure.transient(said, retryAfter: 7), "7 s"),
    Row(.temporary, RegistrationFailure.transient(said, retryAfter: nil), "later"),
    Row(.configuration, RegistrationFailure.notOffered(url: "u-1", status: 405), "u-1", "--client-id"),
    Row(.configuration, RegistrationFailure.tokenRefused(said, wasSent: false), "--initial-access-token-file"),
    Row(.configuration, RegistrationFailure.tokenRefused(said, wasSent: true), "did not take"),
    Row(.configuration, RegistrationFailure.refused(said, .redirectURI), "redirect URI", "code-1"),
    Row(.configuration, RegistrationFailure.refused(said, .clientMetadata), "says of itself"),
    Row(.configuration, RegistrationFailure.refused(said, .softwareStatement(isApproved: true)), "cannot use"),
    Row(.configuration, RegistrationFailure.refused(said, .softwareStatement(isApproved: false)), "approve"),
    Row(.configuration, RegistrationFailure.refused(said, .other), "code-1"),
    Row(.protocolViolation, RegistrationFailure.unreadable(said, reason: "r-1"), "r-1"),
    Row(.configuration, RegistrationFailure.unusableMethod("m-1", reason: "r-1"), "m-1", "r-1"),
    Row(.protocolViolation, RegistrationFailure.otherRedirects(asked: "a-1", got: ["g-1"]), "expected a-1", "got g-1"),
    Row(.protocolViolation, RegistrationFailure.otherRedirects(asked: "a-1", got: []), "got none"),
  ]

  static let others = [
    Row(
      .configuration, FlowError.clientSecretEnded(provider: "acme", clientID: "c-1", at: Sample.now), "c-1", "ended at",
      "oauthctl login acme/work"),
    Row(.configuration, NewerItem(name: "acme's client app", version: 7), "acme's client app", "7", "upgrade oauthctl"),
    Row(
      .configuration, UnsupportedClientAuth(offered: ["x", "private_key_jwt"], possible: ["client_secret_post"]),
      "--private-key-file", "client_secret_post"),
    Row(.configuration, UnsupportedClientAuth(offered: ["tls_client_auth"], possible: ["p"]), "--certificate-file"),
    Row(.configuration, UnsupportedClientAuth(offered: ["x"], possible: ["p"]), "--client-auth"),
    Row(.configuration, ClientIDDocument.Failure.malformed(clientID: "c-1", reason: "r-1"), "c-1", "r-1"),
    Row(
      .configuration, ClientIDDocument.Failure.unsupported(issuer: "i-1", canRegister: true), "leave --client-id out"),
    Row(.configuration, ClientIDDocument.Failure.unsupported(issuer: "i-1", canRegister: false), "by hand"),
    Row(.temporary, Userinfo.Failure.transient(said, retryAfter: 7), "7 s"),
    Row(.loginRequired, Userinfo.Failure.refused(said), "oauthctl login acme/work"),
    Row(.protocolViolation, Userinfo.Failure.unreadable(said, reason: "r-1"), "r-1"),
    Row(
      .protocolViolation,
      Userinfo.Failure.mismatch(JWT.Mismatch(of: .userinfo, claim: "sub", expected: "e-1", got: "g-1")), "'sub'",
      "expected e-1", "got g-1"),
    Row(.temporary, Introspection.Failure.transient(said, retryAfter: nil), "later"),
    Row(.configuration, Introspection.Failure.refused(said), "code-1", "--client-secret-file"),
    Row(.protocolViolation, Introspection.Failure.unreadable(said, reason: "r-1"), "r-1"),
  ]

  @Test(arguments: resources + registrations + others)
  func `an error has its kind, and words in the house's manner`(_ row: Row) {
    let failure = Failure(row.error, login: "acme/work")
    #expect(failure.kind == row.kind)
    let lines = [failure.message] + (failure.hint.map { [$0] } ?? [])
    for line in lines {
      #expect(!line.isEmpty && !line.hasSuffix(".") && !line.contains("\n"), "\(line)")
      #expect(line.first?.isUppercase == false, "\(line)")
    }
    for word in row.words { #expect(lines.contains { $0.contains(word) }, "\(word) in \(lines)") }
  }
}
