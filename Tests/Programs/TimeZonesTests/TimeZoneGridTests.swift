import LocationModel
import Testing

@testable import TimeZones

@Suite("The grid of time zones")
struct TimeZoneGridTests {
    /// Two zones side by side, with their border in the column from 10° to 11° east, and one across the 180th meridian.
    private var file: GridFile {
        var file = GridFile()
        file.names = ["A/West", "A/East", "A/Date"]
        file.kinds = [[0], [1], [2], [1, 2], [3]]
        for row in 30..<60 { file.rows[row] = [(0, 4), (2, 0), (180, 1), (190, 3), (191, 2), (230, 0), (358, 4)] }
        return file
    }

    @Test("a circle names the zones of all cells that it touches") func namesTouchedCells() throws {
        let grid = try TimeZoneGrid(file.bytes)
        func zones(_ latitude: Double, _ longitude: Double, _ radius: Double) throws -> NearbyTimeZones {
            grid.zones(around: try #require(Coordinate(latitude: latitude, longitude: longitude)), radius: radius)
        }
        #expect(try zones(45.5, 5.5, 0) == NearbyTimeZones(middle: "A/West", names: ["A/West"]))
        #expect(try zones(45.5, 10.5, 0) == NearbyTimeZones(middle: "A/West", names: ["A/West", "A/East"]))
        // 8 km before the border's cells.
        #expect(try zones(45.5, 9.9, 7000) == NearbyTimeZones(middle: "A/West", names: ["A/West"]))
        #expect(try zones(45.5, 9.9, 9000) == NearbyTimeZones(middle: "A/West", names: ["A/West", "A/East"]))
        // To the north and the south there is nothing.
        #expect(try !zones(59.95, 5.5, 5000).includesUnassigned)
        #expect(try zones(59.95, 5.5, 6000).includesUnassigned)
        #expect(try zones(30.04, 5.5, 5000).includesUnassigned)
        #expect(try zones(70, 5.5, 0) == NearbyTimeZones(includesUnassigned: true))
    }

    @Test(
        "a circle across the 180th meridian is one circle",
        arguments: [-180, -179.99, 179.99, 180])
    func crossesTheMeridian(longitude: Double) throws {
        let grid = try TimeZoneGrid(file.bytes)
        let centre = try #require(Coordinate(latitude: 45.5, longitude: longitude))
        #expect(grid.zones(around: centre, radius: 10_000) == NearbyTimeZones(middle: "A/Date", names: ["A/Date"]))
    }

    @Test("every coordinate has an answer", arguments: [-90.0, -89.99, 0, 89.99, 90]) func takesEveryCoordinate(
        latitude: Double
    ) throws {
        let grid = try TimeZoneGrid(file.bytes)
        for longitude in stride(from: -180.0, through: 180, by: 22.5) {
            let centre = try #require(Coordinate(latitude: latitude, longitude: longitude))
            for radius in [0, 10, TimeZoneGrid.largestRadius, .infinity, -1] {
                #expect(grid.zones(around: centre, radius: radius).includesUnassigned)
            }
        }
    }

    @Test("a file that was cut short or changed gives an error or a grid, and no crash") func survivesDamage() throws {
        let bytes = file.bytes
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: TimeZoneGrid.Damage.self) { try TimeZoneGrid(Array(bytes[..<length])) }
        }
        #expect(throws: TimeZoneGrid.Damage.self) { try TimeZoneGrid(bytes + [0]) }
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= 0xFF
            guard let grid = try? TimeZoneGrid(changed) else { continue }
            for latitude in stride(from: -85.0, through: 85, by: 17) {
                _ = grid.zones(around: try #require(Coordinate(latitude: latitude, longitude: 179.9)), radius: 50_000)
            }
        }
    }

    @Test("a file with a wrong number is an error that names it") func namesDamage() throws {
        func complaint(_ change: (inout GridFile) -> Void) -> String? {
            var changed = file
            change(&changed)
            do {
                _ = try TimeZoneGrid(changed.bytes)
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(complaint { _ in } == nil)
        let disorder = "A row has a run that is too long, or empty."
        #expect(complaint { $0.rows[90] = [(0, 0), (360, 1)] } == disorder)
        #expect(complaint { $0.rows[90] = [(0, 0), (9, 1), (9, 2)] } == disorder)
        #expect(complaint { $0.rows[90] = [(0, 0), (9, 1), (8, 2)] } == disorder)
        #expect(complaint { $0.rows[179] = [] } == "It ends too soon, or in a number that is too large.")
        #expect(complaint { $0.rows[179].append((0, 0)) } != nil)
        #expect(complaint { $0.rows[90] = [(0, 5)] } == "A run has a kind that is not listed.")
        #expect(complaint { $0.kinds[1] = [4] } == "A kind of cells has no zone, or one without a name.")
        #expect(complaint { $0.kinds[1] = [] } == "A kind of cells has no zone, or one without a name.")
        for name in ["../etc/passwd", "/etc/passwd", "A//B", "", "A/", "Ä", "A B"] {
            #expect(complaint { $0.names[0] = name } == "A zone has a name that is none.", "\(name)")
        }
    }
}

@Suite("The time zone of a location")
struct TimeZoneVerdictTests {
    private func verdict(_ nearby: NearbyTimeZones) -> TimeZoneVerdict {
        TimeZoneVerdict(nearby) { $0.first == $1.first }
    }

    @Test("a border between clocks that show the same time does not matter") func decides() {
        #expect(verdict(.init(middle: "A1", names: ["A1"])) == .zone("A1"))
        #expect(verdict(.init(middle: "A1", names: ["A1", "A2"])) == .zone("A1"))
        #expect(verdict(.init(middle: "B1", names: ["B1", "A1"])) == .border(["A1", "B1"]))
    }

    @Test("a coast of the zones is undecided") func keepsAtSea() {
        #expect(verdict(.init(includesUnassigned: true)) == .unassigned)
        #expect(verdict(.init(middle: "A1", names: ["A1"], includesUnassigned: true)) == .unassigned)
    }

    @Test("a follower keeps the machine's zone where the location may be in it") func keepsTheMachinesZone() {
        let database = TimeZoneDatabase()
        let border = NearbyTimeZones(middle: "Europe/Paris", names: ["Europe/Paris", "Europe/Berlin"])
        #expect(border.followed(machineZone: "Europe/Berlin", by: database) == ("Europe/Berlin", true))
        #expect(border.followed(machineZone: "Europe/London", by: database) == ("Europe/Paris", false))
        #expect(border.followed(machineZone: nil, by: database) == ("Europe/Paris", false))
        let clocks = NearbyTimeZones(middle: "Europe/Vilnius", names: ["Europe/Vilnius", "Europe/Warsaw"])
        #expect(clocks.followed(machineZone: "Europe/London", by: database) == (nil, false))
    }

    @Test("a change names zones only") func checksChanges() {
        func change(_ old: String?, _ new: String) -> Bool {
            TimeZoneChange(old: old, new: new, at: Timestamp(secondsSince1970: 0)).isSound
        }
        #expect(change("Europe/Berlin", "UTC") && change(nil, "UTC"))
        #expect(!change("../UTC", "UTC") && !change("UTC", "") && !change("UTC", "A B"))
    }

    @Test("a location that is not accurate enough decides nothing") func ignoresInaccurateLocations() throws {
        var file = GridFile()
        file.names = ["UTC"]
        file.kinds = [[0], [1]]
        file.rows = file.rows.map { _ in [(0, 1)] }
        let grid = try TimeZoneGrid(file.bytes)
        func verdict(_ accuracy: Double?) -> TimeZoneVerdict {
            var location = Location(
                coordinate: Coordinate(latitude: 10, longitude: 20), timestamp: Timestamp(secondsSince1970: 0))
            location.horizontalAccuracy = accuracy
            return grid.verdict(on: location, by: TimeZoneDatabase())
        }
        #expect(verdict(nil) == .zone("UTC"))
        #expect(verdict(50_000) == .zone("UTC"))
        #expect(verdict(50_001) == .inaccurate(50_001))
    }
}
