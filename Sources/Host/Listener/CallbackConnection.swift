internal import Glibc

/// One connection of the browser: a request's head is read, and its body where that is wanted, one reply is written, and
/// what still comes is thrown away.
struct CallbackConnection {
  /// What it does next.
  enum Phase: Equatable {
    case reading
    case writing
    /// Everything is sent; the browser closes first, so that nothing that it sends late makes the kernel drop the page.
    case draining
    case closed
  }

  let socket: FileDescriptor
  private(set) var phase = Phase.reading
  /// When it is given up, in ``Uptime/milliseconds``.
  private(set) var deadline: Int64
  private var input: [UInt8] = []
  /// The request whose body is waited for, and where in the input that is.
  private var unfinished: (head: CallbackRequest, body: Range<Int>)?
  private var headEnd = 0
  private var output: [UInt8] = []
  private var written = 0

  init(socket: FileDescriptor, deadline: Int64) {
    self.socket = socket
    self.deadline = deadline
  }

  /// Whether not one byte has come: a connection that a browser opened in advance, or an idler.
  var isSilent: Bool { phase == .reading && input.isEmpty }

  /// What to poll for.
  var events: Int16 { Int16(phase == .writing ? POLLOUT : POLLIN) }

  /// Reads what is there; gives the request once its head is whole, or once it can be none; after
  /// ``await(bodyOf:length:)`` once its body is there too.
  mutating func read() -> CallbackRequest.Parsed {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while phase == .reading {
      if let (head, body) = unfinished, input.count >= body.upperBound {
        var request = head
        request.body = Array(input[body])
        return .request(request)
      }
      let count = recv(socket.number, &chunk, chunk.count, 0)
      guard count > 0 else {
        if count == 0 || !Self.isTransient(errno) { phase = .closed }
        return .incomplete
      }
      let isFirst = input.isEmpty
      input.append(contentsOf: chunk[..<count])
      guard unfinished == nil else { continue }
      // Only a line's end can complete a head: without one a slow sender would have it all parsed again for each byte.
      guard isFirst || input.count > CallbackRequest.maximumHead || chunk[..<count].contains(UInt8(ascii: "\n"))
      else { continue }
      let parsed = CallbackRequest.parse(input, headEnd: &headEnd)
      if parsed != .incomplete { return parsed }
    }
    return .incomplete
  }

  /// Has the next ``read()`` give this request again, which was the last one's, with its body of so many bytes.
  mutating func await(bodyOf request: CallbackRequest, length: Int) {
    unfinished = (request, headEnd..<headEnd + length)
  }

  /// Takes the reply to write.
  mutating func reply(_ bytes: [UInt8], deadline: Int64) {
    input = []
    unfinished = nil
    output = bytes
    phase = .writing
    self.deadline = deadline
  }

  /// Hands the kernel what it takes of the reply, and after the last byte says that no more comes.
  mutating func write(drainUntil: Int64) {
    while phase == .writing {
      let count = output.withUnsafeBytes { bytes in
        send(
          socket.number, bytes.baseAddress?.advanced(by: written), bytes.count - written, Int32(MSG_NOSIGNAL))
      }
      guard count >= 0 else {
        if !Self.isTransient(errno) { phase = .closed }
        return
      }
      written += count
      if written == output.count {
        shutdown(socket.number, Int32(SHUT_WR))
        output = []
        phase = .draining
        deadline = drainUntil
      }
    }
  }

  /// Throws away what has come.
  mutating func drain() {
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    // Bounded, so that one that never stops sending does not keep the others waiting.
    for _ in 0..<16 where phase == .draining {
      let count = recv(socket.number, &chunk, chunk.count, 0)
      if count > 0 { continue }
      if count == 0 || !Self.isTransient(errno) { phase = .closed }
      return
    }
  }

  private static func isTransient(_ code: Int32) -> Bool {
    code == EAGAIN || code == EWOULDBLOCK || code == EINTR
  }
}
