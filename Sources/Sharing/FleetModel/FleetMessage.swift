package import LocationModel
import StrictJSON

/// A message of a vehicle: OwnTracks' JSON, which anybody who may publish at the broker can have written.
package enum FleetMessage: Hashable, Sendable {
    case position(FleetPosition)
    /// The broker has lost its connection to the vehicle (`lwt`).
    case connectionLost
    /// The vehicle's name for people (`card`), as it was written; `nil` if it takes its name back.
    case name(String?)
    /// The vehicle no longer shows its position: the retained message was cleared.
    case ended
    /// A message that says nothing of where the vehicle is, such as a `transition`, with its type.
    case other(String)

    /// The longest content that is read, in bytes. A card has a picture of about 100 kB.
    package static let longest = 256 * 1024
    /// The longest name of a card that is kept, in characters.
    package static let longestName = 64
    /// The time by which a fix may be later than this machine's clock.
    package static let greatestLead = Duration.seconds(300)
    /// The age from which on a position says nothing. A receiver that has lost count of GPS' weeks is 19.6 years behind.
    package static let greatestAge = Duration.seconds(366 * 86_400)

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - isRetained: true if the broker kept it, so that its age is known by its own time only.
    ///   - now: the time of its arrival.
    package init(
        _ payload: [UInt8], of topic: FleetTopic, isRetained: Bool, at now: Timestamp
    ) throws(FleetMessageFlaw) {
        guard payload.count <= Self.longest else { throw .tooLong }
        guard !payload.isEmpty else {
            self = topic.kind == nil ? .ended : topic.kind == "info" ? .name(nil) : .other("")
            return
        }
        let members: JSONOutline
        do throws(JSONFlaw) {
            members = try JSONOutline(payload)
        } catch {
            throw .notJSON
        }
        switch members["_type"]?.string {
        case "location" where topic.kind == nil:
            self = .position(try Self.position(members, isRetained: isRetained, at: now))
        case "lwt" where topic.kind == nil: self = .connectionLost
        case "card" where topic.kind == "info" || topic.kind == nil:
            self = .name(members["name"]?.string.flatMap(Self.name))
        case "encrypted": throw .encrypted
        case let type?: self = .other(String(type.prefix(Self.longestName)))
        case nil: throw .missing("_type")
        }
    }

    private static func name(_ text: String) -> String? {
        let name = String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestName)))
        return name.allSatisfy(\.isWhitespace) ? nil : name
    }

    private static func position(
        _ members: JSONOutline, isRetained: Bool, at now: Timestamp
    ) throws(FleetMessageFlaw) -> FleetPosition {
        guard let latitude = members["lat"] else { throw .missing("lat") }
        guard let longitude = members["lon"] else { throw .missing("lon") }
        guard let latitude = latitude.measure, let longitude = longitude.measure,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { throw .outOfRange("lat, lon") }
        var location = Location(coordinate: coordinate, timestamp: try time(members, isRetained: isRetained, at: now))
        location.horizontalAccuracy = members["acc"]?.measure(in: 0.001...1e7)
        location.verticalAccuracy = members["vac"]?.measure(in: 0.001...1e6)
        location.altitude = members["alt"]?.measure(in: -12_000...100_000)
        // In km/h. Apps for iOS write -1 for an unknown one.
        location.speed = members["vel"]?.measure(in: 0...4000).map { $0 / 3.6 }
        location.course = members["cog"]?.measure(in: 0...360).map { $0 == 360 ? 0 : $0 }
        return FleetPosition(location, battery: members["batt"]?.measure(in: 0...100).map { Int($0) })
    }

    private static func time(
        _ members: JSONOutline, isRetained: Bool, at now: Timestamp
    ) throws(FleetMessageFlaw) -> Timestamp {
        guard let member = members["tst"] else {
            guard !isRetained else { throw .missing("tst") }
            return now
        }
        // Beyond these a number is no time of a fix, and might not fit.
        guard let seconds = member.measure(in: 0...4e9) else { throw .outOfRange("tst") }
        let time = Timestamp(
            secondsSince1970: Int64(seconds), nanoseconds: Int64((seconds - seconds.rounded(.down)) * 1e9))
        let age = now.duration(since: time)
        guard age >= .zero - greatestLead else { throw .inFuture }
        guard age <= greatestAge else { throw .tooOld }
        return time
    }
}

/// The reason why a message of a vehicle is not used.
package enum FleetMessageFlaw: Error, Hashable, Sendable {
    /// The topic is not one of a vehicle's.
    case foreignTopic
    /// The content is longer than ``FleetMessage/longest``.
    case tooLong
    /// The content is not a JSON object, or one that two readers might read differently.
    case notJSON
    /// A member is missing, or `null`.
    case missing(String)
    /// A member is not a number in its range.
    case outOfRange(String)
    /// The fix is later than this machine's clock by more than ``FleetMessage/greatestLead``.
    case inFuture
    /// The fix is older than ``FleetMessage/greatestAge``.
    case tooOld
    /// The content is encrypted with a passphrase of OwnTracks'.
    case encrypted
    /// There are as many vehicles as are kept.
    case tooManyVehicles
}

extension JSONOutline.Value {
    /// The longest text of a number.
    private static let longestNumber = 32

    /// The value of a number, or of a string with one, as some programs write it; `nil` for anything else.
    fileprivate var measure: Double? {
        if let number { return number }
        guard let string, (1...Self.longestNumber).contains(string.utf8.count),
            string.utf8.allSatisfy({ "0123456789.-+eE".utf8.contains($0) }), let number = Double(string),
            number.isFinite
        else { return nil }
        return number
    }

    fileprivate func measure(in range: ClosedRange<Double>) -> Double? {
        measure.flatMap { range.contains($0) ? $0 : nil }
    }
}
