extension Provider {
  /// The parameters and header lines whose names say that their values are secret, as `headers.X-Api-Key`.
  ///
  /// A provider file is no place for those, although its schema cannot forbid them all.
  public var secretParameters: [String] {
    let places =
      [
        ("authorization_params", authorizationParams), ("token_params", tokenParams),
        ("device_params", deviceParams), ("refresh_params", refreshParams), ("headers", headers),
        ("quirks.userinfo.headers", quirks?.userinfo?.headers), ("variables", variables),
      ]
      + (grants ?? [:]).sorted { $0.key < $1.key }.map { ("grants.\($0.key).params", $0.value.params) }
    return places.flatMap { place, values in
      (values ?? [:]).filter { !$0.value.isEmpty && SensitiveNames.isCredential($0.key.utf8) }.keys.sorted()
        .map { "\(place).\($0)" }
    }
  }
}
