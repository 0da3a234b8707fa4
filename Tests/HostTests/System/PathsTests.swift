import Foundation
import Glibc
import TestSupport
import Testing

@testable import Host

/// Where a user's files are, from what the surroundings say.
struct PathsTests {
  @Test func `the folders of a desktop session`() {
    let paths = Paths(
      environment: [
        "HOME": "/home/a", "XDG_CONFIG_HOME": "/c", "XDG_RUNTIME_DIR": "/run/user/7/", "XDG_STATE_HOME": "/s",
      ])
    #expect(paths.configDirectory == "/c/oauthctl")
    #expect(paths.providersDirectory == "/c/oauthctl/providers")
    #expect(paths.lockDirectory == "/run/user/7/oauthctl")
  }

  @Test func `the usual places where nothing is said`() throws {
    let folder = try TestFolder()
    let paths = Paths(environment: ["HOME": "/home/a"], uid: getuid(), runtimeRoot: folder.path)
    #expect(paths.configDirectory == "/home/a/.config/oauthctl")
    #expect(paths.lockDirectory == "/home/a/.local/state/oauthctl")
  }

  @Test(arguments: ["", "relative", "./x", "~/x"])
  func `a value that is no absolute path counts as unset`(value: String) throws {
    let folder = try TestFolder()
    let paths = Paths(
      environment: ["HOME": "/h", "XDG_CONFIG_HOME": value, "XDG_RUNTIME_DIR": value, "XDG_STATE_HOME": value],
      uid: getuid(), runtimeRoot: folder.path)
    #expect(paths.configDirectory == "/h/.config/oauthctl")
    #expect(paths.lockDirectory == "/h/.local/state/oauthctl")
  }

  @Test func `cron finds the lock of the desktop`() throws {
    let root = try TestFolder()
    let runtime = "\(root.path)/\(getuid())"
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let desktop = Paths(environment: ["HOME": "/h", "XDG_RUNTIME_DIR": runtime])
    let cron = Paths(environment: ["HOME": "/h"], uid: getuid(), runtimeRoot: root.path)
    #expect(cron.lockDirectory == desktop.lockDirectory)
  }

  @Test(arguments: [0o755, 0o770, 0o600])
  func `a runtime folder that is not this user's alone is left`(mode: Int) throws {
    let root = try TestFolder()
    let runtime = "\(root.path)/\(getuid())"
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
    let paths = Paths(environment: ["HOME": "/h", "XDG_STATE_HOME": "/s"], uid: getuid(), runtimeRoot: root.path)
    #expect(paths.lockDirectory == "/s/oauthctl")
  }

  @Test func `a link in the runtime folder's place is left`() throws {
    let root = try TestFolder()
    #expect(symlink(root.path, "\(root.path)/\(getuid())") == 0)
    let paths = Paths(environment: ["HOME": "/h"], uid: getuid(), runtimeRoot: root.path)
    #expect(paths.lockDirectory == "/h/.local/state/oauthctl")
  }

  @Test func `the home folder comes from the password database where HOME is unset`() {
    #expect(Paths(environment: [:], uid: 0).configDirectory == "/root/.config/oauthctl")
    #expect(Paths(environment: ["HOME": "/"], uid: 0).configDirectory == "/.config/oauthctl")
  }
}
