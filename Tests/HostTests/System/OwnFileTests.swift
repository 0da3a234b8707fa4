import Foundation
import Glibc
import TestSupport
import Testing

@testable import Host

/// Files that nobody else may have a say in.
struct OwnFileTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func read(_ file: String) throws -> [UInt8] { try OwnFile.read(file, limit: 9, in: [folder.path]) }

  @Test(arguments: [0o600, 0o644, 0o664])
  func `a file that this user alone, or a group, can change is read`(mode: Int) throws {
    #expect(try read(try folder.file("a", "x", mode: mode)) == [0x78])
  }

  @Test(arguments: [0o602, 0o646, 0o666])
  func `a file that all can change is refused, with what helps`(mode: Int) throws {
    let file = try folder.file("it's", "x", mode: mode)
    #expect(throws: FileError.exposed(path: file, hint: "chmod go-w '\(folder.path)/it'\\''s'")) { try read(file) }
  }

  @Test(arguments: [0o777, 0o1777, 0o703])
  func `a folder that all can change is refused with all that is in it`(mode: Int) throws {
    let file = try folder.file("a", "x")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
    #expect(throws: FileError.exposed(path: folder.path, hint: "chmod go-w \(folder.path)")) { try read(file) }
  }

  @Test func `what is not there is not found, whatever its folder`() throws {
    #expect(throws: FileError.notFound(path: folder.path + "/a")) { try read(folder.path + "/a") }
    try OwnFile.check(folder: folder.path + "/none")
  }

  @Test func `another user's is refused, root's and one's own are not`() throws {
    try OwnFile.check("/f", owner: 0, mode: 0o644, user: 1000)
    try OwnFile.check("/f", owner: 1000, mode: 0o644, user: 1000)
    for user: UInt32 in [0, 1000] {
      #expect(throws: FileError.exposed(path: "/f", hint: "sudo chown \(CurrentUser.name(of: user)): /f")) {
        try OwnFile.check("/f", owner: 4_000_000_007, mode: 0o600, user: user)
      }
    }
  }

  @Test func `what may not be read by its own owner is opened by a command`() throws {
    let file = try folder.file("a b", "x", mode: 0)
    func remedy() -> String? { OwnFile.remedy(ofUnreadable: file, in: [folder.path]) }
    #expect(remedy() == "chmod u+r '\(file)'")
    chmod(file, 0o400)
    #expect(remedy() == nil)
    chmod(folder.path, 0o100)
    #expect(remedy() == "chmod u+rwx \(folder.path)")
    chmod(folder.path, 0o700)
  }
}
