internal import FoundationEssentials

/// How each kind of browser is asked for a private window, and which browser a desktop opens by default.
enum PrivateWindow {
  /// The option by a word of the program's name: `firefox-esr`, `org.mozilla.firefox`, `/opt/brave/brave-browser`.
  private static let options = [
    "firefox": "--private-window", "librewolf": "--private-window", "waterfox": "--private-window",
    "chromium": "--incognito", "chrome": "--incognito", "brave": "--incognito", "vivaldi": "--incognito",
    "opera": "--incognito", "edge": "--inprivate", "msedge": "--inprivate", "epiphany": "--incognito-mode",
  ]
  /// Programs that start the one named among their arguments.
  private static let starters: Set = ["env", "flatpak", "snap"]

  /// Gives the command with the option for a private window put in; nil where the browser is not known.
  static func command(_ command: BrowserCommand) -> BrowserCommand? {
    let isStarter = starters.contains(BrowserCommand.baseName(command.program))
    for (index, word) in command.words.enumerated() where index == 0 || isStarter {
      guard !word.hasPrefix("-"), let option = option(for: word) else { continue }
      var words = command.words
      words.insert(option, at: index + 1)
      return BrowserCommand(words: words)
    }
    return nil
  }

  private static func option(for program: String) -> String? {
    BrowserCommand.baseName(program).lowercased().split { !$0.isLetter }.compactMap { options[String($0)] }.first
  }

  /// Gives the command of the desktop's default browser, found as `xdg-open` would; nil where there is none.
  ///
  /// It asks `xdg-settings` for the browser's desktop entry and reads the entry's `Exec` line.
  static func defaultBrowser(environment: [String: String]) -> BrowserCommand? {
    guard let settings = ProgramSearch.find("xdg-settings", path: environment["PATH"]),
      let printed = ChildProcess.output(
        of: settings, ["get", "default-web-browser"], environment: environment, timeLimit: 3000)
    else { return nil }
    let entry = printed.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    guard entry.hasSuffix(".desktop"), !entry.contains("/") else { return nil }
    for folder in dataFolders(environment) {
      if let text = try? String(contentsOfFile: "\(folder)/applications/\(entry)", encoding: .utf8) {
        return execCommand(inEntry: text)
      }
    }
    return BrowserCommand(words: [String(entry.dropLast(".desktop".count))])
  }

  /// Gives the command on the `Exec` line of a desktop entry (Desktop Entry Specification, "The Exec key").
  static func execCommand(inEntry text: String) -> BrowserCommand? {
    var isMainGroup = false
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("[") { isMainGroup = line.hasPrefix("[Desktop Entry]") }
      guard isMainGroup, let mark = line.firstIndex(of: "="), line[..<mark].filter({ $0 != " " }) == "Exec" else {
        continue
      }
      guard let command = BrowserCommand(String(line[line.index(after: mark)...])) else { return nil }
      let words = command.words.compactMap { word in
        switch word {
        case "%u", "%U", "%f", "%F": "%s"
        case "%i", "%c", "%k", "%d", "%D", "%n", "%N", "%v", "%m": nil
        default: word
        }
      }
      return words.isEmpty ? nil : BrowserCommand(words: words)
    }
    return nil
  }

  private static func dataFolders(_ environment: [String: String]) -> [String] {
    let own = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { $0 + "/.local/share" }
    let shared = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
    return [own].compactMap(\.self) + shared.split(separator: ":").map(String.init)
  }
}
