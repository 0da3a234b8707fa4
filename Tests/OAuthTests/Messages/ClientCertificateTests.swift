import Crypto
import Foundation
import OAuth
import Testing

/// A client's certificate as it stands in the keyring.
struct ClientCertificateTests {
  @Test func `it is kept under chain and key`() throws {
    let certificate = ClientCertificate(chain: Secret("the chain"), key: Secret("the key"))
    let json = Data(#"{"chain":"the chain","key":"the key"}"#.utf8)
    #expect(try JSONDecoder().decode(ClientCertificate.self, from: json) == certificate)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(try encoder.encode(certificate) == json)
  }

  @Test func `it does not show in a text`() {
    let certificate = ClientCertificate(chain: Secret("the chain"), key: Secret("the key"))
    let request = HTTPRequest(method: .get, url: "https://h/", clientCertificate: certificate)
    var dumped = ""
    dump(request, to: &dumped)
    for text in ["\(certificate)", "\(request)", dumped] {
      #expect(!text.contains("the chain") && !text.contains("the key"))
    }
  }
}
