import DesktopEntries
public import LocationModel

/// A writable property of a client object.
public enum ClientProperty: Hashable, Sendable {
    /// `DesktopId`: the name that the program claims.
    case desktopID(String)
    /// `DistanceThreshold`, in metres; 0 for none.
    case distanceThreshold(UInt32)
    /// `TimeThreshold`, in seconds; 0 for none.
    case timeThreshold(UInt32)
    /// `RequestedAccuracyLevel`
    case requestedLevel(UInt32)

    /// The longest `DesktopId`, in bytes, which is that of a file name.
    private static let longestID = 255

    /// The property in a call of `Set`, with its value.
    init(_ name: String, _ value: BusValue) throws(BusError) {
        switch (name, value) {
        case ("DesktopId", .text(let text)):
            guard text.utf8.count <= Self.longestID, text.unicodeScalars.allSatisfy(\.isShown) else {
                throw .invalidArguments("DesktopId must be a name of at most 255 bytes without control characters.")
            }
            self = .desktopID(text)
        case ("DistanceThreshold", .number(let metres)): self = .distanceThreshold(metres)
        case ("TimeThreshold", .number(let seconds)): self = .timeThreshold(seconds)
        case ("RequestedAccuracyLevel", .number(let level)): self = .requestedLevel(level)
        case ("Location", _), ("Active", _): throw .readOnly(name)
        case ("DesktopId", _): throw .invalidArguments("DesktopId is a string (s).")
        case ("DistanceThreshold", _), ("TimeThreshold", _), ("RequestedAccuracyLevel", _):
            throw .invalidArguments("\(name) is a number (u).")
        default: throw .unknownProperty(name)
        }
    }

    /// The property as sent to clients.
    public var change: PropertyValue {
        switch self {
        case .desktopID(let text): ("DesktopId", .text(text))
        case .distanceThreshold(let metres): ("DistanceThreshold", .number(metres))
        case .timeThreshold(let seconds): ("TimeThreshold", .number(seconds))
        case .requestedLevel(let level): ("RequestedAccuracyLevel", .number(level))
        }
    }
}

/// GeoClue's accuracy levels, 0 to 8, which clients request and agents allow.
public enum AccuracyLevel {
    /// The level of a new client object.
    public static let initial = city
    /// Nothing requested, or nothing allowed.
    public static let none: UInt32 = 0
    /// The city.
    public static let city: UInt32 = 4
    /// The street.
    public static let street: UInt32 = 6
    /// The most exact.
    public static let exact: UInt32 = 8

    /// The level that sources of these kinds can reach.
    public static func available(from kinds: Set<Location.SourceInformation.Kind>) -> UInt32 {
        if kinds.isEmpty { return none }
        return kinds == [.wifi] ? street : exact
    }

    /// True if a client that requests `level` gets reduced accuracy: for country, city and neighbourhood. A request lowers the
    /// authorized accuracy and never raises it; 0 means that none was set.
    public static func isRough(_ level: UInt32) -> Bool { (1...5).contains(level) }
}
