import CLI
import Testing

@Suite struct `What was meant by a mistyped word` {
  static let words = ["google", "github", "gitlab", "microsoft", "box", "x", "login", "logout", "lock"]

  @Test(arguments: [
    ("gogle", "google"), ("googel", "google"), ("GOOGLE", "google"), ("gihtub", "github"), ("githlab", "gitlab"),
    ("micorsotf", "microsoft"), ("bxo", "box"), ("micro", "microsoft"), ("logi", "login"), ("log", "login"),
  ])
  func `the nearest word is found`(typed: String, meant: String) {
    #expect(Suggestion.nearest(to: typed, among: Self.words) == meant)
  }

  @Test(arguments: ["", "y", "zz", "bing", "mi", "facebook", "elgoog"])
  func `nothing is made up for a word that is like none`(typed: String) {
    #expect(Suggestion.nearest(to: typed, among: ["google", "github", "microsoft", "x"]) == nil)
  }

  @Test func `a word as long as a book is no burden`() {
    let book = String(repeating: "google", count: 100_000)
    #expect(Suggestion.nearest(to: book, among: Self.words) == nil)
  }

  @Test func `there may be nothing to choose from`() {
    #expect(Suggestion.nearest(to: "google", among: []) == nil)
  }
}
