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

  private enum Mode: String { case usual, withoutScripts, withoutNetwork }

  @Test func `the browser hands over the fragment, forgets it, and shows how it went; or leaves it to be pasted`()
    async throws
  {
    let (good, idle) = (try Login(for: .fragment), try Login(for: .fragment))
    let bad = try Login(RedirectAddress(host: "localhost"), for: .fragment)
    let (first, second) = ("http://127.0.0.1:\(good.port)/callback", "http://localhost:\(bad.port)/callback")
    let third = "http://127.0.0.1:\(idle.port)/callback"
    let answer = "code=good&access_token=t%2Bk&state=s"
    let seen = try await visit([
      (.usual, first), (.usual, second + "?lang=de#error=access_denied&state=s"), (.usual, first + "#" + answer),
      (.withoutScripts, third + "#" + answer), (.withoutNetwork, third + "?x#" + answer),
    ])
    try #require(seen.count == 5)

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

    #expect(seen[3].text.contains("runs no scripts") && seen[3].address == third + "#" + answer)
    #expect(seen[4].text.contains("could not be reached") && seen[4].address == third + "?x#" + answer)
    #expect(idle.judged.all == ["x"])
  }

  private func visit(_ visits: [(mode: Mode, address: String)]) async throws -> [Seen] {
    let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().path + "/../../../EndToEnd"
    let script = """
      import json, os, sys, tempfile
      sys.path.insert(0, os.path.normpath(sys.argv[1]))
      from chromium import Chromium
      seen = []
      with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
          browser = Chromium(profile)
          try:
              for mode, address in zip(sys.argv[2::2], sys.argv[3::2]):
                  browser.call("Emulation.setScriptExecutionDisabled", value=mode == "withoutScripts")
                  if mode == "withoutNetwork":
                      browser.call("Page.addScriptToEvaluateOnNewDocument", source="fetch = async () => { throw 0 }")
                  browser.visit(address)
                  requests = [event["request"] for event in browser.of("Network.requestWillBeSent")]
                  history = browser.call("Page.getNavigationHistory")
                  entries = [entry["url"] for entry in history["entries"]]
                  seen.append({
                      "requests": [r["method"] + " " + r["url"] for r in requests if not r["url"].startswith("data:")],
                      "complaints": browser.complaints, "address": entries[history["currentIndex"]],
                      "history": entries, "text": browser.evaluate("document.body.innerText")})
          finally:
              browser.close()
      print(json.dumps(seen))
      """
    return try await onThread {
      let (process, output) = (Process(), Pipe())
      // A browser can do with what processor time the other tests leave: some of them look at the clock.
      process.executableURL = URL(fileURLWithPath: "/usr/bin/nice")
      process.arguments =
        ["/usr/bin/python3", "-c", script, folder] + visits.flatMap { [$0.mode.rawValue, $0.address] }
      process.standardOutput = output
      try process.run()
      let printed = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return try JSONDecoder().decode([Seen].self, from: printed)
    }
  }
}
