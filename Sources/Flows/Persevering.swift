/// Stores what a server will not give again, and tries for a quarter of a minute where the keyring fails: through a
/// restart of its service, or of the bus.
///
/// For work that is ``Uninterrupted``: cancelled, it would not pause.
///
/// - Parameters:
///   - time: what the pauses are measured by.
///   - isHopeless: whether no waiting helps after this error.
///   - save: stores it; blocks. It is told when any place in the keyring will do: in a locked keyring at once, since
///     waiting opens none, else at the last try.
/// - Throws: the last ``StoreError``; at once whatever else `save` throws.
func persevering<Value: Sendable>(
  _ time: any TimeSource, isHopeless: (StoreError) -> Bool = { _ in false },
  _ save: @escaping @Sendable (_ isLastCopy: Bool) throws -> Value
) async throws -> Value {
  let pauses = [200, 500, 1000, 2000, 4000, 7000]
  var isLastCopy = false
  for (index, pause) in pauses.enumerated() {
    do {
      let place = isLastCopy
      return try await offPool { try save(place) }
    } catch let error as StoreError {
      if isHopeless(error) { throw error }
      isLastCopy = error.isLock || index == pauses.count - 1
    }
    try? await time.sleep(for: .milliseconds(pause))
  }
  let place = isLastCopy
  return try await offPool { try save(place) }
}

extension StoreError {
  /// Whether a person has to open something.
  var isLock: Bool {
    switch self {
    case .locked, .itemLocked, .otherKeyringLocked, .unlockDismissed: true
    case .noBus, .noService, .noCollection, .timedOut, .failed: false
    }
  }
}
