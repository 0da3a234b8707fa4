/// Programs of this machine that a remedy may name.
public enum InstalledProgram {
  /// Gives the path of a program that is in the folders of `PATH`; nil where there is none.
  public static func path(_ name: String, environment: [String: String]) -> String? {
    ProgramSearch.find(name, path: environment["PATH"])
  }
}
