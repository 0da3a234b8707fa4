public import Crypto
internal import Glibc

/// Reads secrets from files, pipes and standard input, for options such as `--client-secret-file`.
public enum SecretFile {
  /// The longest secret that is read, in bytes.
  public static let limit = 64 << 10

  /// How standard input is called in a ``FileError``.
  public static let standardInput = "standard input"

  /// Reads a secret; `-` is standard input, and a pipe (`<(pass show acme)`) is as good as a file.
  ///
  /// One line end at the end is not part of it.
  ///
  /// - Parameter warn: told of a file that other users may read: the harm is done, and the secret still needed.
  /// - Throws: ``FileError``; ``FileError/exposed(path:hint:)`` for a file that other users may write.
  public static func read(_ path: String, warn: (String) -> Void = { _ in }) throws(FileError) -> Secret {
    if path == "-" {
      return try secret(try WholeFile.readStandardInput(limit: limit), from: standardInput)
    }
    let file = try WholeFile.open(path)
    guard let status = file.status else { throw .unreadable(path: path, reason: describe(errno: errno)) }
    guard !status.isDirectory else { throw .unreadable(path: path, reason: describe(errno: EISDIR)) }
    if status.isRegularFile {
      guard status.st_uid == geteuid() || status.st_uid == 0 else {
        throw .unreadable(path: path, reason: "it belongs to another user")
      }
      let hint = "chmod 600 \(quoted(path))"
      guard status.sharedAccess & 0o022 == 0 else { throw .exposed(path: path, hint: hint) }
      if status.sharedAccess != 0 { warn("\(path): other users can read this secret (\(hint))") }
    }
    return try secret(try WholeFile.read(file, named: path, limit: limit), from: path)
  }

  private static func secret(_ content: consuming [UInt8], from path: String) throws(FileError) -> Secret {
    let secret = content.withUnsafeBytes { whole in
      var kept = whole[...]
      if kept.last == 0x0A {
        kept.removeLast()
        if kept.last == 0x0D { kept.removeLast() }
      }
      return Secret(copying: UnsafeRawBufferPointer(rebasing: kept))
    }
    content.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } }
    guard !secret.isEmpty else { throw .empty(path: path) }
    return secret
  }

  /// The path as a shell takes it.
  static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "/._-+@%:,".utf8.contains(byte)
      }
    }
    let start = path.hasPrefix("-") ? "./" : ""
    guard !isPlain else { return start + path }
    // By scalars: a combining mark after a quote makes another character of it, but not to a shell.
    let pieces = (start + path).unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + pieces.map { String($0) }.joined(separator: #"'\''"#) + "'"
  }
}
