internal import CCrypto
internal import Glibc
internal import Loader

/// The owner of one of libcrypto's objects: it is freed when the last reference goes.
///
/// A key among them has its memory cleared by libcrypto then.
final class OpenSSLObject: Sendable {
  typealias Free = @Sendable @convention(c) (OpaquePointer?) -> Void

  // Never changed. What is shared between threads is a key alone, which libcrypto only reads when it signs or verifies,
  // with locks of its own around what it remembers of it.
  private nonisolated(unsafe) let pointer: OpaquePointer
  private let free: Free

  /// Takes the object over; nil where there is none, as after a call that failed.
  init?(_ pointer: OpaquePointer?, _ free: @escaping Free) {
    guard let pointer else { return nil }
    self.pointer = pointer
    self.free = free
  }

  deinit { free(pointer) }

  /// Lends the object for the time of the call.
  func with<Result, Failure: Error>(_ body: (OpaquePointer) throws(Failure) -> Result) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(pointer)
  }
}

/// A list of named values for libcrypto (OSSL_PARAM(3)), whose memory is zeroed when it goes.
final class ParameterList {
  private var entries: [OSSL_PARAM] = []
  private var memory: [UnsafeMutableRawBufferPointer] = []

  deinit {
    for buffer in memory {
      if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
      buffer.deallocate()
    }
  }

  /// Adds a number, given big-endian as everywhere in JOSE.
  func number(_ name: String, _ bytes: UnsafeRawBufferPointer) {
    let copy = allocate(bytes.count)
    // libcrypto wants it in the machine's own order of bytes.
    for (index, byte) in bytes.enumerated() { copy[Int(littleEndian: 1) == 1 ? bytes.count - 1 - index : index] = byte }
    add(name, type: OSSL_PARAM_UNSIGNED_INTEGER, copy, count: bytes.count)
  }

  /// Adds a number that everybody may see.
  func number(_ name: String, _ bytes: [UInt8]) { bytes.withUnsafeBytes { number(name, $0) } }

  /// Adds a number that nobody may see.
  func number(_ name: String, _ secret: Secret) { secret.withBytes { number(name, $0) } }

  /// Adds bytes.
  func octets(_ name: String, _ bytes: UnsafeRawBufferPointer) {
    let copy = allocate(bytes.count)
    copy.copyMemory(from: bytes)
    add(name, type: OSSL_PARAM_OCTET_STRING, copy, count: bytes.count)
  }

  /// Adds a text.
  func text(_ name: String, _ value: String) {
    let copy = terminated(value)
    add(name, type: OSSL_PARAM_UTF8_STRING, copy, count: copy.count - 1)
  }

  /// Lends the list, ended as libcrypto wants it.
  func with<Result, Failure: Error>(
    _ body: (UnsafeMutablePointer<OSSL_PARAM>?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    // The last entry, of no name, ends it (OSSL_PARAM_END).
    var list = entries + [OSSL_PARAM()]
    return try list.withUnsafeMutableBufferPointer { buffer throws(Failure) in try body(buffer.baseAddress) }
  }

  private func add(_ name: String, type: CInt, _ value: UnsafeMutableRawBufferPointer, count: Int) {
    let key = terminated(name)
    entries.append(
      OSSL_PARAM(
        key: key.baseAddress?.assumingMemoryBound(to: CChar.self), data_type: UInt32(type), data: value.baseAddress,
        data_size: count, return_size: Int.max))
  }

  private func terminated(_ text: String) -> UnsafeMutableRawBufferPointer {
    let copy = allocate(text.utf8.count + 1)
    copy.copyBytes(from: text.utf8)
    copy[text.utf8.count] = 0
    return copy
  }

  private func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    // Never of length 0, whose address might be none.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 8)
    memory.append(buffer)
    return buffer
  }
}

extension KeyLibrary {
  /// Gives the functions, or says why there are none.
  static func get() throws(KeyError) -> KeyLibrary {
    switch shared {
    case .success(let library): return library
    case .failure(let missing): throw .unavailable(reason: missing.message)
    }
  }

  /// Takes the reason of the first error of the queue and empties it.
  ///
  /// It is a constant text of libcrypto's, which holds nothing of the data. The queue must not be left as it is: libcurl's
  /// TLS on the same thread would take what lies there for its own.
  func failure() -> String {
    defer { errors.clear() }
    let code = errors.next()
    guard code != 0, let reason = errors.reason(code) else { return "libcrypto gives no reason" }
    return String(cString: reason)
  }

  /// Lends the bytes as a file that libcrypto reads, without a copy.
  func reading<Result, Failure: Error>(
    _ secret: Secret, _ body: (OpaquePointer) throws(Failure) -> Result?
  ) throws(Failure) -> Result? {
    try secret.withBytes { bytes throws(Failure) in
      guard let file = OpenSSLObject(memory.reading(bytes.baseAddress, CInt(clamping: bytes.count)), memory.free) else {
        return nil
      }
      return try file.with(body)
    }
  }

  /// Reads one of a key's public numbers, big-endian, as many bytes as said, or without leading zeros.
  func number(_ name: String, of key: OpaquePointer, width: Int? = nil) throws(KeyError) -> [UInt8] {
    var pointer: OpaquePointer?
    guard keys.number(key, name, &pointer) == 1, let number = OpenSSLObject(pointer, halves.freeNumber) else {
      throw .unreadable(reason: failure())
    }
    return try number.with { number throws(KeyError) in
      var bytes = [UInt8](repeating: 0, count: width ?? (Int(halves.bits(number)) + 7) / 8)
      guard halves.bytes(number, &bytes, CInt(bytes.count)) == CInt(bytes.count) else {
        throw .unreadable(reason: failure())
      }
      return bytes
    }
  }

  /// Makes a key of its members.
  ///
  /// - Parameter selection: `EVP_PKEY_PUBLIC_KEY` or `EVP_PKEY_KEYPAIR`.
  func makeKey(_ kind: String, selection: CInt, _ members: ParameterList) throws(KeyError) -> OpenSSLObject {
    guard let context = OpenSSLObject(making.context(nil, kind, nil), making.freeContext) else {
      throw .unavailable(reason: failure())
    }
    return try context.with { context throws(KeyError) in
      var pointer: OpaquePointer?
      let made =
        making.startFromData(context) == 1
        && members.with { making.fromData(context, &pointer, selection, $0) == 1 }
      // It is owned before anything is decided, so that no way out leaves it behind.
      let key = OpenSSLObject(pointer, keys.free)
      guard made, let key else { throw .unreadable(reason: failure()) }
      return key
    }
  }
}
