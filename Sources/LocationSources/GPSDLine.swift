import FoundationEssentials

/// A line of gpsd as JSON, before libgps has seen it: the members that are of use here, each of the type that gpsd's
/// protocol gives it.
///
/// Decoding is the gate in front of libgps, which loops for ever on lines that are not quite right, some of them
/// well-formed JSON (see `GPSDUnpacker`).
enum GPSDLine {
    case version(Version)
    case devices([Device])
    case device(Device)
    case position(Position)
    case sky(Sky)
    case attitude(Attitude)
    case error(String)
    case other(String)

    struct Version: Decodable {
        var release: String
    }

    struct Device: Decodable {
        var path: String
        var driver: String?
        var activated: Activation?

        /// A time, or the number 0 when gpsd has closed the device.
        enum Activation: Decodable {
            case since(String)
            case never

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let time = try? container.decode(String.self) {
                    self = .since(time)
                } else {
                    _ = try container.decode(Double.self)
                    self = .never
                }
            }
        }
    }

    struct Devices: Decodable {
        var devices: [Device]
    }

    struct Position: Codable {
        var device: String?
        var time: String?
        var mode: Int?
        var status: Int?
        var lat, lon, altMSL, altHAE: Double?
        var eph, epv: Double?
        var track, epd: Double?
        var speed, eps: Double?
    }

    struct Sky: Codable {
        var device: String?
        var satellites: [Satellite]?

        struct Satellite: Codable {
            // gpsd's own spelling.
            // swift-format-ignore: AlwaysUseLowerCamelCase
            var PRN: Int
            var used: Bool
        }
    }

    struct Attitude: Codable {
        var device: String?
        var time: String?
        var heading: Double?
    }

    struct Failure: Decodable {
        var message: String
    }
}

extension GPSDLine: Decodable {
    private enum CodingKeys: CodingKey { case `class` }

    init(from decoder: any Decoder) throws {
        let name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .class)
        switch name {
        case "VERSION": self = .version(try Version(from: decoder))
        case "DEVICES": self = .devices(try Devices(from: decoder).devices)
        case "DEVICE": self = .device(try Device(from: decoder))
        case "TPV": self = .position(try Position(from: decoder))
        case "SKY": self = .sky(try Sky(from: decoder))
        case "ATT": self = .attitude(try Attitude(from: decoder))
        case "ERROR": self = .error(try Failure(from: decoder).message)
        default: self = .other(name)
        }
    }

    /// The longest line that is looked at, in bytes. gpsd's own limit for one message is 10,240 (`GPS_JSON_RESPONSE_MAX`).
    static let maximumLength = 16 * 1024
    /// How deeply a line may nest. gpsd's deepest messages (AIS, RTCM) have four levels; a decoder that recurses needs
    /// a bound.
    static let maximumDepth = 16

    /// Reads one line, without its line feed.
    init(_ bytes: some Collection<UInt8>) throws(GPSDLineError) {
        guard bytes.count <= Self.maximumLength else { throw .tooLong }
        guard Self.depth(of: bytes) <= Self.maximumDepth else { throw .tooDeep }
        do {
            self = try JSONDecoder().decode(GPSDLine.self, from: Data(bytes))
        } catch {
            throw .notProtocol
        }
    }

    /// How many brackets are open at most.
    private static func depth(of bytes: some Collection<UInt8>) -> Int {
        var (depth, maximum) = (0, 0)
        var (isInString, isEscaped) = (false, false)
        for byte in bytes {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString:
                depth += 1
                maximum = max(maximum, depth)
            case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString:
                depth -= 1
            default: continue
            }
        }
        return maximum
    }
}

/// Why a line was refused.
enum GPSDLineError: Error, Equatable {
    /// More than `GPSDLine.maximumLength` bytes.
    case tooLong
    /// Brackets within brackets, more than `GPSDLine.maximumDepth` deep.
    case tooDeep
    /// Not JSON, not an object with a class, or a known member of another type.
    case notProtocol
}
