import LocationModel
import Testing

@testable import FleetModel

/// A vehicle that reports at places around an area with a radius of 200 m.
private struct Depot {
    static let center = Coordinate(clampingLatitude: 47, wrappingLongitude: 9.5)
    static let area = FleetArea(id: "a1", name: "Depot", center: center, radius: 200)!
    var fleet = Fleet()
    var now = Timestamp(secondsSince1970: 1_795_000_000)

    init(_ areas: [FleetArea] = [area]) { fleet.setAreas(areas) }

    /// Reports a position at a distance from the centre, in metres to the east, and returns the alarms as `entered Depot`.
    mutating func report(
        _ metres: Double, accuracy: Double? = nil, age: Int = 0, of device: String = "van7", isRetained: Bool = false,
        expiry: UInt32? = nil
    ) -> [String] {
        report(
            at: metres == 0 ? Self.center : Self.center.destination(distance: metres, bearing: 90), accuracy: accuracy,
            age: age, of: device, isRetained: isRetained, expiry: expiry)
    }

    mutating func report(
        at place: Coordinate, accuracy: Double? = nil, age: Int = 0, of device: String = "van7",
        isRetained: Bool = false, expiry: UInt32? = nil
    ) -> [String] {
        let time = Int(now.secondsSince1970) - age
        let more = accuracy.map { ",\"acc\":\($0)" } ?? ""
        fleet.take(
            Array(
                #"{"_type":"location","lat":\#(place.latitude),"lon":\#(place.longitude),"tst":\#(time)\#(more)}"#.utf8),
            topic: "owntracks/fleet/\(device)", isRetained: isRetained, expiry: expiry, at: now)
        return alarms()
    }

    mutating func alarms() -> [String] { fleet.takeAlarms().map { "\($0.kind) \($0.area.name)" } }

    mutating func wait(_ seconds: Int = 10) { now = now.advanced(by: .seconds(seconds)) }
}

@Suite("Areas that raise alarms")
struct FleetAreaTests {
    @Test("a vehicle raises an alarm when it enters and when it leaves, with the time of its position")
    func crossing() {
        var depot = Depot()
        #expect(depot.report(1000) == [])
        depot.wait()
        #expect(depot.report(50, age: 4) == ["entered Depot"])
        depot.wait()
        #expect(depot.report(60) == [])
        depot.wait()
        let topic = "owntracks/fleet/van7"
        depot.fleet.take(
            Array(#"{"_type":"location","lat":48,"lon":9.5,"tst":\#(Int(depot.now.secondsSince1970) - 7)}"#.utf8),
            topic: topic, isRetained: false, at: depot.now)
        let alarm = depot.fleet.takeAlarms().first
        #expect(alarm?.kind == .left && alarm?.vehicle.topic == topic)
        #expect(alarm?.time == depot.now.advanced(by: .seconds(-7)))
        #expect(depot.alarms() == [])
    }

    @Test("a vehicle that is first seen inside raises no alarm, and raises one as it leaves")
    func firstInside() {
        var depot = Depot()
        #expect(depot.report(0, isRetained: true) == [])
        depot.wait()
        #expect(depot.report(0) == [])
        depot.wait()
        #expect(depot.report(1000) == ["left Depot"])
    }

    @Test("a vehicle on the border does not raise alarm after alarm", arguments: [3.0, 10, 40, 90])
    func hysteresis(accuracy: Double) {
        var depot = Depot()
        _ = depot.report(2000, accuracy: accuracy)
        // It comes in, and then its receiver wanders about the border by 1.5 times its accuracy.
        var alarms: [String] = []
        for metres in [0, 200, 201, 199, 200 + 1.5 * accuracy, 200 - 1.5 * accuracy, 200 + accuracy, 200 - accuracy] {
            depot.wait()
            alarms += depot.report(metres, accuracy: accuracy)
        }
        #expect(alarms == ["entered Depot"])
        depot.wait()
        #expect(depot.report(200 + 2.1 * accuracy, accuracy: accuracy) == ["left Depot"])
    }

    @Test("a position that is less certain than the area is large enters nothing, and leaves if it is far away")
    func uncertain() {
        var depot = Depot()
        // The first one does not tell the side: what follows is not a crossing.
        #expect(depot.report(0, accuracy: 500) == [])
        depot.wait()
        #expect(depot.report(0, accuracy: 20) == [])
        depot.wait()
        #expect(depot.report(900, accuracy: 500) == [])
        depot.wait()
        #expect(depot.report(1300, accuracy: 500) == ["left Depot"])
        depot.wait()
        #expect(depot.report(0, accuracy: 101) == [])
        depot.wait()
        #expect(depot.report(0, accuracy: 100) == ["entered Depot"])
    }

    @Test("repeated deliveries after a reconnection, and late positions, raise no alarm")
    func old() {
        var depot = Depot()
        _ = depot.report(1000)
        depot.wait(60)
        #expect(depot.report(0) == ["entered Depot"])
        // The retained position again; one from before; the backlog of a drive that came before.
        #expect(depot.report(0, isRetained: true) == [])
        #expect(depot.report(1000, age: 30, isRetained: true) == [])
        for age in stride(from: 59, to: 0, by: -10) { #expect(depot.report(Double(age) * 20, age: age) == []) }
        #expect(depot.fleet.vehicle("owntracks/fleet/van7", at: depot.now)?.inside == ["a1"])
    }

    @Test("between a share that has ended and the next one no border is crossed")
    func ended() {
        var depot = Depot()
        _ = depot.report(0, expiry: 600)
        depot.wait(700)
        #expect(depot.report(5000) == [])
        depot.wait()
        #expect(depot.report(0) == ["entered Depot"])
        depot.fleet.take([], topic: "owntracks/fleet/van7", isRetained: false, at: depot.now)
        depot.wait()
        #expect(depot.report(5000) == [])
    }

    @Test("a vehicle that is in a new area, or in one that was moved there, raises none")
    func newArea() throws {
        var depot = Depot([])
        _ = depot.report(0)
        depot.fleet.setAreas([Depot.area])
        depot.wait()
        #expect(depot.report(1) == [])
        let away = try #require(
            FleetArea(id: "a1", name: "Yard", center: Depot.center.destination(distance: 5000, bearing: 0), radius: 200)
        )
        depot.fleet.setAreas([away])
        depot.wait()
        #expect(depot.report(2) == [])
        depot.wait()
        #expect(depot.report(at: away.center) == ["entered Yard"])
        depot.fleet.setAreas([])
        depot.wait()
        #expect(depot.report(0) == [])
    }

    @Test("an area for some vehicles is entered by others in silence")
    func search() throws {
        let area = try #require(
            FleetArea(id: "a1", name: "Depot", center: Depot.center, radius: 200, search: "VAN"))
        var depot = Depot([area])
        for device in ["van7", "truck"] { _ = depot.report(1000, of: device) }
        depot.wait()
        #expect(depot.report(0, of: "truck") == [])
        #expect(depot.report(0, of: "van7") == ["entered Depot"])
    }

