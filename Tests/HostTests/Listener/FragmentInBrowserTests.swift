import Flows
import Foundation
import Testing

@testable import Host

/// The page that hands over a fragment, in a real Chromium, driven as the end-to-end tests drive it.
@Suite(.timeLimit(.minutes(1)))
struct FragmentInBrowserTests {
  private struct Seen: Decodable {
    /// What it asked for, the method before the URL.
    var requests: [String]
    var complaints: [String]
    var address: String
    /// The addresses that the back button can go to.
    var history: [String]
    var text: String
  }

  @Test func `the browser hands over the fragment, forgets it, and shows how it went`() async throws {
    let good = try Login(for: .fragment)
    let bad = try Login(RedirectAddress(host: "localhost"), for: .fragment)
    let (first, second) = ("http://127.0.0.1:\(good.port)/callback", "http://localhost:\(bad.port)/callback")
    let answer = "code=good&access_token=t%2Bk&state=s"
    let seen = try await visit([first, second + "?lang=de#error=access_denied&state=s", first + "#" + answer])

    #expect(seen[0].text.contains("no answer in this page's address"))
    #expect(seen[0].requests == ["GET " + first] && seen[0].complaints.isEmpty)

    #expect(try await bad.value() == "error=access_denied&state=s")
    #expect(bad.judged.all == ["lang=de", "error=access_denied&state=s"])
    #expect(seen[1].text.contains("no & never") && seen[1].complaints.isEmpty)
    #expect(seen[1].requests == ["GET " + second + "?lang=de", "POST " + second])

    #expect(try await good.value() == answer)
    #expect(good.judged.all == [answer])
    #expect(seen[2].text.contains("Authorization received") && !seen[2].text.contains("t%2Bk"))
    #expect(seen[2].requests == ["GET " + first, "POST " + first] && seen[2].complaints.isEmpty)
    #expect(seen[2].address == first && seen[2].history.filter { $0.hasPrefix("http") } == [first, second, first])
  }

  @Test func `without scripts, and with nobody there any more, the address is left to be pasted`() async throws {
    let login = try Login(for: .fragment)
    let address = "http://127.0.0.1:\(login.port)/callback#code=good&state=s"
    let unscripted = try #require(try await visit([address], scripts: false).first)
    #expect(unscripted.text.contains("runs no scripts") && unscripted.address == address)
    #expect(login.judged.all.isEmpty)
    let failed = try #require(try await visit([address], offline: true).first)
    #expect(failed.text.contains("could not be reached") && failed.address == address)
    #expect(login.judged.all.isEmpty)
  }

  /// - Parameter offline: whether the network is gone as soon as a page has loaded.
  private func visit(_ addresses: [String], scripts: Bool = true, offline: Bool = false) async throws -> [Seen] {
    let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().path + "/../../../EndToEnd"
    let script = """
      import json, os, sys, tempfile
      sys.path.insert(0, os.path.normpath(sys.argv[1]))
      from chromium import Chromium
      scripts, offline, *addresses = sys.argv[2:]
      seen = []
      with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
          browser = Chromium(profile)
          try:
              browser.call("Emulation.setScriptExecutionDisabled", value=scripts == "false")
              if offline == "true":
                  browser.call("Page.addScriptToEvaluateOnNewDocument", source="fetch = async () => { throw 0 }")
              for address in addresses:
                  browser.visit(address)
                  history = browser.call("Page.getNavigationHistory")
                  entries = [entry["url"] for entry in history["entries"]]
                  seen.append({
                      "requests": [r["request"]["method"] + " " + r["request"]["url"]
                                   for r in browser.of("Network.requestWillBeSent") if not r["request"]["url"].startswith("data:")],
                      "complaints": browser.complaints, "address": entries[history["currentIndex"]], "history": entries,
                      "text": browser.evaluate("document.body.innerText")})
          finally:
              browser.close()
      print(json.dumps(seen))
      """
    return try await onThread {
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      process.arguments = ["-c", script, folder, "\(scripts)", "\(offline)"] + addresses
      process.standardOutput = output
      try process.run()
      let printed = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return try JSONDecoder().decode([Seen].self, from: printed)
    }
  }
}
