import StrictJSON

/// A line of gpsd's protocol, decoded from JSON before it goes to libgps: the relevant members, each of the type that
/// the protocol specifies.
///
/// The strict decoding protects libgps, which loops forever on malformed lines, some of which are well-formed JSON
/// (see `GPSDUnpacker`).
package enum GPSDLine {
    /// The greeting: the release of gpsd, and the program that answers.
    case version(release: String, revision: String?)
    case devices([Device])
    case device(Device)
    case position(Position)
    case sky(Sky)
    case attitude(Attitude)
    case error(String)
    case other(String)

    /// The content of a DEVICE message.
    package struct Device: Equatable {
        package var path: String
        package var driver: String?
        /// False while gpsd does not read it: never opened, closed, or unplugged.
        package var isActivated: Bool
    }

    package struct Position {
        package var device: String?
        package var time: String?
        package var mode: Int?
        package var status: Int?
        package var lat, lon, altMSL, altHAE: Double?
        package var eph, epv: Double?
        package var track, epd: Double?
        package var speed, eps: Double?
        /// The jamming indicator, 0 to 255 (severe); gpsd of 3.25 and later sends it if it is not 0.
        package var jam: Int?
        /// The state of the antenna: 2 or 3 for an open or a short circuit; gpsd of 3.25 and later sends nothing else.
        package var ant: Int?

        /// What was measured, with the names of the members.
        package static let numbers: [(name: StaticString, value: any WritableKeyPath<Self, Double?> & Sendable)] = [
            ("lat", \.lat), ("lon", \.lon), ("altMSL", \.altMSL), ("altHAE", \.altHAE), ("eph", \.eph), ("epv", \.epv),
            ("track", \.track), ("epd", \.epd), ("speed", \.speed), ("eps", \.eps),
        ]
    }

    package struct Sky {
        package var device: String?
        package var satellites: [Satellite]?
        package var hdop, pdop: Double?

        package struct Satellite {
            package var number: Int
            package var isUsed: Bool
            package var ss: Double?
        }
    }

    package struct Attitude {
        package var device: String?
        package var time: String?
        package var heading: Double?
    }

    /// The longest accepted line, in bytes. gpsd's own limit for a message is 10,240 (`GPS_JSON_RESPONSE_MAX`).
    package static let maximumLength = 16 * 1024

    /// Decodes one line, without its line feed.
    package init(_ line: [UInt8]) throws(GPSDLineError) {
        guard line.count <= Self.maximumLength else { throw .tooLong }
        guard let message = try? JSONOutline(line) else { throw .notProtocol }
        try self.init(message)
    }

    private init(_ message: JSONOutline) throws(GPSDLineError) {
        let name = try require(message.string("class"))
        switch name {
        case "VERSION":
            self = .version(release: try require(message.string("release")), revision: try message.string("rev"))
        case "DEVICES": self = .devices(try require(message.objects("devices", GPSDLine.Device.init)))
        case "DEVICE": self = .device(try GPSDLine.Device(message))
        case "TPV": self = .position(try Position(message))
        case "SKY": self = .sky(try Sky(message))
        case "ATT": self = .attitude(try Attitude(message))
        case "ERROR": self = .error(try require(message.string("message")))
        default: self = .other(name)
        }
    }
}

/// The reason why a line was rejected.
package enum GPSDLineError: Error, Equatable {
    /// The line is longer than `GPSDLine.maximumLength` bytes.
    case tooLong
    /// The line is not JSON, not an object with a class, or has a known member of another type.
    case notProtocol
}

extension GPSDLine.Device {
    fileprivate init(_ message: JSONOutline) throws(GPSDLineError) {
        self.init(
            path: try require(message.string("path")),
            driver: try message.string("driver").map { String($0.prefix(64)) },
            isActivated: try message.timeOrZero("activated"))
    }
}

/// Typed access to members: a member is of the requested type, or absent or `null`, which both read as `nil`, or an error.
extension JSONOutline {
    /// A string. U+0000 would end it early in libgps.
    fileprivate func string(_ name: StaticString) throws(GPSDLineError) -> String? {
        let string = try member(name, \.string)
        guard string?.utf8.contains(0) != true else { throw .notProtocol }
        return string
    }

    fileprivate func number(_ name: StaticString) throws(GPSDLineError) -> Double? { try member(name, \.number) }

    fileprivate func integer(_ name: StaticString) throws(GPSDLineError) -> Int? { try member(name, \.integer) }

    fileprivate func boolean(_ name: StaticString) throws(GPSDLineError) -> Bool? { try member(name, \.boolean) }

    /// The objects of an array, each converted by `read`.
    fileprivate func objects<Element>(
        _ name: StaticString, _ read: (JSONOutline) throws(GPSDLineError) -> Element
    ) throws(GPSDLineError) -> [Element]? {
        guard let objects = try member(name, \.objects) else { return nil }
        return try objects.map(read)
    }

    private func member<Content>(
        _ name: StaticString, _ content: (Value) -> Content?
    ) throws(GPSDLineError) -> Content? {
        guard let value = self[name] else { return nil }
        return try require(content(value))
    }

    /// True if there is a time; gpsd writes the number 0 when it has closed the device.
    fileprivate func timeOrZero(_ name: StaticString) throws(GPSDLineError) -> Bool {
        do throws(GPSDLineError) {
            return try string(name) != nil
        } catch {
            _ = try number(name)
            return false
        }
    }
}

extension GPSDLine.Position {
    fileprivate init(_ message: JSONOutline) throws(GPSDLineError) {
        device = try message.string("device")
        time = try message.string("time")
        mode = try message.integer("mode")
        // Unknown, no fix, 2D or 3D.
        guard (0...3).contains(mode ?? 0) else { throw .notProtocol }
        status = try message.integer("status")
        for (name, value) in Self.numbers { self[keyPath: value] = try message.number(name) }
        // They do not go to libgps, and no position is lost because of them.
        jam = try? message.integer("jam")
        ant = try? message.integer("ant")
    }
}

extension GPSDLine.Sky {
    fileprivate init(_ message: JSONOutline) throws(GPSDLineError) {
        device = try message.string("device")
        satellites = try message.objects("satellites", Satellite.init)
        hdop = try message.number("hdop")
        pdop = try message.number("pdop")
    }
}

extension GPSDLine.Sky.Satellite {
    fileprivate init(_ message: JSONOutline) throws(GPSDLineError) {
        number = try require(message.integer("PRN"))
        isUsed = try require(message.boolean("used"))
        ss = try message.number("ss")
    }
}

extension GPSDLine.Attitude {
    fileprivate init(_ message: JSONOutline) throws(GPSDLineError) {
        device = try message.string("device")
        time = try message.string("time")
        heading = try message.number("heading")
    }
}

/// Returns `value` or throws if a required member is missing.
private func require<Value>(_ value: Value?) throws(GPSDLineError) -> Value {
    guard let value else { throw .notProtocol }
    return value
}
