import FleetModel
import FoundationEssentials
import LocationModel
import NIOCore
import TestSupport
import Testing

@testable import LocationMap
@testable import PageServing

/// A map of a fleet, whose time the test turns on.
@MainActor
final class FleetMap {
    let map = MapView()
    let fleet: FleetLayer
    /// The time of the vehicles' clocks, and of this machine's.
    var now = Timestamp(secondsSince1970: 1_790_000_000)
    var instant = ContinuousClock.now

    init(rate: Double = FleetPage.usualRate, areas: String? = nil) {
        fleet = FleetLayer(rate: rate, areas: areas)
        map.fleet = fleet
    }

    /// Publishes positions of devices.
    func publish(_ positions: [(device: String, latitude: Double, longitude: Double)], more: String = "") {
        fleet.take(
            positions.map { device, latitude, longitude in
                let time = Int(now.secondsSince1970)
                let json = #"{"_type":"location","lat":\#(latitude),"lon":\#(longitude),"tst":\#(time)\#(more)}"#
                return .message(
                    topic: "owntracks/fleet/\(device)", payload: Array(json.utf8), isRetained: false, expiry: nil)
            }, at: now)
    }

    func pass(_ seconds: Double) {
        now = now.advanced(by: .seconds(seconds))
        instant = instant.advanced(by: .seconds(seconds))
        fleet.update(at: now, instant)
    }
}

/// Reads vehicles as the script of a page does: see `FleetRecords`.
struct VehicleReader {
    /// A vehicle as it was read.
    struct Vehicle: Equatable {
        /// Longitude and latitude in millionths of a degree, state, course, speed in decimetres a second, time and interval.
        var values: [Int]
        var label, given: String
    }

    var vehicles: [Int: Vehicle] = [:]

