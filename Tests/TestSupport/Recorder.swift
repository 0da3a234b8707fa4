import Synchronization

/// What happened, in order; several fakes may share one, so that a test sees what came before what.
package final class Recorder<Event: Sendable>: Sendable {
  private let events = Mutex<[Event]>([])

  package init() {}

  package var all: [Event] { events.withLock { $0 } }

  package func add(_ event: Event) { events.withLock { $0.append(event) } }
}

/// A value that a test changes while the code under test reads it.
package final class Shared<Value: Sendable>: Sendable {
  private let storage: Mutex<Value>

  package init(_ value: Value) { storage = Mutex(value) }

  package var value: Value {
    get { storage.withLock { $0 } }
    set { storage.withLock { $0 = newValue } }
  }
}
