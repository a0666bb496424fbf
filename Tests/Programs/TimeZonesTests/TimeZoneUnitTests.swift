import FoundationEssentials
import Testing

/// The files of the package that give the follower its rights.
@Suite("The unit of the time zone")
struct TimeZoneUnitTests {
    private func text(_ path: String) throws -> String {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        return String(decoding: try Data(contentsOf: repository.appending(path: path)), as: UTF8.self)
    }

    @Test("it has the approximate location and no network, capabilities or other user") func hasNoMoreThanItNeeds()
        throws
    {
        let unit = try text("systemd/locationd-timezone.service").split(separator: "\n")
        for line in [
            "User=locationd-timezone", "RestrictAddressFamilies=AF_UNIX", "CapabilityBoundingSet=",
            "AmbientCapabilities=",
            "NoNewPrivileges=yes",
        ] { #expect(unit.contains(Substring(line))) }
        let declaration = try text("Config/clients.d/org.locationd.timezone.plist")
        #expect(declaration.contains("<key>MaximumAccuracy</key><string>reduced</string>"))
        #expect(declaration.contains("<key>SystemdUnit</key><string>locationd-timezone.service</string>"))
        // One rule, for one action of one user.
        let rules = try text("Config/polkit/timezone.rules")
        #expect(rules.split(separator: "polkit.addRule").count == 2)
        let condition =
            #"action.id == "org.freedesktop.timedate1.set-timezone" && subject.user == "locationd-timezone""#
        #expect(rules.contains("if (\(condition))\n        return polkit.Result.YES;"))
    }
}
