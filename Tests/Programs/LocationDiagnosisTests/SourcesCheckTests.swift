import FoundationEssentials
import GPSDProtocol
import TestSupport
import Testing

@testable import LocationDiagnosis

@Suite("Sources of locations", .timeLimit(.minutes(10)))
struct SourcesCheckTests {
    @Test(
        "without any source there is a problem with a command, with one there is none, and hidden ones are not judged")
    func machineWithoutSourceIsProblem() {
        var check = SourcesCheck()
        #expect(check.findings.map(\.severity) == [.problem])
        #expect(check.findings[0].remedy?.contains("sudo locationctl sources fixed set LATITUDE LONGITUDE") == true)
        check.isGPSDHidden = true
        #expect(check.findings.map(\.severity) == [.notChecked])
        check.others = ["the modem"]
        #expect(check.findings.map(\.found) == ["locations come from the modem"])
    }

    @Test("other sources make a receiver dispensable, unless gpsd has one or its settings name one")
    func substitute() {
        #expect(SourcesCheck().substitute == nil)
        #expect(SourcesCheck(others: ["the modem", "Wi-Fi"]).substitute == "the modem, Wi-Fi")
        #expect(SourcesCheck(receivers: ["gpsd"], others: ["Wi-Fi"]).substitute == nil)
    }

    @Test(
        "a device in Debian's settings of gpsd counts",
        arguments: [
            ("DEVICES=\"\"\nUSBAUTO=\"true\"\n", false), ("DEVICES=\"/dev/ttyS0\"\n", true), ("#DEVICES=/dev/x", false),
            ("USBAUTO=true\nDEVICES=/dev/gnss0 # x", true), ("", false), ("DEVICES=' '", false),
        ])
    func deviceInSettingsCounts(settings: String, isFound: Bool) {
        #expect(SourcesCheck.hasDevices(settings) == isFound)
    }

    @Test("settings that switch a source on count")
    func settingsCount() throws {
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/locationd.plist"
        func found(_ keys: PropertyList) throws -> [String] {
            try PropertyList.text(keys).write(toFile: file, atomically: true, encoding: .utf8)
            return SourcesCheck.probe(configurationFile: file, gpsd: nil).found.filter { !$0.contains("/etc/") }
        }
        #expect(try found([:]) == [])
        #expect(try found(["Modem": ["Enabled": true], "WiFi": ["Enabled": false]]) == ["the modem"])
        #expect(try found(["WiFi": ["Enabled": true]]) == ["Wi-Fi"])
        #expect(try found(["FixedLocation": ["Latitude": 1, "Longitude": 2]]) == ["the fixed position"])
    }
}
