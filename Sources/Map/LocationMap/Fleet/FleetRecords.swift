import FleetModel
import NIOCore

/// Vehicles for a page, in about ten bytes for each that it has already.
///
/// A vehicle is a row of whole numbers: first its number, then its ``Values``. Each is written as a difference: the number from
/// that of the vehicle before it, a value from the one that the page was sent last, or from 0 if it does not have the vehicle. So
/// each value is exact, whatever was left out before. A vehicle that the page does not have has two texts among the names: its
/// label, and the name that it gives itself.
///
/// A difference *d* is written as 2 *d*, or as −2 *d* − 1 if it is negative, in digits of base 32, the lowest first. The last
/// digit is one of the characters from `#` to `B`, the others are from `]` to `|`: none of them is escaped in a JSON string.
struct FleetRecords {
    /// The values of a vehicle: longitude and latitude in millionths of a degree, state, course in degrees, speed in decimetres
    /// a second, time in seconds since 1970, and interval in seconds; −1 stands for one that is unknown. The last is 0.
    typealias Values = SIMD8<Int>

    private static let last = UInt8(ascii: "#")
    private static let notLast = UInt8(ascii: "]")

    /// The vehicles, without quotation marks.
    private(set) var digits = ByteBuffer()
    /// The labels and names of those that the page does not have, without brackets.
    private(set) var names = FleetJSON()
    private var number = 0

    /// The bytes so far.
    var size: Int { digits.readableBytes + names.buffer.readableBytes }
    var isEmpty: Bool { digits.readableBytes == 0 }

    /// Appends a vehicle. Returns its values.
    ///
    /// - Parameter known: the values that the page was sent last; `nil` if it does not have the vehicle.
    @discardableResult
    mutating func append(_ number: Int, _ vehicle: Vehicle, _ state: VehicleState, known: Values? = nil) -> Values {
        let values = Values(vehicle, state)
        let differences = values &- (known ?? .zero)
        append(number - self.number)
        for index in 0..<7 { append(differences[index]) }
        self.number = number
        if known == nil {
            names.write(element: vehicle.label)
            names.write(element: vehicle.shownName ?? "")
        }
        return values
    }

    private mutating func append(_ difference: Int) {
        var rest = UInt(bitPattern: difference << 1 ^ difference >> (Int.bitWidth - 1))
        while rest > 31 {
            digits.writeInteger(Self.notLast + UInt8(truncatingIfNeeded: rest & 31))
            rest >>= 5
        }
        digits.writeInteger(Self.last + UInt8(truncatingIfNeeded: rest))
    }
}

extension FleetRecords.Values {
    fileprivate init(_ vehicle: Vehicle, _ state: VehicleState) {
        let location = vehicle.position.location
        self.init(
            Int((location.coordinate.longitude * 1e6).rounded()), Int((location.coordinate.latitude * 1e6).rounded()),
            state.number, location.course.map { Int($0.rounded()) % 360 } ?? -1,
            location.speed.map { Int(($0 * 10).rounded()) } ?? -1,
            Int(location.timestamp.nanosecondsSince1970 / 1_000_000_000),
            vehicle.interval.map { Int($0.rounded()) } ?? -1, 0)
    }
}
