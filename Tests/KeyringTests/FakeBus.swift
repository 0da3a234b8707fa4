import Foundation

/// What the fake bus does with a call.
enum Reply {
  case values([Wire])
  case error(String, String)
  /// Gives values, and then sends a prompt's `Completed`.
  case completing(prompt: String, dismissed: Bool, Wire)
  case silence
}

/// A session bus and everything on it, in this process: one program at a time may connect.
///
/// It answers what the bus itself is asked; the rest is the test's to answer. A call the test gives no answer to gets
/// an error and is kept in `unexpected`.
final class FakeBus: @unchecked Sendable {
  // @unchecked: what changes is behind the lock.
  private let lock = NSLock()
  private let listener: Int32
  private let answer: @Sendable (Call) -> Reply?
  private var seen: [String] = []
  private var unanswered: [String] = []

  /// Listens on a socket at the path.
  init(path: String, answer: @escaping @Sendable (Call) -> Reply?) throws {
    self.answer = answer
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard bindUnix(listener, path), listen(listener, 1) == 0 else { throw POSIXError(.EIO) }
    let listener = listener
    Thread.detachNewThread { [weak self] in
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        self?.serve(connection)
        close(connection)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// The names of the calls so far, the bus's own left out.
  var calls: [String] { lock.withLock { seen } }
  /// Those of them that nobody had an answer to.
  var unexpected: [String] { lock.withLock { unanswered } }

  private func serve(_ connection: Int32) {
    guard authenticate(connection) else { return }
    while let head = read(connection, 16) {
      var reader = WireReader(head, at: 4)
      let body = Int(reader.number())
      reader = WireReader(head, at: 12)
      let rest = (Int(reader.number()) + 7) / 8 * 8 + body
      guard let tail = rest == 0 ? [] : read(connection, rest) else { return }
      reply(to: Call(head + tail), wantsNone: head[2] & 1 != 0, on: connection)
    }
  }

  private func reply(to call: Call, wantsNone: Bool, on connection: Int32) {
    let reply = busReply(to: call) ?? testReply(to: call)
    if case .silence = reply { return }
    if !wantsNone { send(replyMessage(reply, to: call), on: connection) }
    if case .completing(let prompt, let dismissed, let result) = reply {
      send(
        message(
          type: 4,
          [
            (1, .path(prompt)), (2, .text("org.freedesktop.Secret.Prompt")), (3, .text("Completed")),
            (7, .text(":1.2")),
          ],
          [.flag(dismissed), .open(result)]), on: connection)
    }
  }

  private func testReply(to call: Call) -> Reply {
    lock.withLock { seen.append(call.member) }
    if let reply = answer(call) { return reply }
    lock.withLock { unanswered.append(call.member) }
    return .error("org.freedesktop.DBus.Error.Failed", "unexpected in a test: \(call.member)")
  }

  /// What dbus-daemon would say: the service is there, under the name :1.2.
  private func busReply(to call: Call) -> Reply? {
    switch call.member {
    case "Hello": .values([.text(":1.9")])
    case "AddMatch", "RemoveMatch": .values([])
    case "StartServiceByName": .values([.number(2)])
    case "GetNameOwner" where call.words == ["org.freedesktop.secrets"]: .values([.text(":1.2")])
    case "GetNameOwner" where call.words == [":1.2"]: .values([.text(":1.2")])
    case "GetNameOwner": .error("org.freedesktop.DBus.Error.NameHasNoOwner", "no such name")
    default: nil
    }
  }

  private func replyMessage(_ reply: Reply, to call: Call) -> [UInt8] {
    switch reply {
    case .values(let values): message(type: 2, [(5, .number(call.serial)), (7, .text(":1.2"))], values)
    case .error(let name, let text):
      message(type: 3, [(4, .text(name)), (5, .number(call.serial)), (7, .text(":1.2"))], [.text(text)])
    case .completing: message(type: 2, [(5, .number(call.serial)), (7, .text(":1.2"))], [])
    case .silence: []
    }
  }

  private func message(type: UInt8, _ fields: [(UInt8, Wire)], _ values: [Wire]) -> [UInt8] {
    var body = WireWriter()
    for value in values { body.append(value) }
    var head = WireWriter()
    for byte in [UInt8(ascii: "l"), type, 1, 1] { head.append(byte: byte) }
    head.append(number: UInt32(body.bytes.count))
    head.append(number: 7)  // a serial nobody refers to
    head.append(number: 0)
    for (code, value) in fields {
      head.align(8)
      head.append(byte: code)
      head.append(.open(value))
    }
    if !values.isEmpty {
      head.align(8)
      head.append(byte: 8)
      head.append(signature: "g")
      head.append(signature: values.map(\.signature).joined())
    }
    head.patch(number: UInt32(head.bytes.count - 16), at: 12)
    head.align(8)
    return head.bytes + body.bytes
  }

  private func authenticate(_ connection: Int32) -> Bool {
    var line = ""
    while let byte = read(connection, 1)?.first {
      if byte == 0 || byte == UInt8(ascii: "\r") { continue }
      guard byte == UInt8(ascii: "\n") else {
        line.unicodeScalars.append(Unicode.Scalar(byte))
        continue
      }
      if line == "BEGIN" { return true }
      let answer =
        switch line.split(separator: " ").first {
        case "AUTH": line == "AUTH EXTERNAL" ? "DATA" : "REJECTED EXTERNAL"
        case "DATA": "OK 0123456789abcdef0123456789abcdef"
        case "NEGOTIATE_UNIX_FD": "AGREE_UNIX_FD"
        default: "ERROR"
        }
      send(Array((answer + "\r\n").utf8), on: connection)
      line = ""
    }
    return false
  }

  private func read(_ connection: Int32, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return recv(connection, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
  }

  private func send(_ bytes: [UInt8], on connection: Int32) {
    // A program that was ended does not listen any more; that is for its test to notice.
    _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
