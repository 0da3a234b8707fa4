import OAuth
import Testing

struct HTTPMessageTests {
  @Test func `a header is found whatever its case, the first of several`() {
    let response = HTTPResponse(status: 200, headers: [HTTPHeader("Retry-After", "1"), HTTPHeader("retry-after", "2")])
    #expect(response.header("RETRY-AFTER") == "1" && response.header("Retry") == nil)
  }
}
