import Testing

@testable import Commands

struct TextTests {
  @Test func `columns are as wide as their widest cell, and no line ends in blanks`() {
    let text = TextTable.render(["NAME", "É", "X"], [["a", "long", ""], ["longer", "ü", "y"]])
    #expect(text == "NAME    É     X\na       long\nlonger  ü     y\n")
    #expect(TextTable.render(["A", "B"], []) == "A  B\n")
  }

  @Test(arguments: [
    (0, "in 0s"), (0.9, "in 0s"), (1, "in 1s"), (119, "in 119s"), (120, "in 2m"), (7199, "in 119m"), (7200, "in 2h"),
    (172_799, "in 47h"), (172_800, "in 2d"), (31_536_000, "in 365d"), (-1, "1s ago"), (-90, "90s ago"),
    (-86400, "24h ago"),
  ]) func `a time span is rounded down to a unit`(_ seconds: Double, _ text: String) {
    #expect(Relative.text(seconds) == text)
  }
}
