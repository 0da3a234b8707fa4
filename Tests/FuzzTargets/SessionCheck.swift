import Crypto
import Flows
import OAuth
import TestSupport

/// The fast reader agrees with the whole one, about whatever this program and anybody else writes.
func checkSession(_ input: [UInt8]) throws {
  let store = MemoryStore()
  store.items = [Sample.key: Secret(bytes: input)]
  let sessions = SessionStore(store)
  guard let whole = try? sessions.load(Sample.account) else { return }
  try checkAgreement(whole, try? sessions.loadToken(Sample.account))
  // The first writing settles the fractions of dates.
  var written = try saved(whole, sessions)
  try checkAgreement(written, try? sessions.loadToken(Sample.account))
  let again = try saved(written, sessions)
  written.generation = again.generation
  try require(again == written, "written and read again it is another session")
}

private func saved(_ session: Session, _ sessions: SessionStore) throws -> Session {
  var session = session
  try sessions.save(&session, as: Sample.account)
  guard let read = try sessions.load(Sample.account) else { throw Violation(description: "what was saved is gone") }
  return read
}

private func checkAgreement(_ whole: Session, _ fast: StoredToken?) throws {
  guard let fast else { throw Violation(description: "the fast reader refuses what the whole one takes") }
  var tokens = fast.tokens
  tokens.fields = whole.tokens.fields
  try require(tokens == whole.tokens, "the fast reader reads other tokens")
  try require(fast.requestedScopes == whole.requestedScopes, "the fast reader reads other scopes")
  try require(fast.refused == whole.refused, "the fast reader reads another refusal")
  try require(fast.assumesUnexpired == whole.assumesUnexpired, "the fast reader reads another assumption")
}
