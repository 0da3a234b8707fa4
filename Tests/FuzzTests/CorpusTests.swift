import Flows
import Foundation
import FuzzTargets
import Testing

/// Replays what the fuzzers found worth keeping.
struct CorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Corpus")

  @Test(arguments: FuzzTarget.allCases)
  func `each input of the corpus keeps what the target promises`(_ target: FuzzTarget) async throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.folder.appending(path: target.rawValue), includingPropertiesForKeys: nil)
    #expect(files.count >= 5, "a corpus says more than that")
    let inputs = try files.map { (name: $0.lastPathComponent, bytes: try [UInt8](Data(contentsOf: $0))) }
    // On a thread of its own: it works for seconds, and other tests need the threads of the pool meanwhile.
    let broken = await withCheckedContinuation { continuation in
      let started = WorkerThread.start { continuation.resume(returning: Self.broken(target, inputs)) }
      if !started { continuation.resume(returning: ["no thread left"]) }
    }
    #expect(broken == [])
  }

  private static func broken(_ target: FuzzTarget, _ inputs: [(name: String, bytes: [UInt8])]) -> [String] {
    inputs.compactMap { input in
      do {
        try target.check(input.bytes)
        return nil
      } catch {
        return "\(input.name): \(error)"
      }
    }
  }

  @Test func `each folder of the corpus has a target`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(names) == Set(FuzzTarget.allCases.map(\.rawValue)))
  }
}
