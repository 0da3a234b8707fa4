import Flows
import Foundation
import Glibc
import OAuth
import TestSupport
import Testing

@testable import Host

/// What is looked at for a diagnosis.
struct DiagnosisTests {
  @Test(arguments: LoopbackProbe.Address.allCases)
  func `a connection to this machine's own loopback address is made`(_ address: LoopbackProbe.Address) {
    #expect(LoopbackProbe.run(address) == .works)
  }

  @Test func `a port that nobody listens on takes no connection, and a full one is given up`() throws {
    var (socket, port) = try LoopbackSocket.listen(.v4, port: 0)
    #expect(LoopbackSocket.connect(.v4, port: port, limit: 1000) == nil)
    let former = port
    (socket, port) = try LoopbackSocket.listen(.v4, port: 0)
    #expect(LoopbackSocket.connect(.v4, port: former, limit: 1000) == "connection refused")
    withExtendedLifetime(socket) {}
  }

  @Test func `a folder is described, and what is not there is not`() throws {
    let folder = try TestFolder()
    let status = try #require(try FolderStatus.of(folder.path))
    #expect(status == FolderStatus(path: folder.path, owner: geteuid(), mode: 0o700))
    #expect(!status.isWritableByGroup && !status.isWritableByAll && status.modeText == "700")
    let file = try folder.file("f", "x", mode: 0o622)
    let other = try #require(try FolderStatus.of(file))
    #expect(!other.isFolder && other.isWritableByGroup && other.isWritableByAll)
    #expect(try FolderStatus.of(folder.path + "/none") == nil)
    #expect(throws: FileError.self) { try FolderStatus.of(file + "/below") }
  }

  @Test func `the space of a folder that is not there yet is that of the one above it`() throws {
    let folder = try TestFolder()
    #expect(FolderStatus.space(at: folder.path + "/a/b/c") == .some)
    #expect(FolderStatus.space(at: "/proc/self") == .some)
  }

  @Test func `a user has a name, or at least a number`() {
    #expect(CurrentUser.name(of: 0) == "root")
    #expect(CurrentUser.name(of: 4_000_000_001) == "4000000001")
    #expect(CurrentUser.id == geteuid())
  }

  @Test func `what could run by the clock is known by its traces`() throws {
    let root = try TestFolder()
    func find() -> TimerSupport { TimerSupport.find(environment: ["XDG_RUNTIME_DIR": "/run/me"], root: root.path) }
    #expect(find() == TimerSupport(hasUserManager: false, lingers: false, hasCron: false))
    try root.write("1", to: "run/crond.pid")
    #expect(find() == TimerSupport(hasUserManager: false, lingers: false, hasCron: true))
    try root.write("", to: "run/me/systemd/private")
    try root.write("", to: "var/lib/systemd/linger/\(CurrentUser.name())")
    #expect(find() == TimerSupport(hasUserManager: true, lingers: true, hasCron: true))
  }

  @Test func `the certificates that are trusted are read as a request reads them`() throws {
    let folder = try TestFolder()
    func find(_ file: String?) throws -> TrustReport.Source? {
      try TrustReport.find(CurlOptions(version: "0", environment: file.map { ["SSL_CERT_FILE": $0] } ?? [:]))
    }
    guard case .builtIn(let bundle)? = try find(nil) else {
      Issue.record("libcurl's own bundle was not found")
      return
    }
    #expect(try find(bundle) == .variable(file: bundle))
    let none = folder.path + "/none.pem"
    #expect(throws: FileError.notFound(path: none)) { try find(none) }
    let junk = try folder.file("junk.pem", "junk")
    #expect(throws: FileError.unreadable(path: junk, reason: "there is no PEM certificate in it")) { try find(junk) }
    #expect(throws: FileError.notFound(path: "/none.pem")) {
      try TrustReport.find(CurlOptions(version: "0", extraCertificates: "/none.pem"))
    }
  }

  static let proxies: [Named<(environment: [String: String], expected: ProxyReport)>] = [
    Named("none", (["HTTPS_PROXY": "", "http_proxy": "http://p:1"], .none)),
    Named(
      "with a password",
      (
        ["HTTPS_PROXY": "http://ada:hush@proxy.example:3128/"],
        .used(variable: "HTTPS_PROXY", proxy: "http://proxy.example:3128", exceptions: nil)
      )),
    Named(
      "without a scheme",
      (
        ["https_proxy": "proxy.example", "HTTPS_PROXY": "http://other:1", "NO_PROXY": ".local"],
        .used(variable: "https_proxy", proxy: "http://proxy.example:1080", exceptions: ".local")
      )),
    Named(
      "for everything",
      (
        ["ALL_PROXY": "socks5h://[::1]:9050"],
        .used(variable: "ALL_PROXY", proxy: "socks5h://[::1]:9050", exceptions: nil)
      )
    ),
    Named(
      "a port that is none",
      (["HTTPS_PROXY": "http://hush@p:99999"], .malformed(variable: "HTTPS_PROXY", reason: "it is not a URL"))),
    Named(
      "another scheme",
      (
        ["https_proxy": "gopher://p:70"],
        .malformed(
          variable: "https_proxy", reason: "its scheme is none of http, https, socks4, socks4a, socks5, socks5h")
      )),
  ]

  @Test(arguments: proxies) func `the proxy is the one that libcurl takes, without its password`(
    _ row: Named<(environment: [String: String], expected: ProxyReport)>
  ) throws {
    #expect(try ProxyReport.find(environment: row.value.environment) == row.value.expected)
  }

  @Test func `a program is found, and the libraries are`() {
    #expect(InstalledProgram.path("sh", environment: ["PATH": "/nowhere:/bin"]) == "/bin/sh")
    #expect(InstalledProgram.path("sh", environment: ["PATH": "/nowhere"]) == nil)
    #expect(LibraryReport.curlProblem() == nil)
  }

  @Test func `a hardened process has no gaps, another has both`() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      _ = getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      limit.rlim_cur = limit.rlim_max
      _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      #expect(ProcessHardening.gaps.count == (limit.rlim_max == 0 ? 1 : 2))
      ProcessHardening.apply()
      #expect(ProcessHardening.gaps.isEmpty)
    }
  }

  @Test func `a HEAD is answered without the body that its length speaks of`() async throws {
    let server = try ScriptedServer { connection in
      connection.readRequest()
      connection.write("HTTP/1.1 405 No\r\nDate: Fri, 15 Jan 2027 08:00:00 GMT\r\nContent-Length: 3000000\r\n\r\n")
    }
    defer { server.stop() }
    let response = try await CurlClient(CurlOptions(version: "0")).send(
      HTTPRequest(method: .head, url: server.url + "/"))
    #expect(response.status == 405 && response.body.isEmpty)
    #expect(response.header("Date") == "Fri, 15 Jan 2027 08:00:00 GMT")
    #expect(server.requests.first?.line == "HEAD / HTTP/1.1")
  }
}
