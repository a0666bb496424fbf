import LocationConfiguration
import LocationSources
import Testing

@testable import LocationCore
@testable import LocationDaemon

/// The line of `systemctl status`.
@Suite("The status line") struct StatusLineTests {
    @Test("the unit's status line, which every user can read, mentions neither a fix nor clients")
    func statusLine() {
        var receiver = ReceiverStatus(device: "/dev/script")
        (receiver.isCurrent, receiver.mode, receiver.satellitesUsed) = (true, .threeDimensional, 9)
        var report = ServiceReport(
            sources: [SourceStatus(connection: .retrying, endpoint: "a:1")], isEnabled: true, isEnabledForUser: true,
            isOffAfterDamage: false, hasAgent: false, clients: 2, frontEnds: [], problems: [])
        #expect(ServiceStatus.line(report) == "gps: a:1 cannot be reached")
        report.sources.append(SourceStatus(connection: .connected, endpoint: "b:1", receivers: [receiver]))
        report.details = ServiceReport.Details(isLocationAvailable: true, connections: 4, subscriptions: 1)
        #expect(ServiceStatus.line(report) == "gps: connected")
        receiver.mode = .noFix
        report.sources[1].receivers = [receiver]
        report.problems = [ConfigurationProblem(file: "/a.plist", message: "No.")]
        #expect(ServiceStatus.line(report) == "gps: connected; 1 problem in the configuration")
    }
}
