import Foundation
import FuzzTargets
import Testing

/// Replays what the fuzzers found worth keeping.
struct CorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Corpus")

  @Test(arguments: FuzzTarget.allCases)
  func `each input of the corpus keeps what the target promises`(_ target: FuzzTarget) throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.folder.appending(path: target.rawValue), includingPropertiesForKeys: nil)
    #expect(files.count >= 5, "a corpus says more than that")
    for file in files {
      let input = try [UInt8](Data(contentsOf: file))
      #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.check(input) }
    }
  }

  @Test func `each folder of the corpus has a target`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(names) == Set(FuzzTarget.allCases.map(\.rawValue)))
  }
}
