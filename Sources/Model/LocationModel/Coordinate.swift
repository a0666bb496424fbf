/// A position on the WGS 84 ellipsoid. Always valid: no initializer accepts a value that is not a number or out of range.
///
/// Degrees written into the source code give a coordinate at once; degrees that are computed or read give an optional:
///
/// ```swift
/// let berlin = Coordinate(latitude: 52.52, longitude: 13.405)
/// let typed = "48.857 2.352".split(separator: " ").compactMap { Double($0) }
/// if typed.count == 2, let paris = Coordinate(latitude: typed[0], longitude: typed[1]) {
///     print(berlin.distance(to: paris))
/// }
/// ```
public struct Coordinate: Hashable, Sendable {
    /// The latitude in degrees north of the equator, −90 to 90.
    public let latitude: Double
    /// The longitude in degrees east of Greenwich, −180 to 180.
    public let longitude: Double

    /// Creates a coordinate from degrees, or returns `nil` if a value is NaN or out of range.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north of the equator, −90 to 90.
    ///   - longitude: Degrees east of Greenwich, −180 to 180.
    @inlinable
    @_disfavoredOverload
    public init?<Degrees: BinaryFloatingPoint>(latitude: Degrees, longitude: Degrees) {
        // Generic and disfavoured, so that literals select the initializer below.
        let (latitude, longitude) = (Double(latitude), Double(longitude))
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Creates a coordinate from literals, which are valid or a mistake in the source code.
    ///
    /// - Precondition: The latitude is within −90…90 and the longitude within −180…180.
    /// - Parameters:
    ///   - latitude: Degrees north of the equator, as a literal: `48.5` or `-33`.
    ///   - longitude: Degrees east of Greenwich, as a literal.
    public init(latitude: LiteralDegrees, longitude: LiteralDegrees) {
        precondition((-90...90).contains(latitude.value), "latitude \(latitude.value) is outside −90…90")
        precondition((-180...180).contains(longitude.value), "longitude \(longitude.value) is outside −180…180")
        self.latitude = latitude.value
        self.longitude = longitude.value
    }

    /// Creates a coordinate from any values: clamps `latitude` to −90…90 and wraps `longitude` into −180…180.
    ///
    /// For results of arithmetic that rounding or crossing the 180th meridian may have carried out of range. Values
    /// that are not finite read as 0.
    public init(clampingLatitude latitude: Double, wrappingLongitude longitude: Double) {
        self.latitude = latitude.isFinite ? min(max(latitude, -90), 90) : 0
        if (-180...180).contains(longitude) {
            self.longitude = longitude
        } else {
            self.longitude = longitude.isFinite ? longitude.remainder(dividingBy: 360) : 0
        }
    }

    /// Degrees written as a literal. A variable does not convert to it, so that values known only at run time take the
    /// failable initializer.
    public struct LiteralDegrees: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral, Sendable {
        fileprivate let value: Double

        /// The degrees of a literal such as `13.4`.
        public init(floatLiteral value: Double) { self.value = value }
        /// The degrees of a literal such as `13`.
        public init(integerLiteral value: Int) { self.value = Double(value) }
    }
}

extension Coordinate: CustomStringConvertible {
    /// The degrees of latitude and longitude with as many decimals as they have: "52.52, 13.405".
    public var description: String { "\(latitude), \(longitude)" }
}

extension Coordinate: Codable {
    private enum CodingKeys: CodingKey { case latitude, longitude }

    /// Reads `latitude` and `longitude`, in degrees. Throws `DecodingError.dataCorrupted` for one out of range.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "latitude \(latitude), longitude \(longitude): out of range"))
        }
        self = coordinate
    }

    /// Writes `latitude` and `longitude`, in degrees.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(latitude, forKey: .latitude)
        try container.encode(longitude, forKey: .longitude)
    }
}

/// Core Location's name for ``Coordinate``.
public typealias LocationCoordinate2D = Coordinate

/// A distance in metres, by Core Location's name.
public typealias LocationDistance = Double
/// Degrees of latitude or longitude, by Core Location's name.
public typealias LocationDegrees = Double
/// A direction in degrees clockwise from true north, by Core Location's name.
public typealias LocationDirection = Double
/// A speed in metres a second, by Core Location's name.
public typealias LocationSpeed = Double
