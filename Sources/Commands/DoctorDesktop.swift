internal import Flows
internal import Host

/// The browser and the addresses that it is sent back to.
enum DoctorDesktop {
  static let checks =
    [
      Check("browser", "which browser a login would open", look: browser)
    ]
    + LoopbackProbe.Address.allCases.map { address in
      Check("loopback-\(address == .v4 ? "ipv4" : "ipv6")", "whether \(address.rawValue) takes a login's callback") {
        machine in [loopback(address, machine.loopback(address))]
      }
    }

  private static func browser(_ machine: Machine) throws -> [Finding] {
    do {
      return [.ok("a login opens \(try machine.browser())")]
    } catch BrowserError.noDisplay(let reason) {
      return [
        .warn(
          "no browser can be opened here: \(reason)",
          remedy: "oauthctl login PROVIDER --no-browser, or name one with --browser")
      ]
    } catch BrowserError.notFound(let tried) {
      return [
        .warn(
          "there is no browser that a login could open (looked for \(tried.joined(separator: ", ")))",
          remedy: "install one, or: oauthctl login PROVIDER --no-browser")
      ]
    } catch let error as BrowserError {
      return [.warn(error.sentence, remedy: "oauthctl login PROVIDER --no-browser, or name one with --browser")]
    }
  }

  private static func loopback(_ address: LoopbackProbe.Address, _ outcome: LoopbackProbe.Outcome) -> Finding {
    let name = address.rawValue
    switch (outcome, address) {
    case (.works, _): return .ok("\(name) takes connections")
    case (.absent(let reason), .v6):
      return .warn(
        "there is no \(name): \(reason)",
        remedy: "none is needed unless a provider's redirect names \(name): sysctl net.ipv6.conf.lo.disable_ipv6=0")
    case (.absent(let reason), .v4):
      return .fail(.portInUse, "there is no \(name): \(reason)", remedy: "ip link set lo up, as root")
    case (.broken(let reason), _):
      return .fail(.portInUse, "\(name) does not work: \(reason)", remedy: "let the firewall pass \(name) on lo")
    }
  }
}
