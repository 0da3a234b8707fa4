public import Flows

/// How the keyring and the way to it stand, part by part.
///
/// A part that is nil was not reached: one before it failed.
public struct KeyringReport: Sendable, Equatable {
  /// The session bus.
  public var bus: Result<Bus, StoreError>
  /// The program that keeps secrets.
  public var service: Result<Service, StoreError>?
  /// The default collection, in which new items are stored; nil inside where there is none.
  public var collection: Result<Collection?, StoreError>?
  /// Whether something can be stored.
  public var writing: Writing
  /// The items of this program that are there more than once and not locked.
  public var doubles: Result<[Doubles], StoreError>?

  /// Makes a report.
  package init(
    bus: Result<Bus, StoreError>, service: Result<Service, StoreError>? = nil,
    collection: Result<Collection?, StoreError>? = nil, writing: Writing,
    doubles: Result<[Doubles], StoreError>? = nil
  ) {
    self.bus = bus
    self.service = service
    self.collection = collection
    self.writing = writing
    self.doubles = doubles
  }

  /// The bus that a keyring is reached through.
  public struct Bus: Sendable, Equatable {
    /// Where the address comes from.
    public enum Source: Sendable, Equatable {
      /// The variable `DBUS_SESSION_BUS_ADDRESS`.
      case variable
      /// The socket `bus` in the folder that `XDG_RUNTIME_DIR` names.
      case runtimeFolder
      /// The socket `bus` in `/run/user/UID`.
      case userFolder
    }

    /// Where the address comes from.
    public var source: Source
    /// The address, in D-Bus's notation.
    public var address: String

    /// Makes a bus.
    package init(source: Source, address: String) {
      self.source = source
      self.address = address
    }
  }

  /// The program that has the name `org.freedesktop.secrets` on the bus.
  public struct Service: Sendable, Equatable {
    /// Its process id, where the bus tells it.
    public var pid: Int?
    /// Its file, or where that may not be seen, its name, of which Linux keeps 15 bytes.
    public var program: String?
    /// Whether it ran already; otherwise the bus has started it for this look, as it does for every command.
    public var wasRunning: Bool
    /// Whether it can be unlocked without its own window, by `oauthctl unlock` (gnome-keyring's interface).
    public var unlocksWithoutPrompt: Bool

    /// Makes a service.
    package init(pid: Int?, program: String?, wasRunning: Bool, unlocksWithoutPrompt: Bool) {
      self.pid = pid
      self.program = program
      self.wasRunning = wasRunning
      self.unlocksWithoutPrompt = unlocksWithoutPrompt
    }
  }

  /// A group of items that is locked and unlocked as a whole.
  public struct Collection: Sendable, Equatable {
    /// Its name for people.
    public var label: String
    /// Whether it is locked.
    public var isLocked: Bool

    /// Makes a collection.
    package init(label: String, isLocked: Bool) {
      self.label = label
      self.isLocked = isLocked
    }
  }

  /// What became of storing, reading back and removing an item of its own kind.
  public enum Writing: Sendable, Equatable {
    /// All of it went well.
    case works
    /// It did not; nothing is left behind, or the next look removes it.
    case failed(StoreError)
    /// It was not tried.
    case notTried(WhyNot)

    /// Why it was not tried.
    public enum WhyNot: Sendable, Equatable {
      /// The caller did not want it.
      case notAsked
      /// There is no collection that is open.
      case noOpenCollection
      /// This service asks a person before it removes an item, or keeps removed ones (KeePassXC's recycle bin).
      case leavesTraces
    }
  }

  /// One item that is there several times.
  public struct Doubles: Sendable, Equatable {
    /// What the items are stored for.
    public var key: SecretKey
    /// How many there are, from two.
    public var count: Int

    /// Makes a group of doubles.
    package init(key: SecretKey, count: Int) {
      self.key = key
      self.count = count
    }
  }
}
