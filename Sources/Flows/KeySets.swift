internal import FoundationEssentials
internal import OAuth

/// The keys that providers sign with (RFC 7517).
struct KeySets: Sendable {
  let network: Network

  /// Reads a key set from where the provider publishes it.
  ///
  /// - Throws: ``TransportError``, ``KeySetError``.
  func read(_ url: String) async throws -> KeptKeySet {
    let response = try await network.http.send(
      HTTPRequest(method: .get, url: url, headers: [HTTPHeader("Accept", "application/json, application/jwk-set+json")])
    )
    guard let set = KeptKeySet(response, url: url, now: network.time.now) else {
      throw KeySetError(url: url, status: response.status)
    }
    return set
  }

  /// Reads a key set that is used at once, and not kept.
  ///
  /// - Throws: ``TransportError``, ``KeySetError``.
  func fetch(_ url: String) async throws -> JSONWebKeySet { try await read(url).set }
}

/// What is published in the place of a key set is none.
public struct KeySetError: Error, Sendable, Equatable {
  /// Where it was looked for.
  public let url: String
  /// The HTTP status.
  public let status: Int
}

/// A provider's keys in the course of one command: those that are kept as long as they are fresh, else read anew.
actor IssuerKeys {
  /// How long after a reading another one would bring nothing new, in seconds.
  private static let pause = 60.0

  private let provider: Provider
  private let network: Network
  private let store: KeySetStore?
  private let warn: @Sendable (String) -> Void
  private var known: KeptKeySet?
  private var lastReading: Date?

  /// Looks for the provider's keys in the keyring, where there is one, then where they are published.
  init(
    _ provider: Provider, network: Network, store: KeySetStore?, warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.provider = provider
    self.network = network
    self.store = store
    self.warn = warn
  }

  /// Gives the keys; nil where the provider publishes none.
  ///
  /// Old ones serve where the provider cannot be asked, and a warning says so.
  ///
  /// - Throws: ``TransportError``, ``KeySetError`` where there are no old ones; `CancellationError`.
  func current() async throws -> JSONWebKeySet? {
    if let known { return known.set }
    guard let url = provider.endpoints?.jwks else { return nil }
    let kept = await store?.kept(url, provider: provider.name)
    let now = network.time.now
    if let kept, kept.isFresh(at: now) {
      known = kept
      return kept.set
    }
    do {
      return try await read(url)
    } catch let error as CancellationError {
      throw error
    } catch {
      guard let kept else { throw error }
      warn(
        "the keys of \(provider.name) cannot be read now (\(KeySetError.sentence(error))): those of "
          + "\(kept.readAt.formatted(.iso8601)) are used")
      known = kept
      return kept.set
    }
  }

  /// Gives the keys as they are published now, for a token that none of ``current()`` has signed; nil where they have been
  /// read a moment ago.
  ///
  /// - Throws: ``TransportError``, ``KeySetError``, `CancellationError`.
  func newer() async throws -> JSONWebKeySet? {
    guard let url = provider.endpoints?.jwks else { return nil }
    if let lastReading, network.time.now.timeIntervalSince(lastReading) < Self.pause { return nil }
    return try await read(url)
  }

  /// Checks a token with the keys, and once more with newer ones where the first time may have failed for want of those.
  ///
  /// - Throws: what `check` throws; what ``current()`` and ``newer()`` throw.
  func checking<Value: Sendable>(_ check: @Sendable (JSONWebKeySet?) throws -> Value) async throws -> Value {
    let keys = try await current()
    do {
      return try check(keys)
    } catch  where Self.isOfUnknownKey(error) {
      guard let fresh = try await newer() else { throw error }
      return try check(fresh)
    } catch  where Self.isOfSignature(error) {
      // Keys without a name, or with that of an older one, are told apart by trying alone.
      guard let fresh = try? await newer() else { throw error }
      return try check(fresh)
    }
  }

  private func read(_ url: String) async throws -> JSONWebKeySet {
    lastReading = network.time.now
    let fresh = try await KeySets(network: network).read(url)
    known = fresh
    await store?.keep(fresh, provider: provider.name)
    return fresh.set
  }

  /// Whether a token is signed by a key that is not known.
  static func isOfUnknownKey(_ error: any Error) -> Bool { claim(of: error) == "kid" }

  private static func isOfSignature(_ error: any Error) -> Bool { claim(of: error) == "signature" }

  private static func claim(of error: any Error) -> String? {
    switch error {
    case let error as JWT.Mismatch: error.claim
    case Userinfo.Failure.mismatch(let mismatch): mismatch.claim
    default: nil
    }
  }
}

extension KeySetError {
  /// Why keys could not be read, for a message.
  static func sentence(_ error: any Error) -> String {
    switch error {
    case let error as TransportError:
      "\(PrintableText.printable(error.host, limit: 100)): \(PrintableText.printable(error.message, limit: 200))"
    case let error as KeySetError: "status \(error.status) at \(PrintableText.printable(error.url, limit: 200))"
    default: PrintableText.printable("\(error)", limit: 200)
    }
  }
}
