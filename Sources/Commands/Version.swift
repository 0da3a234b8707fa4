/// The version, here alone: for `--version`, the man page and the User-Agent.
enum Version {
  static let current = "0.3.0"
  /// The man page's date.
  static let date = "November 30, 2026"
}
