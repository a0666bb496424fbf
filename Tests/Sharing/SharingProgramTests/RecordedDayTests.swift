import FoundationEssentials
import Glibc
import LocationModel
import Testing

@testable import FleetModel
@testable import FleetRecording

@Suite("Recorded days for a browser", .timeLimit(.minutes(10)))
struct RecordedDayTests {
    private static let start = Timestamp(secondsSince1970: 1_795_000_000)

    private typealias Point = RecordedTrack.Point

    /// The distance in one direction of a player from a position, in a point's units.
    private static func error(_ part: [Point], at point: Point) -> Int32 {
        let index = part.lastIndex { $0.time <= point.time } ?? 0
        guard index + 1 < part.count else { return max(abs(part[index].x - point.x), abs(part[index].y - point.y)) }
        let (a, b) = (part[index], part[index + 1])
        let passed = Double(point.time - a.time) / Double(b.time - a.time)
        func off(_ from: Int32, _ to: Int32, _ value: Int32) -> Double {
            abs(Double(from) + Double(to - from) * passed - Double(value))
        }
        return Int32(max(off(a.x, b.x, point.x), off(a.y, b.y, point.y)).rounded(.up))
    }

    @Test("a player is never off by more than the tolerance, and far fewer points are left")
    func tolerance() {
        // An hour: it drives in curves, and stands for every third ten minutes.
        var (points, x, y): ([Point], Double, Double) = ([], 0, 0)
        for second in stride(from: Int32(0), to: 3600, by: 5) {
            let isDriving = second / 600 % 3 != 2
            let course = 2 * sin(Double(second) / 150)
            if isDriving { (x, y) = (x + 60 * sin(course), y + 60 * cos(course)) }
            let noise = 2 * sin(Double(second) * 12.9898)
            points.append(Point(time: second, x: Int32(x + noise), y: Int32(y - noise)))
        }
        let parts = RecordedTrack(points, across: 20, along: 20).parts
        #expect(parts.count == 1 && parts[0].count < points.count / 2, "\(parts.map(\.count))")
        #expect(parts[0].first == points.first && parts[0].last == points.last)
        for point in points { #expect(Self.error(parts[0], at: point) <= 21, "at \(point.time) s") }
    }

    @Test("a stop keeps its length, though it lies on a straight line")
    func stop() {
        let drive = (0...60).map { Point(time: $0 * 10, x: $0 * 100, y: 0) }
        let stop = (1...60).map { Point(time: 600 + $0 * 10, x: 6000, y: 0) }
        let further = (1...60).map { Point(time: 1200 + $0 * 10, x: 6000 + $0 * 100, y: 0) }
        let parts = RecordedTrack(drive + stop + further, across: 10, along: 10).parts
        #expect(parts.count == 1 && (4...8).contains(parts[0].count))
        for point in [600, 900, 1200].map({ Point(time: $0, x: 6000, y: 0) }) {
            #expect(Self.error(parts[0], at: point) <= 11)
        }
    }

    @Test("after two minutes without a position nothing is interpolated")
    func gaps() {
        let times: [Int32] = [0, 120, 241, 361, 361, 300, 10_000]
        let parts = RecordedTrack(times.map { Point(time: $0, x: $0, y: 0) }, across: 10, along: 10).parts
        #expect(parts.map { $0.map(\.time) } == [[0, 120], [241, 361], [10_000]])
        #expect(RecordedTrack([], across: 1, along: 1).parts.isEmpty)
    }

    @Test("a day too long for a browser is simplified more until it fits")
    func longest() throws {
        var day = RecordedDay(from: Self.start, to: Self.start.advanced(by: .seconds(86_400)))
        for number in Int32(0)..<3 {
            day.add(number, topic: "owntracks/fleet/v\(number)", name: nil)
            for second in stride(from: Int64(0), to: 86_400, by: 60) {
                day.add(
                    number, at: Self.start.advanced(by: .seconds(second)),
                    longitude: 9 + 0.004 * sin(Double(second) * 0.7) * Double(second) / 86_400, latitude: 47)
            }
        }
        let (whole, short) = (day.json().count, day.json(longest: 20_000).count)
        #expect(whole > 25_000 && (500...20_000).contains(short), "\(whole), \(short)")
    }

    /// The parts of a day's vehicles, by label.
    private static func parts(_ day: RecordedDay) throws -> [String: [[Int]]] {
        struct Wire: Decodable {
            struct Vehicle: Decodable {
                var label, name: String
                var parts: [[Int]]
            }
            var vehicles: [Vehicle]
        }
        let wire = try JSONDecoder().decode(Wire.self, from: Data(day.json()))
        return Dictionary(uniqueKeysWithValues: wire.vehicles.map { ($0.label + $0.name, $0.parts) })
    }

    @Test("the positions of a time come from the database, in their order, and names are text")
    func database() async throws {
        let server = try await DatabaseServer()
        let database = try FleetDatabase(server.address, creates: true)
        func position(_ seconds: Int64, _ longitude: Double, of topic: String = "owntracks/fleet/van") throws
            -> RecordedPosition
        {
            RecordedPosition(
                topic: topic,
                position: FleetPosition(
                    Location(
                        coordinate: try #require(Coordinate(latitude: -17, longitude: longitude)),
                        timestamp: Self.start.advanced(by: .seconds(seconds)))))
        }
        // Across a partition, the 180th meridian and a backlog.
        let all = [(86_390, 179.9999), (86_400, -179.9999), (-1, 1), (30, 179.9901), (0, 179.99), (90_000, 2)]
        try database.store(
            try all.map { try position(Int64($0.0), $0.1) } + [try position(5, 3, of: "owntracks/fleet/\u{202E}\"x")],
            names: ["owntracks/fleet/van": "</script>\u{202E}\\"], from: Day(first: 90, before: Self.start),
            at: Self.start)
        let day = try database.day(from: Self.start, to: Self.start.advanced(by: .seconds(90_000)))
        #expect(day.count == 5 && !day.isTooLong)
        let parts = try Self.parts(day)
        #expect(
            parts == [
                #"fleet/van</script>\u{202E}\"#: [
                    [0, 17_999_000, -1_700_000, 30, 10, 0], [86_390, 17_999_990, -1_700_000, 10, -35_999_980, 0],
                ],
                #"fleet/\u{202E}"x"#: [[5, 300_000, -1_700_000]],
            ])
        let none = try database.day(
            from: Self.start.advanced(by: .seconds(-90_000)), to: Self.start.advanced(by: .seconds(-2)))
        #expect(try Self.parts(none).isEmpty)
    }

    @Test("rows of another form, or that are cut short, are left out")
    func damaged() {
        func row(_ fields: Int16, _ size: Int32, cutAt: Int? = nil, order: UInt8 = 1) -> [UInt8] {
            func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
                withUnsafeBytes(of: number.bigEndian, Array.init)
            }
            let point = [order, 1, 0, 0, 0] + withUnsafeBytes(of: (9.5, 47.0), Array.init)
            let all =
                bytes(fields) + bytes(Int32(4)) + bytes(Int32(7)) + bytes(Int32(8))
                + bytes(Int64((1_795_000_000 - 946_684_800) * 1_000_000)) + bytes(size) + point
            return Array(all.prefix(cutAt ?? all.count))
        }
        var day = RecordedDay(from: Self.start, to: Self.start.advanced(by: .seconds(10)))
        func take(_ bytes: [UInt8]) -> Int {
            let before = day.count
            bytes.withUnsafeBytes { day.take($0) }
            return day.count - before
        }
        #expect(take(row(3, 21)) == 1)
        #expect(take(row(3, 21) + row(3, 21) + [255, 255]) == 2)
        for other in [row(2, 21), row(3, 22), row(3, -1), row(3, 1000), row(3, 21, order: 0), [], [0]] {
            #expect(take(other) == 0)
        }
        for count in 0..<row(3, 21).count { #expect(take(row(3, 21, cutAt: count)) == 0) }
    }
}
