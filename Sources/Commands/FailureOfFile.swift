internal import CLI
internal import Host

/// A file that an option names, and that cannot be used.
extension Failure {
  /// What was thrown, and where it is of a file, by which option that was named.
  static func naming(_ error: any Error, in invocation: Invocation) -> any Error {
    guard let error = error as? FileError, let option = invocation.option(naming: error.path) else { return error }
    var failure = Failure(file: error)
    failure.message = "--\(option): \(failure.message)"
    return failure
  }

  /// What is wrong with a file that the caller has named, and what helps.
  private init(file error: FileError) {
    let isInput = error.path == SecretFile.standardInput
    switch error {
    case .notFound: self.init(.configuration, error.reason, hint: "give the path of a file that is there")
    // What the caller was to write is missing: no other run of the same call would fare better.
    case .unreadable where isInput, .empty where isInput:
      self.init(.usage, error.reason, hint: "write it to standard input, or name a file in place of -")
    case .unreadable: self.init(.configuration, error.reason, hint: "give a file that you can read")
    case .tooLarge: self.init(.configuration, error.reason, hint: "check that it is the right file")
    case .exposed(_, let command): self.init(.configuration, error.reason, hint: "run '\(command)', then try again")
    case .empty: self.init(.configuration, error.reason, hint: "check that it is the right file")
    case .unwritable: self.init(.configuration, error.reason, hint: "check the folder's permissions")
    }
  }
}

extension Invocation {
  /// The option that names a file; `-` means standard input.
  fileprivate func option(naming path: String) -> String? {
    let word = path == SecretFile.standardInput ? "-" : path
    return option(withValue: word) ?? option(withValue: "@" + word)
  }
}
