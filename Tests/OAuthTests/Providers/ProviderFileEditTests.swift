import OAuth
import TestSupport
import Testing

/// A file that a person wrote names another client, or none, and is as it was else.
struct ProviderFileEditTests {
  static let rows: [Named<(before: String, without: String, with: String)>] = [
    Named(
      "as it is written by the program",
      (
        "{\n  \"client_id\" : \"old\",\n  \"issuer\" : \"https://a\",\n  \"name\" : \"acme\"\n}\n",
        "{\n  \"issuer\" : \"https://a\",\n  \"name\" : \"acme\"\n}\n",
        "{\n  \"client_id\" : \"n\\\"w\",\n  \"issuer\" : \"https://a\",\n  \"name\" : \"acme\"\n}\n"
      )),
    Named(
      "with comments, the last of all",
      (
        "// mine: \"client_id\": \"x\",\n{\"name\":\"acme\", /* { */\n \"issuer\":\"https://a\", // here\n\t\"client_id\": \"old\"\n}",
        "// mine: \"client_id\": \"x\",\n{\"name\":\"acme\", /* { */\n \"issuer\":\"https://a\" // here\n}",
        "// mine: \"client_id\": \"x\",\n{\"name\":\"acme\", /* { */\n \"issuer\":\"https://a\", // here\n\t\"client_id\": \"n\\\"w\"\n}"
      )),
    Named(
      "on one line, a comment in between",
      (
        "{\"name\":\"acme\",\"client_id\"/*a*/:/*b*/\"old\"/*c*/,\"issuer\":\"https://a\"}",
        "{\"name\":\"acme\",\"issuer\":\"https://a\"}",
        "{\"name\":\"acme\",\"client_id\"/*a*/:/*b*/\"n\\\"w\"/*c*/,\"issuer\":\"https://a\"}"
      )),
    Named(
      "a comment behind it stays, and so does what only looks like it",
      (
        "\u{FEFF}{\"name\":\"acme\",\r\n\"client_id\":\"old\", // since May\r\n\"issuer\":\"https://a\",\"title\":\"\\\"client_id\\\": \\\\\"}\r\n",
        "\u{FEFF}{\"name\":\"acme\",\r\n // since May\r\n\"issuer\":\"https://a\",\"title\":\"\\\"client_id\\\": \\\\\"}\r\n",
        "\u{FEFF}{\"name\":\"acme\",\r\n\"client_id\":\"n\\\"w\", // since May\r\n\"issuer\":\"https://a\",\"title\":\"\\\"client_id\\\": \\\\\"}\r\n"
      )),
  ]

  @Test(arguments: rows) func `nothing but the client changes`(
    _ row: Named<(before: String, without: String, with: String)>
  ) {
    let bytes = Array(row.value.before.utf8)
    #expect(
      ProviderFileEdit.settingClientID(nil, in: bytes).map { String(decoding: $0, as: UTF8.self) } == row.value.without)
    #expect(
      ProviderFileEdit.settingClientID("n\"w", in: bytes).map { String(decoding: $0, as: UTF8.self) } == row.value.with)
  }

  static let odd: [Named<(file: String, line: Int?)>] = [
    Named("its name with an escape", (#"{"name":"acme","issuer":"https://a","client\u005fid":"old"}"#, nil)),
    Named("it names none", (#"{"name":"acme","issuer":"https://a"}"#, nil)),
    Named("it cannot be read", ("{\n\"client_id\":\"old\",", 2)),
    Named(
      "another key of another object", (#"{"name":"acme","issuer":"https://a","endpoints":{"client_id":"old"}}"#, nil)),
    Named("no object at all", ("\"client_id\"", nil)), Named("nothing", ("", nil)),
    Named("half a comment", ("{/", nil)),
    Named("half a word", (#"{"client_id":"\"#, 1)),
  ]

  @Test(arguments: odd) func `what cannot be changed with certainty is left alone`(
    _ row: Named<(file: String, line: Int?)>
  ) {
    let bytes = Array(row.value.file.utf8)
    #expect(ProviderFileEdit.settingClientID(nil, in: bytes) == nil)
    #expect(ProviderFileEdit.settingClientID("new", in: bytes) == nil)
    #expect(ProviderFileEdit.lineOfClientID(in: bytes) == row.value.line)
  }
}
