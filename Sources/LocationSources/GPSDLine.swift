import NIOCore

/// A line of gpsd's protocol, decoded from JSON before it goes to libgps: the relevant members, each of the type that
/// the protocol specifies.
///
/// The strict decoding protects libgps, which loops for ever on malformed lines, some of which are well-formed JSON
/// (see `GPSDUnpacker`).
enum GPSDLine {
    case version(String)
    case devices([DeviceReport])
    case device(DeviceReport)
    case position(Position)
    case sky(Sky)
    case attitude(Attitude)
    case error(String)
    case other(String)

    struct Position {
        var device: String?
        var time: String?
        var mode: Int?
        var status: Int?
        var lat, lon, altMSL, altHAE: Double?
        var eph, epv: Double?
        var track, epd: Double?
        var speed, eps: Double?
    }

    struct Sky {
        var device: String?
        var satellites: [Satellite]?
        var hdop, pdop: Double?

        struct Satellite {
            var number: Int
            var isUsed: Bool
            var ss: Double?
        }
    }

    struct Attitude {
        var device: String?
        var time: String?
        var heading: Double?
    }

    /// The longest accepted line, in bytes. gpsd's own limit for a message is 10,240 (`GPS_JSON_RESPONSE_MAX`).
    static let maximumLength = 16 * 1024

    /// Decodes one line, without its line feed.
    init(_ line: ByteBuffer) throws(GPSDLineError) {
        guard line.readableBytes <= Self.maximumLength else { throw .tooLong }
        do throws(JSONError) {
            try self.init(JSONObject(parsing: line))
        } catch {
            throw .notProtocol
        }
    }

    private init(_ message: borrowing JSONObject) throws(JSONError) {
        let name = try require(message.string("class"))
        switch name {
        case "VERSION": self = .version(try require(message.string("release")))
        case "DEVICES": self = .devices(try require(message.objects("devices", DeviceReport.init)))
        case "DEVICE": self = .device(try DeviceReport(message))
        case "TPV": self = .position(try Position(message))
        case "SKY": self = .sky(try Sky(message))
        case "ATT": self = .attitude(try Attitude(message))
        case "ERROR": self = .error(try require(message.string("message")))
        default: self = .other(name)
        }
    }
}

/// The reason why a line was rejected.
enum GPSDLineError: Error, Equatable {
    /// The line is longer than `GPSDLine.maximumLength` bytes.
    case tooLong
    /// The line is not JSON, not an object with a class, or has a known member of another type.
    case notProtocol
}

extension DeviceReport {
    fileprivate init(_ message: borrowing JSONObject) throws(JSONError) {
        self.init(
            path: try require(message.string("path")),
            driver: try message.string("driver").map { String($0.prefix(64)) },
            isActivated: try message.timeOrZero("activated"))
    }
}

extension JSONObject {
    /// True if there is a time; gpsd writes the number 0 when it has closed the device.
    fileprivate func timeOrZero(_ name: StaticString) throws(JSONError) -> Bool {
        do throws(JSONError) {
            return try string(name) != nil
        } catch {
            _ = try number(name)
            return false
        }
    }
}

extension GPSDLine.Position {
    fileprivate init(_ message: borrowing JSONObject) throws(JSONError) {
        device = try message.string("device")
        time = try message.string("time")
        mode = try message.integer("mode")
        // Unknown, no fix, 2D or 3D.
        guard (0...3).contains(mode ?? 0) else { throw JSONError() }
        status = try message.integer("status")
        lat = try message.number("lat")
        lon = try message.number("lon")
        altMSL = try message.number("altMSL")
        altHAE = try message.number("altHAE")
        eph = try message.number("eph")
        epv = try message.number("epv")
        track = try message.number("track")
        epd = try message.number("epd")
        speed = try message.number("speed")
        eps = try message.number("eps")
    }
}

extension GPSDLine.Sky {
    fileprivate init(_ message: borrowing JSONObject) throws(JSONError) {
        device = try message.string("device")
        satellites = try message.objects("satellites", Satellite.init)
        hdop = try message.number("hdop")
        pdop = try message.number("pdop")
    }
}

extension GPSDLine.Sky.Satellite {
    fileprivate init(_ message: borrowing JSONObject) throws(JSONError) {
        number = try require(message.integer("PRN"))
        isUsed = try require(message.boolean("used"))
        ss = try message.number("ss")
    }
}

extension GPSDLine.Attitude {
    fileprivate init(_ message: borrowing JSONObject) throws(JSONError) {
        device = try message.string("device")
        time = try message.string("time")
        heading = try message.number("heading")
    }
}

/// Returns `value` or throws if a required member is missing.
private func require<Value>(_ value: Value?) throws(JSONError) -> Value {
    guard let value else { throw JSONError() }
    return value
}
