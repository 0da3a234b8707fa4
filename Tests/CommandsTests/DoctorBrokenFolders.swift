import Foundation
import Host
import TestSupport

@testable import Commands
@testable import Flows

/// Folders and files whose owner or mode is wrong.
extension BrokenSetUp {
  private static func folder(_ status: FolderStatus) -> @Sendable (inout Machine) -> Void {
    { $0.folder = { $0 == status.path ? status : FolderStatus(path: $0, owner: DoctorStory.user, mode: 0o700) } }
  }

  /// Gives the machine a provider file, which is there for as long as the machine is.
  private static func configure(_ machine: inout Machine, _ file: String, mode: Int = 0o600) throws {
    let folder = try TestFolder()
    try folder.write(file, to: "oauthctl/providers/acme.json")
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: folder.path + "/oauthctl/providers/acme.json")
    machine.paths = Paths(environment: ["XDG_CONFIG_HOME": folder.path, "XDG_RUNTIME_DIR": "/run/user/1000"])
    machine.userName = { _ in withExtendedLifetime(folder) { "ada" } }
  }

  static let folders: [BrokenSetUp] = [
    BrokenSetUp(
      "root's folder", "configuration", fails: 78, "belongs to root, not to ada (sudo may have made it)",
      "sudo chown -R ada: /home/ada/.config/oauthctl",
      folder(FolderStatus(path: DoctorStory.folder, owner: 0, mode: 0o700))),
    BrokenSetUp(
      "another's providers", "configuration", fails: 78, "belongs to user7", "sudo chown -R ada:",
      folder(FolderStatus(path: DoctorStory.folder + "/providers", owner: 7, mode: 0o755))),
    BrokenSetUp(
      "a folder for all", "configuration", fails: 78, "all users can change", "chmod -R go-w",
      folder(FolderStatus(path: DoctorStory.folder, owner: DoctorStory.user, mode: 0o777))),
    BrokenSetUp(
      "a folder for a group", "configuration", warns: "the group can change", "chmod -R go-w",
      folder(FolderStatus(path: DoctorStory.folder, owner: DoctorStory.user, mode: 0o775))),
    BrokenSetUp(
      "a file in the folder's place", "configuration", fails: 78, "is not a folder", "mv ",
      folder(FolderStatus(path: DoctorStory.folder, isFolder: false, owner: DoctorStory.user, mode: 0o600))),
    BrokenSetUp(
      "a closed folder", "configuration", fails: 78, "cannot be read", "chmod u+rwx",
      folder(FolderStatus(path: DoctorStory.folder, owner: DoctorStory.user, mode: 0, isAccessible: false))),
    BrokenSetUp("a closed outer folder", "configuration", fails: 78, "cannot be read", "chmod u+rwx /home/ada") {
      $0.folder = { path in
        guard path == DoctorStory.folder else { throw FileError.unreadable(path: path, reason: "permission denied") }
        return FolderStatus(path: path, owner: DoctorStory.user, mode: 0, isAccessible: false)
      }
    },
    BrokenSetUp("a folder that cannot be looked at", "configuration", fails: 78, "permission denied", "namei -l") {
      $0.folder = { path in
        guard path != DoctorStory.folder else { throw FileError.unreadable(path: path, reason: "permission denied") }
        return nil
      }
    },
    BrokenSetUp("root's parent folder", "configuration", warns: "/home/ada/.config belongs to root", "sudo chown ada:")
    {
      $0.folder = { $0 == "/home/ada/.config" ? FolderStatus(path: $0, owner: 0, mode: 0o755) : nil }
    },
    BrokenSetUp("a broken provider file", "provider-files", fails: 78, "acme.json:1:", "correct the file") {
      try configure(&$0, "{]")
    },
    BrokenSetUp("a provider file for all", "provider-files", fails: 78, "other users can change it", "chmod go-w /") {
      try configure(&$0, #"{"name":"acme"}"#, mode: 0o666)
    },
    BrokenSetUp("a provider file for a group", "provider-files", warns: "the group can change", "chmod go-w /") {
      try configure(&$0, #"{"name":"acme"}"#, mode: 0o664)
      $0.folder = {
        try FolderStatus.of($0).map {
          FolderStatus(path: $0.path, isFolder: $0.isFolder, owner: DoctorStory.user, mode: $0.mode)
        }
      }
    },
    BrokenSetUp("a secret in a provider file", "provider-files", warns: "headers.X-Api-Key", "chmod 600") {
      try configure(&$0, #"{"name":"acme","headers":{"X-Api-Key":"hush"}}"#)
    },
    BrokenSetUp("a lock folder for all", "lock-folder", fails: 78, "other users have access", "chmod -R u+rwX,go=") {
      $0.takeLock = { _ in
        throw LockError.unusable(path: DoctorStory.lockFolder, reason: "other users have access to it")
      }
    },
    BrokenSetUp("another's lock folder", "lock-folder", fails: 78, "another user", "sudo chown -R ada:") {
      $0.takeLock = { _ in throw LockError.unusable(path: DoctorStory.lockFolder, reason: "it belongs to another user")
      }
      folder(FolderStatus(path: DoctorStory.lockFolder, owner: 0, mode: 0o700))(&$0)
    },
    BrokenSetUp(
      "another's runtime folder", "lock-folder", warns: "in a folder of user7", "unset XDG_RUNTIME_DIR",
      folder(FolderStatus(path: "/run/user/1000", owner: 7, mode: 0o700))),
    BrokenSetUp("another's closed runtime folder", "lock-folder", fails: 78, "permission", "unset XDG_RUNTIME_DIR") {
      $0.takeLock = { _ in throw LockError.unusable(path: DoctorStory.lockFolder, reason: "permission denied") }
      folder(FolderStatus(path: "/run/user/1000", owner: 7, mode: 0o700))(&$0)
    },
    BrokenSetUp("a read-only runtime folder", "lock-folder", fails: 78, "read-only", "XDG_RUNTIME_DIR") {
      $0.takeLock = { _ in throw LockError.unusable(path: DoctorStory.lockFolder, reason: "read-only file system") }
      $0.space = { _ in .readOnly }
    },
    BrokenSetUp("a full disk", "lock-folder", fails: 78, "no space left", "df -h") {
      $0.takeLock = { _ in throw LockError.unusable(path: DoctorStory.lockFolder, reason: "no space left on device") }
      $0.space = { _ in .full }
    },
    BrokenSetUp("a disk that is full and takes locks", "lock-folder", warns: "is full", "df -h") {
      $0.space = { _ in .full }
    },
    BrokenSetUp("no runtime folder", "lock-folder", warns: "there is no XDG_RUNTIME_DIR", "loginctl enable-linger") {
      $0.variables["XDG_RUNTIME_DIR"] = nil
      $0.paths = Paths(environment: ["HOME": "/home/ada"], uid: 4_000_000)
    },
  ]
}
