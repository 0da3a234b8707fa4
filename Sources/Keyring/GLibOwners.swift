internal import CLibsecret
internal import Crypto

/// A D-Bus value; owns one reference.
final class Variant {
  private let pointer: OpaquePointer

  /// Takes over what a GLib call gave: sinks a floating reference, keeps a full one.
  init(taking pointer: OpaquePointer) {
    self.pointer = g_variant_take_ref(pointer)
  }

  deinit {
    g_variant_unref(pointer)
  }

  /// Lends the pointer for the time of the call: a bare one could outlive its owner's last use.
  func lend<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    withExtendedLifetime(self) { body(pointer) }
  }

  static func string(_ text: String) -> Variant { Variant(taking: g_variant_new_string(text)) }
  static func path(_ path: String) -> Variant { Variant(taking: g_variant_new_object_path(path)) }
  static func boolean(_ value: Bool) -> Variant { Variant(taking: g_variant_new_boolean(value ? 1 : 0)) }

  /// Wraps a value so that it may stand where the type is open (D-Bus type `v`).
  static func open(_ value: Variant) -> Variant { value.lend { Variant(taking: g_variant_new_variant($0)) } }

  static func tuple(_ values: [Variant]) -> Variant {
    withExtendedLifetime(values) {
      Variant(taking: g_variant_new_tuple(values.map { Optional($0.pointer) }, gsize(values.count)))
    }
  }

  /// An array of object paths (`ao`).
  static func paths(_ paths: [String]) -> Variant {
    array(of: "o", paths.map { .path($0) })
  }

  /// Text by text (`a{ss}`).
  static func dictionary(_ pairs: [(String, String)]) -> Variant {
    dictionary(of: "{ss}", pairs.map { ($0, .string($1)) })
  }

  /// Open values by text (`a{sv}`).
  static func properties(_ pairs: [(String, Variant)]) -> Variant {
    dictionary(of: "{sv}", pairs.map { ($0, .open($1)) })
  }

  private static func dictionary(of type: String, _ pairs: [(String, Variant)]) -> Variant {
    array(
      of: type,
      pairs.map { name, value in
        Variant.string(name).lend { name in value.lend { Variant(taking: g_variant_new_dict_entry(name, $0)) } }
      })
  }

  private static func array(of type: String, _ values: [Variant]) -> Variant {
    withExtendedLifetime(values) {
      withType(type) { type in
        Variant(taking: g_variant_new_array(type, values.map { Optional($0.pointer) }, gsize(values.count)))
      }
    }
  }

  /// Lends a type, which is its own text, so that none has to be made and freed.
  static func withType<Result>(_ type: String, _ body: (OpaquePointer) -> Result) -> Result {
    type.withCString { body(OpaquePointer($0)) }
  }

  func isOf(type: String) -> Bool {
    Self.withType(type) { g_variant_is_of_type(pointer, $0) != 0 }
  }

  /// The member of a tuple or an array, or what is inside an open value; nil where there is none.
  subscript(index: Int) -> Variant? {
    guard g_variant_is_container(pointer) != 0, index < g_variant_n_children(pointer) else { return nil }
    return Variant(taking: g_variant_get_child_value(pointer, gsize(index)))
  }

  var members: [Variant] {
    guard g_variant_is_container(pointer) != 0 else { return [] }
    return (0..<g_variant_n_children(pointer)).map { Variant(taking: g_variant_get_child_value(pointer, $0)) }
  }

  /// A text or an object path; nil for every other type.
  var text: String? {
    guard isOf(type: "s") || isOf(type: "o") else { return nil }
    return String(cString: g_variant_get_string(pointer, nil))
  }

  var bool: Bool? { isOf(type: "b") ? g_variant_get_boolean(pointer) != 0 : nil }
  /// A number without a sign; nil for every other type.
  var unsigned: UInt64? {
    if isOf(type: "t") { return UInt64(g_variant_get_uint64(pointer)) }
    return isOf(type: "u") ? UInt64(g_variant_get_uint32(pointer)) : nil
  }

  var texts: [String] { members.compactMap(\.text) }
}

/// A value in libsecret's memory, which is locked against swapping and wiped when freed; owns one reference.
final class StoredValue {
  private let pointer: OpaquePointer

  init(taking pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Copies a secret into libsecret's memory.
  init(_ secret: Secret) {
    pointer = secret.withBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return secret_value_new(start, gssize(bytes.count), "text/plain")
    }
  }

  deinit {
    secret_value_unref(UnsafeMutableRawPointer(pointer))
  }

  /// Lends the pointer for the time of the call.
  func lend<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    withExtendedLifetime(self) { body(pointer) }
  }

  var secret: Secret {
    lend { pointer in
      var count: gsize = 0
      let start = secret_value_get(pointer, &count)
      return Secret(copying: UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
  }
}
