import Flows
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Host

/// Bodies that come compressed, although nobody asked for that.
struct CurlEncodingTests {
  /// Sends a request to a server that answers with a body and what it says about its coding.
  private func reply(_ coding: String, _ base64: String) async throws -> HTTPResponse {
    let body = Array(try #require(Data(base64Encoded: base64)))
    let server = try ScriptedServer { connection in
      connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n")
      connection.write(body)
    }
    defer { server.stop() }
    let client = try CurlClient(CurlOptions(version: "0"))
    let response = try await client.send(HTTPRequest(method: .post, url: server.url))
    #expect(server.requests.first?.header("Accept-Encoding") == "identity")
    return response
  }

  /// `{"a":1}` as gzip and zlib write it.
  static let codings: [Named<(coding: String, body: String)>] = [
    Named("gzip", ("gzip", "H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA")),
    Named("deflate", ("deflate", "eJyrVkpUsjKsBQAIKgIJ")), Named("none", ("identity", "eyJhIjoxfQ==")),
  ]

  @Test(arguments: codings) func `a compressed body is read`(_ row: Named<(coding: String, body: String)>) async throws
  {
    #expect(try await reply(row.value.coding, row.value.body).body == Array(#"{"a":1}"#.utf8))
  }

  @Test func `a small body that would become a large one is too large`() async throws {
    // Two MiB of nothing.
    let bomb = "H4sIAAAAAAACA+3BMQEAAADCoPVPbQwfo" + String(repeating: "A", count: 2709) + "C+Bn6HiY0AACAA"
    let error = await #expect(throws: TransportError.self) { try await reply("gzip", bomb) }
    #expect(error?.kind == .tooLarge)
    #expect(error?.mayHaveArrived == true)
  }

  @Test func `a coding that is not known is what the message speaks of`() async throws {
    let error = await #expect(throws: TransportError.self) { try await reply("x-own", "eyJhIjoxfQ==") }
    #expect(error?.kind == .broken)
    #expect(error?.mayHaveArrived == true)
    #expect(error?.message.lowercased().contains("content encoding") == true)
  }

  @Test func `what is not what it says it is does not become a reply`() async {
    let error = await #expect(throws: TransportError.self) { try await reply("gzip", "eyJhIjoxfQ==") }
    #expect(error?.kind == .broken)
  }
}
