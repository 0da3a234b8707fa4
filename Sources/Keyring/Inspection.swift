internal import CLibsecret
internal import Crypto
internal import Flows
internal import Glibc

extension Keyring {
  /// Looks at the keyring and the way to it.
  ///
  /// Nobody is ever asked for anything. Each part has the time limit of an operation to itself, so that a part that
  /// hangs does not hide the ones before it.
  ///
  /// - Parameter writes: whether to store, read back and remove an item of its own kind, which no other command sees.
  public func inspect(writes: Bool) -> KeyringReport {
    Inspection(userFolder: userFolder, seconds: patience.limit).report(writes: writes)
  }
}

/// Makes a ``KeyringReport``.
private struct Inspection {
  let userFolder: String
  let patience: Patience

  init(userFolder: String, seconds: Int) {
    self.userFolder = userFolder
    patience = Patience(mayPrompt: false, limit: seconds, promptLimit: seconds)
  }

  func report(writes: Bool) -> KeyringReport {
    let wasRunning: Bool
    var report: KeyringReport
    switch part({ limit throws(ServiceError) in try bus(limit) }) {
    case .failure(let error): return KeyringReport(bus: .failure(error), writing: .notTried(.noOpenCollection))
    case .success(let found):
      report = KeyringReport(bus: .success(found.bus), writing: .notTried(.noOpenCollection))
      wasRunning = found.hasService
    }
    let connection: Connection
    switch part({ limit throws(ServiceError) in try Connection(userFolder: userFolder, within: limit) }) {
    case .failure(let error):
      report.service = .failure(error)
      return report
    case .success(let made): connection = made
    }
    let service = part(connection) { talk throws(ServiceError) in try talk.describeService(wasRunning: wasRunning) }
    let collection = part(connection) { talk throws(ServiceError) in try talk.describeCollection() }
    report.service = service
    report.collection = collection
    // A closed service may wait for a person before it answers a search.
    guard case .success(let found) = collection, found?.isLocked != true else { return report }
    report.doubles = part(connection) { talk throws(ServiceError) in try talk.doubles() }
    if writes, found != nil {
      report.writing = writing(connection, mayLeaveTraces: (try? service.get())?.unlocksWithoutPrompt != true)
    } else if !writes {
      report.writing = .notTried(.notAsked)
    }
    return report
  }

  /// Connects to the bus itself: who has the service's name must be asked before anything starts it.
  private func bus(_ limit: TimeLimit) throws(ServiceError) -> (bus: KeyringReport.Bus, hasService: Bool) {
    let found = try SessionBus.find(userFolder: userFolder)
    let connection = try BusConnection(userFolder: userFolder, within: limit)
    return (found, try connection.hasOwner(Conversation.name, within: limit))
  }

  private func writing(_ connection: Connection, mayLeaveTraces: Bool) -> KeyringReport.Writing {
    guard !mayLeaveTraces else { return .notTried(.leavesTraces) }
    switch part(connection, { talk throws(ServiceError) in try talk.tryWriting() }) {
    case .success: return .works
    case .failure(let error): return .failed(error)
    }
  }

  private func part<Value>(_ look: (TimeLimit) throws(ServiceError) -> Value) -> Result<Value, StoreError> {
    do throws(ServiceError) {
      return .success(try look(TimeLimit(seconds: patience.limit)))
    } catch {
      return .failure(error.forStore(patience))
    }
  }

  private func part<Value>(
    _ connection: Connection, _ look: (Conversation) throws(ServiceError) -> Value
  ) -> Result<Value, StoreError> {
    part { limit throws(ServiceError) in try look(Conversation(connection, patience, within: limit)) }
  }
}

extension Conversation {
  fileprivate func describeService(wasRunning: Bool) throws(ServiceError) -> KeyringReport.Service {
    let owner = try callBus("GetConnectionUnixProcessID", [.string(Self.name)], reply: "(u)")[0]?.unsigned
    let pid = owner.map { Int($0) }
    return KeyringReport.Service(
      pid: pid, program: pid.flatMap(Self.program), wasRunning: wasRunning,
      unlocksWithoutPrompt: try unlocksWithoutPrompt())
  }

  fileprivate func describeCollection() throws(ServiceError) -> KeyringReport.Collection? {
    let state = try collection()
    guard state != .missing else { return nil }
    let label = try property(.collection("Label"), at: Self.defaultCollection)?.text ?? ""
    return KeyringReport.Collection(label: oneLine(label), isLocked: state == .locked)
  }

  fileprivate func doubles() throws(ServiceError) -> [KeyringReport.Doubles] {
    var counts: [SecretKey: Int] = [:]
    for kind in SecretKey.Kind.allCases {
      for item in try search(ItemAttributes.sought(kind, provider: nil)).unlocked {
        if let key = ItemAttributes.key(kind, from: try attributes(of: item)) { counts[key, default: 0] += 1 }
      }
    }
    return counts.filter { $0.value > 1 }.map { KeyringReport.Doubles(key: $0.key, count: $0.value) }
      .sorted { ($0.key.provider, $0.key.name) < ($1.key.provider, $1.key.name) }
  }

  /// Stores an item in the default collection, reads it back and removes it.
  fileprivate func tryWriting() throws(ServiceError) {
    try removeLeftProbes()
    let value = Secret("written by oauthctl at \(g_get_real_time())")
    let attributes = ItemAttributes.probe(process: getpid())
    let made = try create(in: Self.defaultCollection, attributes, label: "oauthctl doctor", value)
    if let prompt = made.prompt { try finish(prompt: prompt) }
    guard let item = try made.prompt == nil ? made.item : search(attributes).unlocked.first else {
      throw ServiceError(.other, "the keyring took an item and does not find it")
    }
    let back = Result { () throws(ServiceError) in try secretIfThere(at: item) }
    try remove(item)
    guard try back.get() == value else {
      throw ServiceError(.other, "the keyring gives back something else than what was stored")
    }
  }

  /// Removes what an inspection that was killed left behind; another one that is under way keeps its own.
  private func removeLeftProbes() throws(ServiceError) {
    for item in try search(ItemAttributes.probes).unlocked {
      guard let process = try attributes(of: item)["process"].flatMap({ pid_t($0) }) else { continue }
      if process == getpid() || (kill(process, 0) != 0 && errno == ESRCH) { try remove(item) }
    }
  }

  /// The file of a process, or its name where another user's file may not be seen.
  private static func program(_ pid: Int) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/\(pid)/exe", &buffer, buffer.count)
    if count > 0 { return oneLine(String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)) }
    let file = open("/proc/\(pid)/comm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let length = read(file, &buffer, buffer.count)
    guard length > 0 else { return nil }
    return oneLine(String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
}
