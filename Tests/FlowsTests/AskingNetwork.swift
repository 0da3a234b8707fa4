import Flows
import TestSupport

extension Network {
  /// A network that asks this client, at the time of every test.
  init(asking http: any HTTPClient) {
    self.init(http: http, time: FakeTime(), random: { Sample.random($0) })
  }
}
