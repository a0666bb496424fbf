import FleetModel
import LocationModel
import NIOCore

/// Writes vehicles as JSON. An encoder for any value takes ten times as long, and there are 10,000 of them.
///
/// A vehicle is an array: number, longitude and latitude in millionths of a degree, state, course in degrees, speed in decimetres a
/// second, time in seconds since 1970, interval in seconds, then, unless the page has them, its label and the name that it gives itself.
/// -1 stands for a number that is unknown.
struct FleetJSON {
    private(set) var buffer = ByteBuffer()
    private var isFirst = true

    /// Appends JSON as it is.
    mutating func write(_ json: StaticString) {
        json.withUTF8Buffer { _ = buffer.writeBytes($0) }
        isFirst = true
    }

    mutating func write(_ json: ByteBuffer) { buffer.writeImmutableBuffer(json) }

    /// Appends an element of an array.
    mutating func write(element number: Int) {
        separate()
        buffer.writeString(String(number))
    }

    mutating func write(_ number: Int, _ row: FleetTable.Row, isNamed: Bool) {
        separate()
        let location = row.vehicle.position.location
        let values = [
            number, Int((location.coordinate.longitude * 1e6).rounded()),
            Int((location.coordinate.latitude * 1e6).rounded()),
            row.state.number, location.course.map { Int($0.rounded()) % 360 } ?? -1,
            location.speed.map { Int(($0 * 10).rounded()) } ?? -1,
            Int(location.timestamp.nanosecondsSince1970 / 1_000_000_000),
            row.vehicle.interval.map { Int($0.rounded()) } ?? -1,
        ]
        write("[")
        for value in values { write(element: value) }
        if isNamed {
            buffer.writeString(",")
            write(text: row.vehicle.label)
            buffer.writeString(",")
            write(text: row.vehicle.shownName ?? "")
        }
        write("]")
        isFirst = false
    }

    /// Appends a string. What ends one, and what ends a line, is escaped.
    mutating func write(text: String) {
        buffer.writeString("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                buffer.writeInteger(UInt8(ascii: "\\"))
                buffer.writeInteger(byte)
            // Unsafe characters have been escaped; this is for those that might be added.
            case ..<0x20: buffer.writeString(" ")
            default: buffer.writeInteger(byte)
            }
        }
        buffer.writeString("\"")
    }

    private mutating func separate() {
        if !isFirst { buffer.writeString(",") }
        isFirst = false
    }
}
