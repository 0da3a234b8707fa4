/// The device authorization response (RFC 8628 section 3.2).
public struct DeviceAuthorization: Sendable {
  /// The fields that are understood.
  static let fields = [
    "device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval", "message",
  ]
}
