import FleetModel
import LinuxPlumbing
import Localization
import LocationModel
import TestSupport
import Testing

@testable import locationctl_map

@Suite("Notifications about vehicles at areas", .timeLimit(.minutes(10)))
struct FleetNoticesTests {
    /// The alarms of vehicles that enter an area, as a fleet raises them.
    private static func alarms(_ devices: [String], area name: String = "Depot") throws -> [FleetAlarm] {
        var fleet = Fleet()
        let center = Coordinate(clampingLatitude: 47, wrappingLongitude: 9.5)
        fleet.setAreas([try #require(FleetArea(id: "a", name: name, center: center, radius: 200))])
        for (time, latitude) in [(1_795_000_000, 47.1), (1_795_000_010, 47)] {
            for device in devices {
                fleet.take(
                    Array(#"{"_type":"location","lat":\#(latitude),"lon":9.5,"tst":\#(time)}"#.utf8),
                    topic: "owntracks/fleet/\(device)", isRetained: false,
                    at: Timestamp(secondsSince1970: 1_795_000_010))
            }
        }
        return fleet.takeAlarms()
    }

    @Test("one alarm is a sentence, several are a number and the last of them")
    func words() throws {
        let one = FleetNotices.words(about: try Self.alarms(["van7"]), in: Catalogue(.english))
        #expect(one.summary == "fleet/van7 entered Depot" && one.lines.isEmpty)
        let many = FleetNotices.words(about: try Self.alarms((1...9).map { "v\($0)" }), in: Catalogue(.german))
        #expect(many.summary == "Alarme: 9")
        #expect(many.lines.count == 5 && many.lines.last == "fleet/v9 ist in „Depot“ eingefahren")
    }

    @Test(
        "the desktop shows the events, without markup in names, and those meanwhile in one notification",
        .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
    func shown() async throws {
        let bus = try await BusUnderTest.start()
        let desktop = try await DesktopUnderTest(bus.address, capabilities: ["body", "body-markup"])
        let notices = FleetNotices(on: .address(bus.address), pause: .zero)
        notices.show(try Self.alarms(["van7"], area: "<b>x\u{202E}"))
        notices.show(try Self.alarms(["van8"], area: "<b>x\u{202E}"))
        let running = Task { await notices.run() }
        let said = try await desktop.next("the notification")
        #expect(
            said == """
                Notify Alarms: 2
                fleet/van7 entered &lt;b&gt;x\u{FFFD}
                fleet/van8 entered &lt;b&gt;x\u{FFFD}
                """)
        notices.show(try Self.alarms(["truck"]))
        #expect(try await desktop.next("the second") == "Notify fleet/truck entered Depot\n")
        running.cancel()
        await running.value
        try await desktop.close()
    }
}
