/// A property that the owner of a client object sets.
public enum ClientProperty: Hashable, Sendable {
    /// `DesktopId`: what the program calls itself. A claim.
    case desktopID(String)
    /// `DistanceThreshold`, in metres; 0 for none.
    case distanceThreshold(UInt32)
    /// `TimeThreshold`, in seconds; 0 for none.
    case timeThreshold(UInt32)
    /// `RequestedAccuracyLevel`
    case requestedLevel(UInt32)

    /// The longest `DesktopId`, in bytes: that of a file name.
    private static let longestID = 255

    /// The property that `Set` names, with its value.
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

    /// The property as it is told.
    public var told: PropertyValue {
        switch self {
        case .desktopID(let text): ("DesktopId", .text(text))
        case .distanceThreshold(let metres): ("DistanceThreshold", .number(metres))
        case .timeThreshold(let seconds): ("TimeThreshold", .number(seconds))
        case .requestedLevel(let level): ("RequestedAccuracyLevel", .number(level))
        }
    }
}

extension Unicode.Scalar {
    /// Whether it shows as itself: not a control, and nothing that turns or hides the text around it.
    var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}

/// `AccuracyLevel`, which a client asks for and an agent allows: GeoClue's words for how exact, 0 to 8.
public enum AccuracyLevel {
    /// What a client object asks for that has not said anything.
    public static let initial = city
    /// Nothing asked for, or nothing allowed.
    public static let none: UInt32 = 0
    /// The city.
    public static let city: UInt32 = 4
    /// As exact as can be.
    public static let exact: UInt32 = 8

    /// Whether a client that asks for `level` is content with a rough location. A level is an upper wish: it lowers what the
    /// client is authorized for and never raises it. Country, city and neighbourhood are rough; 0 is not set.
    public static func isRough(_ level: UInt32) -> Bool { (1...5).contains(level) }
}
