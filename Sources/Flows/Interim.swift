internal import OAuth

public struct DeviceLogin: Sendable {
  public init(network: Network, browser: (any Browser)?, terminal: any UserTerminal) {}
  public func run(_ plan: LoginPlan) async throws -> LoginResult { throw CancellationError() }
}
