import FoundationEssentials
import TestSupport
import Testing

@testable import TimeZones

@Suite("The machine's time zones")
struct TimeZoneDatabaseTests {
    @Test("zones are compared by the files of tzdata") func comparesFiles() throws {
        try withDirectory { directory in
            func write(_ name: String, _ rule: String, _ transitions: String = "") throws {
                try Data("TZif2\n\(transitions)\n\(rule)\n".utf8).write(to: URL(filePath: "\(directory)/\(name)"))
            }
            try write("Kolkata", "IST-5:30")
            try write("Calcutta", "IST-5:30")
            try write("Colombo", "IST-5:30", "once others")
            try write("Karachi", "PKT-5")
            try Data("text".utf8).write(to: URL(filePath: "\(directory)/Text"))
            let database = TimeZoneDatabase(directory: directory)
            #expect(database.isSame("Kolkata", "Calcutta"))
            #expect(!database.isSame("Kolkata", "Colombo"))
            #expect(database.showSameTime("Kolkata", "Colombo"))
            #expect(!database.showSameTime("Kolkata", "Karachi"))
            #expect(database.isSame("Absent", "Absent") && !database.isSame("Absent", "Other"))
            #expect(!database.showSameTime("Absent", "Other"))
            #expect(database.knows("Karachi"))
            for name in ["Absent", "Text", "../Karachi", "", "."] { #expect(!database.knows(name), "\(name)") }
        }
    }

    @Test("the machine's zone is the name that its link leads to") func readsTheLink() throws {
        try withDirectory { directory in
            func zone(_ target: String?) throws -> String? {
                let link = "\(directory)/localtime"
                try? FileManager.default.removeItem(atPath: link)
                if let target { try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target) }
                return TimeZoneDatabase(link: link).machineZone
            }
            #expect(try zone("/usr/share/zoneinfo/Europe/Berlin") == "Europe/Berlin")
            #expect(try zone("../usr/share/zoneinfo/UTC") == "UTC")
            #expect(try zone(nil) == "UTC")
            #expect(try zone("/elsewhere/Berlin") == nil)
            #expect(try zone("/usr/share/zoneinfo/../../../etc/shadow") == nil)
            try Data("TZif2".utf8).write(to: URL(filePath: "\(directory)/copy"))
            #expect(TimeZoneDatabase(link: "\(directory)/copy").machineZone == nil)
        }
    }

    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try withExtendedLifetime(directory) { try body(directory.path) }
    }
}
