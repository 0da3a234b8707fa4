import Glibc
import TestSupport
import Testing

@testable import Commands

/// An answer that cannot be written.
struct OutputTests {
  @Test(arguments: [
    ("not logged in to acme", "not logged in to acme"), ("acme: no answer", "acme: no answer"),
    ("'acme' is gone", "'acme' is gone"), ("the token of acme, but", "the token of acme, but"),
    ("cannot connect to id.acme.example: refused", "acme: cannot connect to id.acme.example: refused"),
    ("there is acme/work", "acme: there is acme/work"), ("no answer", "acme: no answer"), ("", "acme: "),
  ]) func `a message names once whom it is about`(_ message: String, _ whole: String) {
    #expect(Output.about("acme", message) == whole)
    #expect(Output.about(nil, message) == message)
  }

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
