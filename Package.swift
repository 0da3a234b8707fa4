// swift-tools-version: 6.1
import PackageDescription

// Sources/<target>, and the only arrows there are: oauthctl -> Commands -> {CLI, {Host, Keyring} -> Flows -> OAuth ->
// Crypto -> Loader}.
// The build refuses an import that is not declared here (Makefile: --explicit-target-dependency-import-check error).

let swiftSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

// Only `make fuzz` builds it: libFuzzer brings the `main`, and without it this would not link.
let fuzzRunner: [Target] =
  Context.environment["OAUTHCTL_FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "FuzzRunner", dependencies: ["FuzzTargets"], path: "Tests/FuzzRunner", swiftSettings: swiftSettings)
  ]

let package = Package(
  name: "oauthctl",
  products: [
    .executable(name: "oauthctl", targets: ["oauthctl"]),
    .library(name: "OAuthCore", targets: ["OAuth", "Flows"]),
  ],
  targets: [
    .systemLibrary(name: "CLibsecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
    // No pkgConfig for these two: it would link them, and every run would pay for them, 5 ms and 1.5 MB; the targets that
    // use them load them on first use. Their headers are on the default path.
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),

    .systemLibrary(name: "CSystem"),
    .systemLibrary(name: "CQRencode"),

    module("Loader"),
    module("Crypto", ["CCrypto", "Loader"]),
    module("OAuth", ["Crypto"], resources: [.embedInCode("Providers/providers.json")]),
    module("Flows", ["OAuth", "Crypto"]),
    module("Host", ["Flows", "OAuth", "Crypto", "Loader", "CCurl", "CQRencode", "CSystem"]),
    module("Keyring", ["Flows", "Crypto", "CLibsecret"]),
    module("CLI"),
    module("Commands", ["CLI", "Flows", "OAuth", "Crypto", "Host", "Keyring"]),
    .executableTarget(
      name: "oauthctl", dependencies: ["Commands"], exclude: ["hot-path.order"], swiftSettings: swiftSettings),

    .target(
      name: "TestSupport", dependencies: ["Flows", "OAuth", "Crypto"], path: "Tests/TestSupport",
      swiftSettings: swiftSettings),
    tests("CryptoTests", ["Crypto"]),
    tests("OAuthTests", ["OAuth", "Crypto", "TestSupport"]),
    tests("FlowsTests", ["Flows", "OAuth", "Crypto", "TestSupport"]),
    tests("HostTests", ["Host", "Flows", "OAuth", "Crypto", "Loader", "TestSupport"]),
    // A program of its own for each state of a keyring: libsecret's bus connection is one a process.
    .executableTarget(
      name: "KeyringProbe", dependencies: ["Keyring", "Flows", "Crypto"], path: "Tests/KeyringProbe",
      swiftSettings: swiftSettings),
    tests("KeyringTests", ["Keyring", "KeyringProbe", "Flows", "Crypto"]),
    tests("CLITests", ["CLI"]),
    tests("CommandsTests", ["Commands", "CLI", "Flows", "Host", "Keyring", "OAuth", "Crypto", "TestSupport"]),
    // What the fuzzers check, for them and for the replay of their corpus.
    .target(
      name: "FuzzTargets", dependencies: ["Host", "Flows", "OAuth", "Crypto", "TestSupport"], path: "Tests/FuzzTargets",
      swiftSettings: swiftSettings),
    tests("FuzzTests", ["FuzzTargets", "Flows"]),
  ] + fuzzRunner
)
