import Testing

/// An item that is locked in an open collection: KeePassXC asks somebody before it hands one out.
@Suite struct KeptItemTests {
  private static func service(_ call: Call) -> Reply? {
    call.member == "SearchItems" ? PromptTests.found(locked: true) : PromptTests.service(call)
  }

  @Test(arguments: ["load", "save", "delete"])
  func `with nobody to allow it, it is told apart from a locked keyring`(operation: String) throws {
    let value = operation == "save" ? ["abc"] : []
    let result = try PromptTests.probe(["--do", operation, "session", "google", "work"] + value) { Self.service($0) }
    #expect(result.lines == ["error itemLocked"])
    #expect(Set(result.calls).isDisjoint(with: ["Unlock", "CreateItem", "SetSecret", "Delete"]))
    #expect(result.unexpected == [])
    #expect(result.seconds < 2)
  }

  @Test func `somebody who allows it leads to the value`() throws {
    let result = try PromptTests.probe(["--prompt", "--do", "load", "session", "google", "work"]) { call in
      call.member == "Prompt"
        ? .completing(prompt: PromptTests.prompt, dismissed: false, .list(of: "o", [.path(PromptTests.item)]))
        : Self.service(call)
    }
    #expect(result.lines == ["waiting", "value abc"])
    #expect(result.unexpected == [])
  }

  @Test func `somebody who does not allow it is not told that the keyring is locked`() throws {
    let result = try PromptTests.probe(["--prompt", "--do", "load", "session", "google", "work"]) { call in
      call.member == "Prompt"
        ? .completing(prompt: PromptTests.prompt, dismissed: true, .list(of: "o", [])) : Self.service(call)
    }
    #expect(result.lines == ["waiting", "error itemLocked"])
    #expect(result.unexpected == [])
  }
}
