import Crypto
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Host

/// Whole files, read and written.
struct WholeFileTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func mode(_ name: String) -> mode_t {
    var status = stat()
    return lstat(folder.path + "/" + name, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test func `a file is written with its mode, and replaced`() throws {
    try WholeFile.write(Array("one".utf8), to: folder.path + "/f")
    #expect(folder.read("f") == "one")
    #expect(mode("f") == 0o600)
    try WholeFile.write(Array("two, longer".utf8), to: folder.path + "/f", mode: 0o644)
    #expect(folder.read("f") == "two, longer")
    #expect(mode("f") == 0o644)
    #expect(try folder.names == ["f"])
  }

  @Test func `a long content is written whole`() throws {
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) }
    try WholeFile.write(bytes, to: folder.path + "/f")
    #expect(try WholeFile.read(folder.path + "/f", limit: bytes.count) == bytes)
  }

  @Test func `a failure leaves nothing behind`() throws {
    try FileManager.default.createDirectory(atPath: folder.path + "/f/g", withIntermediateDirectories: true)
    let error = #expect(throws: FileError.self) { try WholeFile.write([1], to: folder.path + "/f") }
    #expect(error == .unwritable(path: folder.path + "/f", reason: "is a directory"))
    #expect(try folder.names == ["f"])
    #expect(throws: FileError.unwritable(path: "/nowhere/f", reason: "no such file or directory")) {
      try WholeFile.write([1], to: "/nowhere/f")
    }
  }

  @Test func `a link is replaced, not followed`() throws {
    let target = try folder.file("target", "kept")
    #expect(symlink(target, folder.path + "/link") == 0)
    try WholeFile.write(Array("new".utf8), to: folder.path + "/link")
    #expect(folder.read("target") == "kept")
    #expect(folder.read("link") == "new")
  }

  @Test func `reading ends at the limit`() throws {
    let file = try folder.file("f", "12345")
    #expect(try WholeFile.read(file, limit: 5) == Array("12345".utf8))
    #expect(throws: FileError.tooLarge(path: file, limit: 4)) { try WholeFile.read(file, limit: 4) }
    #expect(throws: FileError.tooLarge(path: "/dev/zero", limit: 1000)) {
      try WholeFile.read("/dev/zero", limit: 1000)
    }
  }

  @Test func `what cannot be read says why`() {
    #expect(throws: FileError.notFound(path: "/nowhere")) { try WholeFile.read("/nowhere", limit: 1) }
    #expect(throws: FileError.notFound(path: "/etc/passwd\u{0}x")) {
      try WholeFile.read("/etc/passwd\u{0}x", limit: 1)
    }
    #expect(throws: FileError.unreadable(path: "/tmp", reason: "is a directory")) {
      try WholeFile.read("/tmp", limit: 1)
    }
  }
}

/// Secrets from files.
struct SecretFileTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  static let contents: [(String, String)] = [
    ("s3cret", "s3cret"), ("s3cret\n", "s3cret"), ("s3cret\r\n", "s3cret"), ("s3cret\n\n", "s3cret\n"),
    (" s3cret \n", " s3cret "), ("s3cret\r", "s3cret\r"), ("a\nb\n", "a\nb"), ("\n\n", "\n"),
  ]

  @Test(arguments: contents)
  func `one line end is not part of the secret`(content: String, secret: String) throws {
    #expect(try SecretFile.read(try folder.file("s", content)).reveal() == secret)
  }

  @Test(arguments: ["", "\n", "\r\n"])
  func `an empty file is no secret`(content: String) throws {
    let file = try folder.file("s", content)
    #expect(throws: FileError.empty(path: file)) { try SecretFile.read(file) }
  }

  @Test(arguments: [0o620, 0o602, 0o666])
  func `a file that others can change is refused with the remedy`(mode: Int) throws {
    let file = try folder.file("it's", "s3cret", mode: mode)
    let hint = "chmod 600 '\(folder.path)/it'\\''s'"
    #expect(throws: FileError.exposed(path: file, hint: hint)) { try SecretFile.read(file) }
    #expect(FileError.exposed(path: "f", hint: "chmod 600 f").reason == "f: other users can change it (chmod 600 f)")
  }

  @Test(arguments: [0o640, 0o604, 0o644])
  func `a file that others can read is read with a warning`(mode: Int) throws {
    let file = try folder.file("s", "s3cret", mode: mode)
    var warnings: [String] = []
    #expect(try SecretFile.read(file) { warnings.append($0) }.reveal() == "s3cret")
    #expect(warnings == ["\(file): other users can read this secret (chmod 600 \(file))"])
  }

  @Test func `a longer file than any secret is refused`() throws {
    let limit = SecretFile.limit
    #expect(try SecretFile.read(try folder.file("s", String(repeating: "x", count: limit))).count == limit)
    let file = try folder.file("l", String(repeating: "x", count: limit + 1))
    #expect(throws: FileError.tooLarge(path: file, limit: limit)) { try SecretFile.read(file) }
  }

  @Test func `a pipe is as good as a file`() throws {
    var ends: [CInt] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { close(ends[0]) }
    #expect(write(ends[1], "s3cret\n", 7) == 7)
    close(ends[1])
    #expect(try SecretFile.read("/dev/fd/\(ends[0])").reveal() == "s3cret")
  }

  @Test func `a dash is standard input`() async {
    await #expect(processExitsWith: .success) {
      var ends: [CInt] = [0, 0]
      #expect(pipe(&ends) == 0)
      #expect(write(ends[1], "s3cret\n", 7) == 7)
      close(ends[1])
      dup2(ends[0], STDIN_FILENO)
      let secret = try SecretFile.read("-")
      #expect(secret.reveal() == "s3cret")
    }
  }

  @Test func `a folder is no secret`() {
    #expect(throws: FileError.unreadable(path: folder.path, reason: "is a directory")) {
      try SecretFile.read(folder.path)
    }
  }
}
