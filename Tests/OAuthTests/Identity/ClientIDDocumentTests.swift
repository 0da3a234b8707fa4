import OAuth
import TestSupport
import Testing

struct ClientIDDocumentTests {
  @Test(arguments: ["https://app.example/client", "https://app.example/a/b?v=1", "https://app.example:8443/c.json"])
  func `the URL of a document is a client's id where the server takes such ids`(_ id: String) throws {
    let taking = try metadata(#","client_id_metadata_document_supported":true"#)
    try ClientIDDocument.check(id, at: taking)
    try ClientIDDocument.check(id, at: nil)
    for (more, canRegister) in [("", false), (#","registration_endpoint":"https://a/r""#, true)] {
      let metadata = try metadata(more)
      #expect(throws: ClientIDDocument.Failure.unsupported(issuer: "https://a", canRegister: canRegister)) {
        try ClientIDDocument.check(id, at: metadata)
      }
    }
  }

  @Test(arguments: [
    "https://app.example", "https://app.example/", "https://app.example?x", "https://app.example/a#f",
    "https://u@app.example/a", "https://app.example/a/../b", "https://app.example/./b", "https://app.example/%2E%2e/b",
  ]) func `a URL that is no document's is told`(_ id: String) {
    let failure = #expect(throws: ClientIDDocument.Failure.self) { try ClientIDDocument.check(id, at: nil) }
    guard case .malformed(id, _) = failure else {
      Issue.record("another failure: \(failure as Any)")
      return
    }
  }

  @Test func `an id that is no URL is not judged`() throws {
    let metadata = try metadata("")
    for id in ["abc", "http://app.example", "urn:x", ""] { try ClientIDDocument.check(id, at: metadata) }
  }

  private func metadata(_ more: String) throws -> ServerMetadata {
    try Discovery.validate(.json(#"{"issuer":"https://a"\#(more)}"#), url: "u", issuer: "https://a")
  }
}
