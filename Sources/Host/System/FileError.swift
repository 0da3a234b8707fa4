/// A file that could not be read or written.
public enum FileError: Error, Sendable, Equatable {
  /// There is none.
  case notFound(path: String)
  /// It cannot be read, and why.
  case unreadable(path: String, reason: String)
  /// It is longer than the limit, in bytes.
  case tooLarge(path: String, limit: Int)
  /// It holds a secret and others may change it; the command that helps.
  case exposed(path: String, hint: String)
  /// It holds nothing, where a secret was expected.
  case empty(path: String)
  /// It cannot be written, and why.
  case unwritable(path: String, reason: String)

  /// Which file it is.
  public var path: String {
    switch self {
    case .notFound(let path), .unreadable(let path, _), .tooLarge(let path, _), .exposed(let path, _), .empty(let path),
      .unwritable(let path, _):
      path
    }
  }

  /// One line for a person, the path included.
  public var reason: String {
    switch self {
    case .notFound(let path): "\(path): no such file"
    case .unreadable(let path, let reason): "\(path): cannot be read: \(reason)"
    case .tooLarge(let path, let limit): "\(path): longer than \(limit) bytes"
    case .exposed(let path, let hint): "\(path): other users can change it (\(hint))"
    case .empty(let path): "\(path): empty"
    case .unwritable(let path, let reason): "\(path): cannot be written: \(reason)"
    }
  }
}
