import Testing

/// A row of a table of tests: its id is what a report shows.
package struct Named<Value: Sendable>: Sendable, CustomTestStringConvertible {
  package let id: String
  package let value: Value

  package init(_ id: String, _ value: Value) { (self.id, self.value) = (id, value) }

  package var testDescription: String { id }
}
