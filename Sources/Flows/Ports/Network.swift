internal import Crypto
internal import FoundationEssentials
public import OAuth

/// What asking a server takes: something that sends, a clock, and randomness.
public struct Network: Sendable {
  /// Sends requests.
  public var http: any HTTPClient
  /// The clock.
  public var time: any TimeSource
  /// Gives random bytes.
  public var random: @Sendable (Int) throws -> [UInt8]

  /// Makes one.
  public init(http: any HTTPClient, time: any TimeSource, random: @escaping @Sendable (Int) throws -> [UInt8]) {
    self.http = http
    self.time = time
    self.random = random
  }

  /// Gives what the next request does not share with any other.
  ///
  /// - Throws: `RandomnessError`.
  public func stamp() throws -> RequestStamp { try Self.stamp(time, random) }

  /// Gives what the next request does not share with any other, where nothing is sent from here.
  ///
  /// - Throws: `RandomnessError`.
  public static func stamp(
    _ time: any TimeSource, _ random: (Int) throws -> [UInt8]
  ) throws -> RequestStamp {
    RequestStamp(now: time.now, id: Base64URL.encode(try random(24)))
  }
}
