import Glibc
import TestSupport
import Testing

@testable import Commands

/// An answer that cannot be written.
struct OutputTests {
  @Test(arguments: [false, true])
  func `a reader that went away is told nothing, any other fault is`(isJSON: Bool) throws {
    func messages(_ code: Int32) -> [String] {
      let said = Recorder<String>()
      let output = Output(
        isJSON: isJSON, isQuiet: false,
        writeAnswer: { _ in
          errno = code
          return false
        }, writeMessage: { said.add($0) })
      let failure = #expect(throws: Failure.self) { try output.answer("x") }
      #expect(failure?.exitCode == 75)
      if let failure { output.report(failure) }
      return said.all
    }
    #expect(messages(EPIPE) == [])
    for code in [ENOSPC, EBADF, EIO] {
      #expect(messages(code).count == 1 && messages(code)[0].contains("the answer could not be written"))
    }
  }
}