    /// Returns the numbers of the vehicles in their order.
    @discardableResult
    mutating func read(_ object: JSON) throws -> [Int] {
        var digits = Array(try #require(object["vehicles"]?.string).utf8)[...]
        var names = (object["names"]?.array ?? []).compactMap(\.string)[...]
        var (number, numbers): (Int, [Int]) = (0, [])
        func next() throws -> Int {
            var (value, scale) = (0, 1)
            while let digit = digits.popFirst() {
                try #require((35...66).contains(digit) || (93...124).contains(digit))
                value += Int(digit < 93 ? digit - 35 : digit - 93) * scale
                scale *= 32
                if digit < 93 { return value % 2 == 0 ? value / 2 : -(value + 1) / 2 }
            }
            throw Cut()
        }
        while !digits.isEmpty {
            number += try next()
            numbers.append(number)
            if vehicles[number] == nil {
                let (label, given) = (names.popFirst(), names.popFirst())
                vehicles[number] = Vehicle(
                    values: Array(repeating: 0, count: 7), label: try #require(label), given: try #require(given))
            }
            for index in 0..<7 { vehicles[number]?.values[index] += try next() }
        }
        #expect(names.isEmpty)
        return numbers
    }

    private struct Cut: Error {}
}

/// A page with vehicles, as its script keeps them.
@MainActor
final class FleetReader {
    let fake: FakePage
    private var reader = VehicleReader()
    /// The labels of the list, and the number of all that it might have.
    private(set) var listed: [String] = []
    private(set) var total: Int?
    private(set) var problem: String?
    private(set) var leftOut: String?
    /// The areas and alarms.
    private(set) var alarms: JSON?
    private(set) var alarmEvents = 0
    /// The bytes of the last events.
    private(set) var size = 0
    /// The numbers of the vehicles in the last event.
    private(set) var received: [Int] = []

    init(_ fleet: FleetMap, bounds: [Double] = [-180, -90, 180, 90], zoom: Double = 12, search: String? = nil) throws {
        fake = try FakePage(fleet.map)
        ask(bounds, zoom: zoom, search: search)
    }

    func ask(_ bounds: [Double], zoom: Double = 12, search: String? = nil, kept: [Int] = []) {
        fake.post(.fleet(FleetQuery(bounds: bounds, zoom: zoom, search: search, kept: kept)))
    }

    /// Reads what there is, at a time of the map's.
    func read(_ fleet: FleetMap) throws {
        size = 0
        while let data = fleet.fleet.event(for: fake.page.id, at: fleet.instant) {
            size += data.readableBytes
            let event = try #require(ServerEvents.parse(String(buffer: data)).first)
            #expect(event.name == "fleet")
            for number in event.data["removed"]?.array ?? [] {
                #expect(reader.vehicles.removeValue(forKey: Int(number.number ?? -1)) != nil)
            }
            received = try reader.read(event.data)
            if let list = event.data["list"] {
                var rows = VehicleReader()
                listed = try rows.read(list).compactMap { rows.vehicles[$0]?.label }
                total = list["total"]?.number.map { Int($0) }
            }
            if let alarms = event.data["alarms"] {
                self.alarms = alarms
                alarmEvents += 1
            }
            if event.data["counts"] != nil {
                problem = event.data["problem"]?.string
                leftOut = event.data["leftOut"]?.string
            }
        }
    }

    var vehicles: [Int: VehicleReader.Vehicle] { reader.vehicles }
    var labels: Set<String> { Set(vehicles.values.map(\.label)) }
}

@Suite("MapView: the vehicles of a broker", .timeLimit(.minutes(10)))
@MainActor
struct FleetLayerTests {
    @Test("a page receives the vehicles in its view and no others, also across the 180th meridian")
    func filter() throws {
        let fleet = FleetMap()
        let near = try FleetReader(fleet, bounds: [9, 46, 10, 48])
        let pacific = try FleetReader(fleet, bounds: [170, -30, 190, 0])
        fleet.publish([("van7", 47, 9.5), ("van8", 48.5, 9.5), ("boat", -18, -179), ("ship", -18, 179)])
        fleet.pass(1)
        try near.read(fleet)
        try pacific.read(fleet)
        #expect(near.labels == ["fleet/van7"] && pacific.labels == ["fleet/boat", "fleet/ship"])
        // One that leaves the view is removed, and so is one that the view leaves.
        fleet.publish([("van7", 48.2, 9.5), ("van8", 47.5, 9.5)])
        fleet.pass(1)
        try near.read(fleet)
        #expect(near.labels == ["fleet/van8"])
        near.ask([0, 0, 1, 1])
        try near.read(fleet)
        #expect(near.vehicles.isEmpty)
        // One that is selected stays.
        near.ask([0, 0, 1, 1], kept: [0, 1, 2, 3])
        try near.read(fleet)
        #expect(near.vehicles.count == 4)
    }

    @Test("a move of less than a pixel of the page's map is not sent, and several of them are")
    func pixels() throws {
        let fleet = FleetMap()
        let (far, near) = (try FleetReader(fleet, zoom: 5), try FleetReader(fleet, zoom: 16))
        var latitude = 47.0
        func move() throws {
            // 11 m; a pixel has 1.6 km at zoom 5.
            latitude += 0.0001
            fleet.publish([("van7", latitude, 9.5)], more: #","vel":36,"cog":90"#)
            fleet.pass(1)
            try far.read(fleet)
            try near.read(fleet)
        }
        try move()
        #expect(far.size > 0 && near.size > 0)
        var moves = 0
        while true {
            try move()
            moves += 1
            #expect(near.size > 0)
            if far.size > 0 || moves == 1000 { break }
        }
        #expect((100..<300).contains(moves), "\(moves)")
    }

    @Test("the state follows the clock without a message")
    func states() throws {
        let fleet = FleetMap()
        let page = try FleetReader(fleet)
        fleet.publish([("van7", 47, 9.5)], more: #","vel":36"#)
        for (seconds, state) in [(1.0, 0), (130, 2), (800, 3)] {
            fleet.pass(seconds)
            try page.read(fleet)
            #expect(page.vehicles[0]?.values[2] == state, "after \(seconds) s")
        }
    }

    @Test(
        "a page that reads nothing for a while holds no events, delays no other, and then receives the newest positions only"
    )
    func slowReader() throws {
        let fleet = FleetMap()
        let (slow, fast) = (try FleetReader(fleet), try FleetReader(fleet))
        func vehicles(_ step: Int) -> [(device: String, latitude: Double, longitude: Double)] {
            (0..<100).map { ("v\($0)", 40 + Double($0) / 100, 9 + Double(step) / 1000) }
        }
        fleet.publish(vehicles(0))
        fleet.pass(1)
        try slow.read(fleet)
        let first = slow.size
        for step in 1...20 {
            fleet.publish(vehicles(step))
            fleet.pass(1)
            try fast.read(fleet)
            #expect(fast.vehicles.count == 100 && fast.size > 0)
        }
        try slow.read(fleet)
        // Each vehicle once, and without its name.
        #expect(slow.size < first)
        #expect(slow.vehicles.values.allSatisfy { $0.values[0] == 9_020_000 })
    }

    @Test("vehicles that move each second are sent to a page within its rate, each in turn")
    func rate() throws {
        let fleet = FleetMap(rate: 2500)
        let page = try FleetReader(fleet, zoom: 16)
        func publish(_ step: Int) {
            fleet.publish((0..<500).map { ("v\($0)", 40 + Double($0) / 1000, 9 + Double(step) / 1000) })
            fleet.pass(1)
        }
        publish(0)
        try page.read(fleet)
        // The first picture is whole at once.
        #expect(page.vehicles.count == 500)
        var sizes: [Int] = []
        var seen: Set<Int> = []
        for step in 1...20 {
            publish(step)
            try page.read(fleet)
            sizes.append(page.size)
            if step > 15 { seen.formUnion(page.vehicles.filter { $0.value.values[0] > 9_015_000 }.keys) }
        }
        #expect(sizes.suffix(5).reduce(0, +) / 5 < 3000, "\(sizes)")
        #expect(sizes[0] > 4000 && seen.count == 500, "\(sizes), \(seen.count)")
    }

    @Test(
        "each vehicle that moves is in the next event, with ten to thirteen bytes: a page's rate allows 10,000 each second"
    )
    func everyMove() throws {
        let fleet = FleetMap()
        let page = try FleetReader(fleet, zoom: 14)
        for step in 0..<3 {
            for part in 0..<10 {
                let (way, place) = (Double(step) * 0.00009, Double(part) / 50)
                fleet.publish(
                    (0..<100).map { ("v\(part * 100 + $0)", 46 + place + way, 5 + Double($0) / 10 - way) },
                    more: #","vel":\#(30 + part % 40 + step * 3),"cog":\#((part * 7 + step * 11) % 360)"#)
            }
            fleet.pass(1)
            try page.read(fleet)
            #expect(page.received.count == 1000)
            if step > 0 { #expect((10_000...13_000).contains(page.size), "\(page.size)") }
        }
    }

    @Test("a selected vehicle is exact after any moves, and others after a move that is shown")
    func exactValues() throws {
        let fleet = FleetMap()
        let page = try FleetReader(fleet, zoom: 5)
        page.ask([-180, -90, 180, 90], zoom: 5, kept: [0])
        for step in 0..<200 {
            // Far at times, and by less than a pixel at others.
            let way =
                ((Double(step) * 0.618).truncatingRemainder(dividingBy: 1) - 0.5) * [1e-6, 1e-4, 0.1, 1][step % 4]
            let (latitude, longitude) = (47 + way * 80, 9 - way * 340)
            let (speed, course) = (step * 997 % 4001, step / 50 * 120)
            for device in ["van7", "van8"] {
                fleet.publish([(device, latitude, longitude)], more: #","vel":\#(speed),"cog":\#(course)"#)
            }
            fleet.pass(1)
            try page.read(fleet)
            let expected = [
                Int((longitude * 1e6).rounded()), Int((latitude * 1e6).rounded()), speed < 4 ? 1 : 0, course % 360,
                Int((Double(speed) / 3.6 * 10).rounded()), Int(fleet.now.secondsSince1970) - 1, step == 0 ? -1 : 1,
            ]
            #expect(page.vehicles[0]?.values == expected)
            if page.received.count == 2 { #expect(page.vehicles[1]?.values == expected) }
        }
    }

    @Test("the list has the vehicles whose label or name contains a text, in the order of their labels")
    func list() throws {
        let fleet = FleetMap()
        let page = try FleetReader(fleet, bounds: [0, 0, 1, 1], search: "")
        fleet.publish([("van8", 47, 9.5), ("van7", 48, 9.5), ("truck", 47, 9.5)])
        fleet.fleet.take(
            [
                .message(
                    topic: "owntracks/fleet/truck/info", payload: Array(#"{"_type":"card","name":"Van of Ann"}"#.utf8),
                    isRetained: true, expiry: nil)
            ], at: fleet.now)
        fleet.pass(1)
        try page.read(fleet)
        #expect(page.vehicles.isEmpty && page.listed == ["fleet/truck", "fleet/van7", "fleet/van8"])
        page.ask([0, 0, 1, 1], search: "VAN")
        try page.read(fleet)
        #expect(page.listed.count == 3)
        page.ask([0, 0, 1, 1], search: "van7")
        try page.read(fleet)
        #expect(page.listed == ["fleet/van7"])
        fleet.publish((0..<300).map { ("v\($0)", 47, 9.5) })
        page.ask([0, 0, 1, 1], search: "")
        fleet.pass(1)
        try page.read(fleet)
        #expect(page.listed.count == 100 && page.total == 303)
    }

    @Test("a number that is used again is that of the new vehicle")
    func numbers() throws {
        let fleet = FleetMap()
        let page = try FleetReader(fleet)
        fleet.publish([("van7", 47, 9.5)])
        fleet.pass(1)
        try page.read(fleet)
        fleet.fleet.take(
            [.message(topic: "owntracks/fleet/van7", payload: [], isRetained: false, expiry: nil)], at: fleet.now)
        fleet.pass(1)
        fleet.publish([("van8", 47, 9.5)])
        fleet.pass(1)
        try page.read(fleet)
        #expect(page.labels == ["fleet/van8"] && page.vehicles.count == 1)
    }

    @Test("the loss of a broker is shown with the reason, and its return as well")
    func problem() throws {
        let fleet = FleetMap()
        let page = try FleetReader(fleet)
        fleet.fleet.take([.connected, .interrupted("broker.example cannot be reached: “refused”\\\n.")])
        fleet.pass(1)
        try page.read(fleet)
        #expect(page.problem == "broker.example cannot be reached: “refused”\\ .")
        fleet.fleet.take([.connected])
        fleet.pass(1)
        try page.read(fleet)
        #expect(page.problem == nil)
    }

    @Test("the messages that were left out are counted for a page, with the reasons")
    func leftOut() throws {
        let fleet = FleetMap()
        let page = try FleetReader(fleet)
        fleet.pass(1)
        try page.read(fleet)
        #expect(page.leftOut == "")
        for payload in ["{", "{}", #"{"_type":"encrypted","data":"AA"}"#] {
            fleet.fleet.take(
                [.message(topic: "owntracks/a/b", payload: Array(payload.utf8), isRetained: false, expiry: nil)],
                at: fleet.now)
        }
        fleet.pass(1)
        try page.read(fleet)
        #expect(
            page.leftOut == "Left out: 1 message encrypted with a passphrase of OwnTracks. "
                + "Left out: 2 messages without a position that can be read.")
    }

    @Test("no name ends an event or its string")
    func hostileNames() throws {
        let fleet = FleetMap()
        let page = try FleetReader(fleet)
        let name = "</script>\"],\\\n\ndata: {}\u{2028}\u{202E}é"
        fleet.publish([(name.replacing("/", with: "|").replacing("\\", with: "|"), 47, 9.5)])
        fleet.publish([("van7", 47, 9.5)])
        let card = String(decoding: try JSONEncoder().encode(["_type": "card", "name": name]), as: UTF8.self)
        fleet.fleet.take(
            [
                .message(
                    topic: "owntracks/fleet/van7/info", payload: Array(card.utf8), isRetained: true, expiry: nil)
            ], at: fleet.now)
        fleet.pass(1)
        try page.read(fleet)
        #expect(page.vehicles.count == 2)
        let given = page.vehicles.values.map(\.given).first { !$0.isEmpty }
        #expect(given?.hasPrefix("</script>\"],\\") == true && given?.hasSuffix("é") == true)
        #expect(given?.contains("\u{202E}") == false && given?.contains("\n") == false)
    }

    @Test(
        "a page's message about another part of the world is refused",
        arguments: [
            #""bounds":[-181,0,0,1],"zoom":3,"kept":[]"#, #""bounds":[0,0,400,1],"zoom":3,"kept":[]"#,
            #""bounds":[0,1,1,0],"zoom":3,"kept":[]"#, #""bounds":[0,0,1],"zoom":3,"kept":[]"#,
            #""bounds":[0,0,1,1],"zoom":99,"kept":[]"#, #""bounds":[0,0,1,1],"zoom":3"#,
            #""bounds":[0,0,1,1],"zoom":3,"kept":[],"search":"\#(String(repeating: "x", count: 257))""#,
            #""bounds":[0,0,1,1],"zoom":3,"kept":[\#((0..<33).map(String.init).joined(separator: ","))]"#,
        ])
    func refusals(members: String) {
        #expect(throws: (any Error).self) {
            try PagePost.decode(Array(#"{"page":"x","messages":[{"type":"fleet",\#(members)}]}"#.utf8))
        }
        #expect(throws: Never.self) {
            try PagePost.decode(
                Array(#"{"page":"x","messages":[{"type":"fleet","bounds":[0,0,1,1],"zoom":3,"kept":[]}]}"#.utf8))
        }
    }
}
