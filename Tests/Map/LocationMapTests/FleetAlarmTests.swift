import FleetModel
import FoundationEssentials
import LocationModel
import PageServing
import TestSupport
import Testing

@testable import LocationMap

@Suite("MapView: areas of a fleet and their alarms", .timeLimit(.minutes(10)))
@MainActor
struct FleetAlarmTests {
    private static func area(_ id: String = "a1", _ name: String = "Depot") throws -> FleetArea {
        try #require(
            FleetArea(
                id: id, name: name, center: Coordinate(clampingLatitude: 47, wrappingLongitude: 9.5), radius: 200))
    }

    private static func said(_ page: FleetReader) -> [String] {
        (page.alarms?["alarms"]?.array ?? []).compactMap { alarm in
            guard let vehicle = alarm["vehicle"]?.string, let kind = alarm["kind"]?.string else { return nil }
            return "\(vehicle) \(kind) \(alarm["area"]?.string ?? "")"
        }
    }

    @Test("alarms are judged without a page, reach each page, and stay until one of them dismisses them")
    func alarms() throws {
        let directory = try TemporaryDirectory()
        let fleet = FleetMap(areas: directory.path + "/x/areas.geojson")
        fleet.fleet.perform(.save(try Self.area()))
        var heard: [FleetAlarm] = []
        fleet.fleet.onAlarms = { heard += $0 }
        fleet.publish([("van7", 47.1, 9.5), ("van8", 47, 9.5)])
        fleet.pass(1)
        fleet.publish([("van7", 47, 9.5), ("van8", 47.1, 9.5)])
        fleet.pass(1)
        #expect(heard.map(\.vehicle.label) == ["fleet/van7", "fleet/van8"])
        let pages = [try FleetReader(fleet), try FleetReader(fleet, bounds: [0, 0, 1, 1])]
        for page in pages {
            try page.read(fleet)
            #expect(Self.said(page) == ["fleet/van7 entered Depot", "fleet/van8 left Depot"])
        }
        let number = try #require(pages[0].alarms?["alarms"]?.array.first?["number"]?.number)
        #expect(pages[0].alarms?["alarms"]?.array.first?["time"]?.number == Double(fleet.now.secondsSince1970 - 1))
        pages[0].fake.post(.fleetOrder(.dismiss([Int(number), 999])))
        for page in pages {
            try page.read(fleet)
            #expect(Self.said(page) == ["fleet/van8 left Depot"])
            // Nothing is sent again.
            fleet.pass(1)
            try page.read(fleet)
            #expect(page.alarmEvents == 2)
        }
        #expect(heard.count == 2)
    }

    @Test("the last hundred alarms are kept")
    func limit() throws {
        let directory = try TemporaryDirectory()
        let fleet = FleetMap(areas: directory.path + "/areas.geojson")
        fleet.fleet.perform(.save(try Self.area()))
        for index in 0..<130 {
            fleet.publish([("van7", index % 2 == 0 ? 47.1 : 47, 9.5)])
            fleet.pass(1)
        }
        let page = try FleetReader(fleet)
        try page.read(fleet)
        #expect(Self.said(page).count == FleetAlarm.mostKept)
        #expect(page.alarms?["alarms"]?.array.last?["number"]?.number == 129)
    }

    @Test("areas are in the user's file, for the next run and for other programs, and a page removes them")
    func file() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/data/locationd/areas.geojson"
        let first = FleetMap(areas: path)
        let page = try FleetReader(first)
        let hostile = try Self.area("a2", "</script>\u{202E}")
        page.fake.post(.fleetOrder(.save(try Self.area())), .fleetOrder(.save(hostile)))
        first.pass(1)
        try page.read(first)
        #expect(page.alarms?["areas"]?.array.map { $0["name"]?.string } == ["Depot", "</script>\u{202E}"])
        let second = FleetMap(areas: path)
        let other = try FleetReader(second)
        try other.read(second)
        #expect(other.alarms?["areas"]?.array.map { $0["id"]?.string } == ["a1", "a2"])
        other.fake.post(.fleetOrder(.remove("a1")))
        page.fake.post(.fleetOrder(.save(try Self.area("a3", "Yard"))))
        first.pass(1)
        try page.read(first)
        #expect(page.alarms?["areas"]?.array.map { $0["id"]?.string } == ["a2", "a3"])
    }

    @Test("a file that cannot be read is reported and kept, and the areas continue to work")
    func damaged() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/areas.geojson"
        let fleet = FleetMap(areas: path)
        fleet.fleet.perform(.save(try Self.area()))
        let page = try FleetReader(fleet)
        try "{}".write(toFile: path, atomically: false, encoding: .utf8)
        _ = try page.fake.events()
        page.fake.post(.fleetOrder(.save(try Self.area("a2"))))
        let notice = try #require(try page.fake.last("notice"))
        #expect(notice["sentence"]?["values"]?["reason"]?.string == "it is not a feature collection of GeoJSON")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}")
        let later = try FleetReader(fleet)
        try later.read(fleet)
        #expect(later.alarms?["areas"]?.array.count == 1)
    }

    @Test(
        "a page's message with an area outside of its limits is refused",
        arguments: [
            #""area":{"id":"a","name":"","center":[9.5,47],"radius":200,"search":""}"#,
            #""area":{"id":"a","name":"x","center":[9.5,91],"radius":200,"search":""}"#,
            #""area":{"id":"a","name":"x","center":[9.5,47],"radius":1,"search":""}"#,
            #""area":{"id":"","name":"x","center":[9.5,47],"radius":200,"search":""}"#,
            #""area":{"id":"a","name":"x","radius":200,"search":""}"#, #""removed":7"#, "\"x\":1",
            #""removed":"\#(String(repeating: "x", count: 65))""#,
            #""dismissed":[\#((0...100).map(String.init).joined(separator: ","))]"#,
        ])
    func refusals(members: String) throws {
        func decode(_ members: String) throws -> PagePost {
            try PagePost.decode(Array(#"{"page":"x","messages":[{"type":"fleetOrder",\#(members)}]}"#.utf8))
        }
        #expect(throws: (any Error).self) { try decode(members) }
        let area = #""area":{"id":"a1","name":"Depot","center":[9.5,47],"radius":200,"search":""}"#
        #expect(try decode(area).messages == [.fleetOrder(.save(Self.area()))])
        #expect(try decode(#""dismissed":[1,2]"#).messages == [.fleetOrder(.dismiss([1, 2]))])
    }
}

@Suite("MapView: recorded days of a fleet")
struct RecordedRouteTests {
    @Test("a page asks for a day at most")
    func route() {
        func route(_ parts: String...) -> MapRoute? { MapRoute(method: "GET", parts: ["recorded"] + parts) }
        #expect(route("1795000000", "1795090000") == .recorded(from: 1_795_000_000, to: 1_795_090_000))
        for refused in [
            route("1795000000", "1795100001"), route("5", "5"), route("-1", "5"), route("x", "5"), route("5"),
            route("1", "2", "3"), route("99999999999999999999", "5"),
            MapRoute(method: "POST", parts: ["recorded", "1", "2"]),
        ] { #expect(refused == nil) }
    }
}
