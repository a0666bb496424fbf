import Glibc
public import LocationModel

/// The zone around a ``NamedPlace`` in which rules about the place apply.
///
/// A client sees a border where locations stop and start again. If that border were the circle of the place, three points of
/// it would reveal its centre. So the border is another curve, which depends on a secret:
///
/// - Its centre is displaced from the place by 2.2 to 2.6 times the radius of the place, in a random direction.
/// - It is 3.6 to 4.0 times the radius away from that centre, by a smooth random curve. The least distance covers the place
///   for the largest displacement, so neither size nor form of the zone reveals anything about the displacement.
///
/// The border is the same at each passage, so repetition reveals no more than the border. Whoever knows the whole border knows
/// a ring in which the centre of the place is, 2.2 to 2.6 radii around the centre of the zone, and no direction. A guess on
/// that ring is closer than the radius in one of seven cases.
///
/// Not hidden: a place to which all seen ways lead. Lines through the ends of many journeys to a place cross there, and more of
/// the ends are on the near side of the border, whatever the form of the zone.
public struct ConcealedZone: Sendable {
    /// The displacement of the centre, in radii of the place.
    static let displacements = 2.2...2.6
    /// The least distance of the border from the centre, in radii of the place: the largest displacement and the place.
    static let reach = 3.6
    /// The largest further distance, in radii of the place.
    static let bulge = 0.4
    /// The grid on which the secret is applied, in degrees.
    private static let cell = 0.01
    /// The harmonics of the border's curve. The first would displace the centre.
    private static let harmonics = 2...5
    /// The error, in metres, of a location of unknown accuracy.
    private static let unknownAccuracy = 1000.0

    /// The place.
    public let place: NamedPlace
    private let plane: TangentPlane
    /// The centre of the zone, in metres to the east and north of the place.
    let center: SIMD2<Double>
    /// Amplitude and phase of each harmonic; the amplitudes add up to 1.
    private let waves: [(amplitude: Double, phase: Double)]

    /// The zone of a place.
    ///
    /// - Parameter secret: The user's secret. It must survive restarts and the removal of places, because each new zone
    ///   around the same centre reveals more. A place that is added again within the same cell of about 1 km, with the
    ///   same radius, has the same zone, displaced as much as the place.
    public init(_ place: NamedPlace, secret: AccuracyReduction.Secret) {
        self.place = place
        plane = TangentPlane(at: place.center)
        let hash = AccuracyKeyedHash(secret: secret)
        let cell = [place.center.latitude, place.center.longitude].map {
            UInt64(bitPattern: Int64(($0 / Self.cell).rounded()))
        }
        let radius = UInt64(place.radius.rounded())
        func fraction(_ use: Int) -> Double {
            Double(hash([UInt64(use), radius] + cell) >> 11) * 0x1p-53
        }
        // Uniform by area.
        let (least, most) = (Self.displacements.lowerBound, Self.displacements.upperBound)
        let distance = (least * least + fraction(0) * (most * most - least * least)).squareRoot() * place.radius
        let direction = 2 * .pi * fraction(1)
        center = SIMD2(sin(direction), cos(direction)) * distance
        let weights = Self.harmonics.map { (0.25 + fraction(2 * $0)) / Double($0) }
        let sum = weights.reduce(0, +)
        waves = zip(Self.harmonics, weights).map { ($1 / sum, 2 * .pi * fraction(2 * $0 + 1)) }
    }

    /// The distance of the border from the centre of the zone, in metres, in a direction in radians clockwise from north.
    func border(_ direction: Double) -> Double {
        let curve = zip(Self.harmonics, waves).reduce(0) { sum, wave in
            sum + wave.1.amplitude * cos(Double(wave.0) * direction + wave.1.phase)
        }
        return (Self.reach + Self.bulge * (curve + 1) / 2) * place.radius
    }

    /// True if a point of the plane around the place is within `error` of the zone.
    func conceals(_ point: SIMD2<Double>, error: Double = 0) -> Bool {
        let offset = point - center
        return !(hypot(offset.x, offset.y) - error > border(atan2(offset.x, offset.y)))
    }

    /// A lower bound of the distance from a point to the border of the zone, in metres.
    ///
    /// The distance along the line through the centre is larger than that to another part of the border by a tenth at most,
    /// because the border is 3.6 to 4.0 radii away from the centre and no steeper than 16 degrees.
    public func distanceToBorder(from coordinate: Coordinate) -> Double {
        // The projection shortens lengths.
        guard let point = plane.visiblePoint(of: coordinate) else { return place.center.distance(to: coordinate) / 2 }
        let offset = point - center
        return 0.85 * abs(hypot(offset.x, offset.y) - border(atan2(offset.x, offset.y)))
    }

    /// The placement of a location: inside if it is certainly within the radius of the place, outside if it is certainly
    /// beyond the border of the zone, and in doubt between the two.
    ///
    /// - Parameter accuracy: the radius around `coordinate` that contains the true position with 68 % probability, in metres;
    ///   2.5 times as much, which holds 99.9 % of a normal distribution, counts as possible. `nil` counts as 1 km.
    public func placement(of coordinate: Coordinate, accuracy: Double?) -> Placement {
        let error = 2.5 * (accuracy ?? Self.unknownAccuracy)
        // The projection shortens lengths, so what is near never seems farther away.
        guard let point = plane.visiblePoint(of: coordinate) else { return error < 1e6 ? .outside : .inDoubt }
        guard conceals(point, error: error) else { return .outside }
        let isInside = place.center.distance(to: coordinate) + error <= place.radius
        return isInside ? .inside : .inDoubt
    }
}
