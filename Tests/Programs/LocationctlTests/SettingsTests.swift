import CommandLineSupport
import Testing

@testable import locationctl

@Suite("Settings of locationctl", .timeLimit(.minutes(10)))
struct SettingsTests {
    private static let text = """
        # mine
        units = nautical
        accepted = gpsd.port 127.0.0.1:2947

        accepted=user.agent
        """

    @Test("a setting is read by its name, and comments and empty lines are kept")
    func reading() {
        var file = SettingsFile(path: "/x", text: Self.text)
        #expect(file.values(of: .units) == ["nautical"])
        #expect(file.values(of: .accepted) == ["gpsd.port 127.0.0.1:2947", "user.agent"])
        #expect(file.values(of: .coordinates) == [])
        #expect(file.problems == [])
        file.set(.units, to: "metric")
        file.set(.coordinates, to: "ddm")
        file.add(.accepted, "user.agent")
        #expect(file.lines.count == 6)
        #expect(
            file.lines.first == "# mine" && file.lines[1] == "units = metric" && file.lines.last == "coordinates = ddm")
        #expect(file.remove(.accepted) { $0.hasPrefix("gpsd.port") })
        #expect(!file.remove(.accepted) { $0.hasPrefix("gpsd.port") })
        #expect(file.values(of: .accepted) == ["user.agent"])
    }

    @Test("a line that is not a setting, and an impossible value, are named with their lines")
    func problems() {
        let file = SettingsFile(path: "/x", text: "unit = metric\nnautical\nunits = furlongs\n")
        #expect(file.problems.map { $0.prefix(5) } == ["/x:1:", "/x:2:", "/x:3:"])
        #expect(file.problems.last == "/x:3: units is one of metric, imperial, nautical.")
    }

    @Test("the user's own settings come before those for all users")
    func order() {
        let settings = UserSettings(files: [
            SettingsFile(path: "/own", text: "units = furlongs\naccepted = a"),
            SettingsFile(path: "/all", text: "units = imperial\ncoordinates = dms\naccepted = a\naccepted = b"),
        ])
        #expect(settings.units == .imperial && settings.coordinates == .dms)
        #expect(settings.acceptances == ["a": "/own", "b": "/all"])
    }

    @Test(
        "root changes the settings for all users, and others their own",
        arguments: [
            (["HOME": "/home/a"], false, "/home/a/.config/locationd/locationctl.conf"),
            (["HOME": "/home/a", "XDG_CONFIG_HOME": "/c"], false, "/c/locationd/locationctl.conf"),
            (["HOME": "/root"], true, "/etc/locationd/locationctl.conf"),
        ] as [([String: String], Bool, String)])
    func path(environment: [String: String], isRoot: Bool, path: String) {
        #expect(UserSettings.path({ environment[$0] }, isRoot: isRoot) == path)
    }

    @Test("after sources fixed set, programs that ask GeoClue are mentioned while they do not ask the service")
    func geoClueAdvice() {
        #expect(GeoClueSwitch.advice(isOn: true, isGeoClueInstalled: true) == nil)
        #expect(
            GeoClueSwitch.advice(isOn: false, isGeoClueInstalled: true)
                == "  geoclue   desktop programs still ask GeoClue. To give them this one, run: sudo locationctl geoclue on"
        )
        #expect(GeoClueSwitch.advice(isOn: false, isGeoClueInstalled: false)?.contains("get nothing") == true)
    }
}
