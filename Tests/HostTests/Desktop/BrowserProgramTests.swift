import Flows
import TestSupport
import Testing

@testable import Host

/// Which browser would be opened; none is.
struct BrowserProgramTests {
  @Test func `it is the first that can be started, as when one is opened`() throws {
    let folder = try TestFolder()
    let own = try folder.file("own", "#!/bin/sh\n", mode: 0o755)
    func program(_ environment: [String: String], command: String? = nil) throws -> String {
      try DesktopBrowser(environment: environment.merging(["PATH": folder.path]) { own, _ in own }, command: command)
        .program()
    }
    #expect(try program(["BROWSER": "missing:lynx:own --new %s"]) == own)
    #expect(try program([:], command: "own") == own)
    #expect(throws: BrowserError.notFound(tried: ["missing"])) { try program(["BROWSER": "missing %s"]) }
    #expect(throws: BrowserError.notFound(tried: ["xdg-open"])) { try program(["DISPLAY": ":0"]) }
    #expect(throws: BrowserError.noDisplay(reason: "there is no display")) { try program([:]) }
    #expect(throws: BrowserError.noDisplay(reason: "this is an SSH session")) {
      try program(["SSH_TTY": "/dev/pts/1", "DISPLAY": ":0", "BROWSER": "own"])
    }
  }

  @Test func `what stands in its way is known before it is opened`() throws {
    let folder = try TestFolder()
    _ = try folder.file("own", "#!/bin/sh\n", mode: 0o755)
    func obstacle(_ environment: [String: String], command: String? = nil) -> BrowserError? {
      DesktopBrowser(
        environment: environment.merging(["PATH": folder.path]) { own, _ in own }, command: command, isPrivate: true
      ).obstacle
    }
    #expect(obstacle(["BROWSER": "missing:own"]) == nil)
    #expect(obstacle(["SSH_TTY": "/dev/pts/1"], command: "own") == nil)
    #expect(obstacle(["DISPLAY": ":0", "BROWSER": "w3m"]) == .notFound(tried: ["xdg-open"]))
    #expect(obstacle([:]) == .noDisplay(reason: "there is no display"))
    #expect(
      obstacle(["SSH_CLIENT": "192.0.2.1 1 22", "BROWSER": "own"]) == .noDisplay(reason: "this is an SSH session"))
  }
}