    @Test(
        "an area across the 180th meridian or around a pole is one area",
        arguments: [
            ((-17.0, 179.999), (-17.0, -179.999), (-17.0, -179.9)), ((90.0, 0.0), (89.9999, 137.0), (89.98, -40.0)),
            ((-89.9995, 10.0), (-89.9995, -170.0), (-89.9, 10.0)),
        ])
    func edges(center: (Double, Double), inside: (Double, Double), outside: (Double, Double)) throws {
        func place(_ pair: (Double, Double)) throws -> Coordinate {
            try #require(Coordinate(latitude: pair.0, longitude: pair.1))
        }
        var depot = Depot([try #require(FleetArea(id: "a", name: "Edge", center: place(center), radius: 500))])
        #expect(depot.report(at: try place(outside)) == [])
        depot.wait()
        #expect(depot.report(at: try place(inside)) == ["entered Edge"])
        depot.wait()
        #expect(depot.report(at: try place(outside)) == ["left Edge"])
    }

    @Test("alarms that are never fetched are kept up to a limit")
    func limit() {
        var depot = Depot()
        for index in 0..<300 {
            _ = depot.fleet.take(
                Array(
                    #"{"_type":"location","lat":47,"lon":\#(index % 2 == 0 ? 9.6 : 9.5),"tst":\#(1_795_000_000 + index)}"#
                        .utf8), topic: "owntracks/fleet/van7", isRetained: false, at: depot.now)
        }
        #expect(depot.alarms().count == FleetAlarm.mostKept)
    }

    @Test("an area outside of its limits is refused")
    func limits() {
        func area(_ radius: Double, _ name: String = "Depot", _ id: String = "a", _ search: String = "") -> FleetArea? {
            FleetArea(id: id, name: name, center: Depot.center, radius: radius, search: search)
        }
        let long = String(repeating: "x", count: 401)
        #expect(area(20) != nil && area(100_000) != nil)
        for refused in [
            area(19), area(100_001), area(.nan), area(200, ""), area(200, " \n"), area(200, long), area(200, "a", ""),
            area(200, "a", long), area(200, "a", "a", long),
        ] { #expect(refused == nil) }
    }
}

@Suite("FleetAreaDocument: the file with the areas")
struct FleetAreaDocumentTests {
    @Test("saved areas are read back, with hostile names and with members of a newer version")
    func roundTrip() throws {
        let name = "\"</script>\\\n\u{1}\u{202E}é"
        let area = try #require(
            FleetArea(
                id: "a1", name: name, center: Coordinate(clampingLatitude: -17.1, wrappingLongitude: 179.9),
                radius: 1e-5 + 20, search: "van\t"))
        let newer = #"{"type":"Feature","id":"p","geometry":{"type":"Polygon","coordinates":[]},"properties":{}}"#
        var document = try FleetAreaDocument(Array(#"{"type":"FeatureCollection","features":[\#(newer)]}"#.utf8))
        #expect(document.areas == [])
        try document.save(area)
        let read = try FleetAreaDocument(document.bytes)
        #expect(read.areas == [area])
        #expect(String(decoding: read.bytes, as: UTF8.self).contains(newer))
        document.remove("a1")
        #expect(try FleetAreaDocument(document.bytes).areas == [])
    }

    @Test("beyond the limit an area is refused, and one that is known is changed")
    func limit() throws {
        var document = FleetAreaDocument()
        func area(_ index: Int, _ radius: Double = 200) throws -> FleetArea {
            try #require(FleetArea(id: "a\(index)", name: "x", center: Depot.center, radius: radius))
        }
        for index in 0..<FleetArea.mostAreas { try document.save(area(index)) }
        #expect(throws: FleetAreaDocument.Flaw.self) { try document.save(area(1000)) }
        try document.save(area(7, 300))
        #expect(document.areas.count == FleetArea.mostAreas && document.areas[7].radius == 300)
    }

    @Test("another file is refused", arguments: ["", "[]", "{}", #"{"type":"FeatureCollection"}"#])
    func refused(text: String) {
        #expect(throws: FleetAreaDocument.Flaw.self) { try FleetAreaDocument(Array(text.utf8)) }
    }
}
