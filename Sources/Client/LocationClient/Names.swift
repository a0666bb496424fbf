public import LocationModel

/// A ``LocationMonitor``, by Core Location's name without the prefix.
public typealias Monitor = LocationMonitor

extension LocationReason {
    /// True if location services are off, for the user or for everybody.
    public var isGlobal: Bool { self == .servicesOffForUser || self == .servicesOffForMachine }
}

/// The accuracy that a program needs, for ``LocationManager/desiredAccuracy``: a radius in metres, or the best there is.
///
/// The names are those of Core Location's `kCLLocationAccuracy…` constants. A number is a radius, too:
/// `manager.desiredAccuracy = 50`.
public struct LocationAccuracy: Hashable, Sendable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// The radius in metres, above 0; `nil` for the best that the receiver measures.
    public var meters: Double?

    /// Creates an accuracy from a radius in metres, above 0; `nil` stands for ``best``.
    ///
    /// A radius that is 0, negative or not a number throws ``LocationError/invalidParameter(name:)`` at the request.
    public init(meters: Double?) { self.meters = meters }

    /// Creates an accuracy from a literal in metres, such as `2.5`.
    public init(floatLiteral value: Double) { self.init(meters: value) }

    /// Creates an accuracy from a literal in metres, such as `50`.
    public init(integerLiteral value: Int) { self.init(meters: Double(value)) }

    /// The best that the receiver measures; no location is left out. The default.
    public static let best = LocationAccuracy(meters: nil)
    /// 10 m: enough to distinguish the sides of a street.
    public static let nearestTenMeters: LocationAccuracy = 10
    /// 100 m: enough to distinguish blocks.
    public static let hundredMeters: LocationAccuracy = 100
    /// 1 km: enough to distinguish the parts of a town.
    public static let kilometer: LocationAccuracy = 1000
    /// 3 km: enough to distinguish towns.
    public static let threeKilometers: LocationAccuracy = 3000
}
