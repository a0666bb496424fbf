import FleetModel
import Glibc
package import LocationModel

/// The recorded positions of a fleet in a time, for a browser that plays them back.
package struct RecordedDay {
    /// The longest JSON, in bytes.
    package static let longest = 10_000_000
    /// The greatest number of positions. Each takes 12 bytes of memory.
    package static let mostPositions = 30_000_000
    /// The longest time, in seconds: a day with an hour more, at the end of summer time, and some.
    package static let longestTime = 100_000
    /// The tolerance of a track, in metres, if the JSON is not too long with it.
    private static let tolerance = 10.0
    private static let degree = 111_320.0
    private static let unit = 1e-5
    /// The beginning of PostgreSQL's binary format.
    private static let signature = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0]

    private let start: Timestamp
    private let end: Timestamp
    /// The vehicles by the numbers that the database gives them.
    private var vehicles: [Int32: (label: String, name: String)] = [:]
    private var positions: [Int32: [RecordedTrack.Point]] = [:]
    /// The number of positions.
    package private(set) var count = 0
    /// True if positions were left out, because there are too many.
    package private(set) var isTooLong = false

    /// A time in which nothing was recorded yet.
    package init(from start: Timestamp, to end: Timestamp) { (self.start, self.end) = (start, end) }

    mutating func add(_ number: Int32, topic: String, name: String?) {
        vehicles[number] = (Vehicle.label(of: topic), name.map { Vehicle.shown($0) } ?? "")
    }

    /// Adds a position of a vehicle. The order does not matter.
    mutating func add(_ number: Int32, at time: Timestamp, longitude: Double, latitude: Double) {
        add(
            number, seconds: Double(time.nanosecondsSince1970 - start.nanosecondsSince1970) / 1e9, longitude, latitude)
    }

    private mutating func add(_ number: Int32, seconds: Double, _ longitude: Double, _ latitude: Double) {
        guard abs(longitude) <= 180, abs(latitude) <= 90 else { return }
        guard count < Self.mostPositions else {
            isTooLong = true
            return
        }
        count += 1
        positions[number, default: []].append(
            RecordedTrack.Point(
                time: Int32(seconds.rounded(.down)), x: Int32((longitude / Self.unit).rounded()),
                y: Int32((latitude / Self.unit).rounded())))
    }

    // MARK: From the database

    /// Takes rows of a `COPY` in the binary format with a number, a time and a `geography(Point)`. What has another form is left out.
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        var index = bytes.starts(with: Self.signature) ? Self.signature.count + 8 : 0
        func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
            guard bytes.count - index >= MemoryLayout<Number>.size else { return nil }
            defer { index += MemoryLayout<Number>.size }
            return Number(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: Number.self))
        }
        while let fields = integer(Int16.self), fields == 3 {
            guard integer(Int32.self) == 4, let number = integer(Int32.self), integer(Int32.self) == 8,
                let time = integer(Int64.self), let size = integer(Int32.self), size >= 21, bytes.count - index >= size
            else { return }
            defer { index += Int(size) }
            // A point of ISO 19125's well-known binary, in this machine's byte order, with the number of its system or without.
            guard bytes[index] == 1, size == 21 || size == 25 else { continue }
            let (x, y) = (index + Int(size) - 16, index + Int(size) - 8)
            // PostgreSQL's times begin in 2000.
            let seconds = Double(time) / 1e6 + 946_684_800 - Double(start.nanosecondsSince1970) / 1e9
            add(
                number, seconds: seconds, bytes.loadUnaligned(fromByteOffset: x, as: Double.self),
                bytes.loadUnaligned(fromByteOffset: y, as: Double.self))
        }
    }

    // MARK: For the browser

    /// The JSON: the `start` and `end` in seconds since 1970, and the `vehicles` by label, each with its parts as numbers: time,
    /// longitude and latitude of the first point, and then the differences between one point and the next.
    ///
    /// If it is longer than `longest` bytes, the tracks are simplified more.
    package func json(longest: Int = Self.longest) -> [UInt8] {
        var tolerance = Self.tolerance
        while true {
            let json = json(tolerance)
            if json.count <= longest || tolerance > 10_000 { return json }
            tolerance *= 3
        }
    }

    private func json(_ tolerance: Double) -> [UInt8] {
        var json = Array(#"{"start":\#(Self.seconds(start)),"end":\#(Self.seconds(end)),"vehicles":["#.utf8)
        let sorted = positions.sorted {
            (vehicles[$0.key]?.label ?? "", $0.key) < (vehicles[$1.key]?.label ?? "", $1.key)
        }
        var isFirst = true
        for (number, points) in sorted {
            guard let (label, name) = vehicles[number] else { continue }
            if !isFirst { json.append(UInt8(ascii: ",")) }
            isFirst = false
            json += #"{"label":\#(JSONText.quoted(label)),"name":\#(JSONText.quoted(name)),"parts":["#.utf8
            Self.write(points, tolerance, to: &json)
            json += "]}".utf8
        }
        json += "]}".utf8
        return json
    }

    private static func write(_ points: [RecordedTrack.Point], _ tolerance: Double, to json: inout [UInt8]) {
        var points = points
        // Backlogs come late; the others are in their order.
        if !zip(points, points.dropFirst()).allSatisfy({ $0.time <= $1.time }) { points.sort { $0.time < $1.time } }
        let along = tolerance / degree / unit
        // Near a pole a degree is short, and a tolerance of many degrees is meaningless.
        let shrink = max(0.01, cos(Double(points.first?.y ?? 0) * unit * .pi / 180))
        for (index, part) in RecordedTrack(points, across: along / shrink, along: along).parts.enumerated() {
            json += (index == 0 ? "[" : ",[").utf8
            var last = RecordedTrack.Point(time: 0, x: 0, y: 0)
            for (index, point) in part.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                json += "\(point.time - last.time),\(point.x - last.x),\(point.y - last.y)".utf8
                last = point
            }
            json.append(UInt8(ascii: "]"))
        }
    }

    private static func seconds(_ time: Timestamp) -> Int64 { time.nanosecondsSince1970 / 1_000_000_000 }
}
