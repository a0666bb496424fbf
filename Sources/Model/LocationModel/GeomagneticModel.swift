import Glibc

/// The main magnetic field of the Earth by the World Magnetic Model 2025: what turns a compass heading into a true heading.
///
/// A sum of spherical harmonics to degree 12, whose coefficients change linearly with time, computed as in the technical report
/// of the model (NOAA National Centers for Environmental Information and British Geological Survey). Its error of the
/// declination is about 0.4° at middle latitudes, and grows towards the magnetic poles.
package enum GeomagneticModel {
    /// The field at a place, in nanotesla.
    package struct Field: Hashable, Sendable {
        package var north, east, down: Double

        /// The strength of the part that a compass feels.
        package var horizontal: Double { hypot(north, east) }
        /// The direction of magnetic north, in degrees east of true north.
        package var declination: Double { atan2(east, north) * 180 / .pi }
    }

    /// The time of the coefficients: 2025.0.
    package static let epoch = Timestamp(secondsSince1970: 1_735_689_600)
    /// The times for which it is used, in years after the epoch. It is made for five; it is extrapolated for two more, since the
    /// field changes slowly, and a package may be older than its model's successor.
    package static let validity = 0.0...7
    /// The horizontal field in nanotesla below which a compass does not work: the "blackout zone" around the magnetic poles.
    package static let weakestField = 2000.0

    private static let degree = 12
    /// The reference radius of the model, in metres.
    private static let radius = 6_371_200.0
    private static let secondsPerYear = 365.25 * 86_400

    /// The declination, in degrees east of true north, at an altitude in metres above the ellipsoid.
    ///
    /// Returns `nil` at a time outside of ``validity``, which is that of a wrong clock or an old package, and where the
    /// horizontal field is weaker than ``weakestField``.
    package static func declination(
        at coordinate: Coordinate, altitude: Double = 0, time: Timestamp
    ) -> Double? {
        let years = time.duration(since: epoch) / .seconds(1) / secondsPerYear
        guard validity.contains(years) else { return nil }
        let field = field(at: coordinate, altitude: altitude, yearsAfterEpoch: years)
        return field.horizontal >= weakestField ? field.declination : nil
    }

    /// The field at an altitude in metres above the ellipsoid. At a pole north is along the meridian of the longitude.
    package static func field(at coordinate: Coordinate, altitude: Double, yearsAfterEpoch years: Double) -> Field {
        // The sums divide by the cosine, whose limit is reached well before this.
        let latitude = min(max(coordinate.latitude, -90 + 1e-6), 90 - 1e-6).radians
        let longitude = coordinate.longitude.radians
        // From geodetic to spherical coordinates.
        let curvature =
            WGS84.semiMajorAxis / (1 - WGS84.squaredEccentricity * sin(latitude) * sin(latitude)).squareRoot()
        let fromAxis = (curvature + altitude) * cos(latitude)
        let fromPlane = (curvature * (1 - WGS84.squaredEccentricity) + altitude) * sin(latitude)
        let distance = hypot(fromAxis, fromPlane)
        let (sine, cosine) = (fromPlane / distance, fromAxis / distance)

        var spherical = Field(north: 0, east: 0, down: 0)
        var legendre = Legendre(sine: sine, cosine: cosine)
        for order in 0...degree {
            let (cosineOfOrder, sineOfOrder) = (cos(Double(order) * longitude), sin(Double(order) * longitude))
            for degree in max(order, 1)...degree {
                let coefficient = coefficients[degree * (degree + 1) / 2 + order - 1]
                let g = coefficient.g + years * coefficient.gChange
                let h = coefficient.h + years * coefficient.hChange
                let (value, slope) = legendre.function(degree, order)
                let scale = pow(radius / distance, Double(degree + 2))
                let potential = scale * (g * cosineOfOrder + h * sineOfOrder)
                spherical.north -= potential * slope
                spherical.east += scale * Double(order) * (g * sineOfOrder - h * cosineOfOrder) * value / cosine
                spherical.down -= potential * Double(degree + 1) * value
            }
        }
        let tilt = atan2(fromPlane, fromAxis) - latitude
        return Field(
            north: spherical.north * cos(tilt) - spherical.down * sin(tilt), east: spherical.east,
            down: spherical.north * sin(tilt) + spherical.down * cos(tilt))
    }
}

/// The associated Legendre functions of the sine of a latitude, semi-normalized as by Schmidt, and their derivatives by the
/// latitude. Each order begins with degree `order`, or 1, and continues with the next.
private struct Legendre {
    let sine, cosine: Double
    /// The function of degree and order `order`.
    private var sectoral = 1.0
    /// The last two functions of the order.
    private var (last, oneBefore) = (0.0, 0.0)

    init(sine: Double, cosine: Double) { (self.sine, self.cosine) = (sine, cosine) }

    mutating func function(_ degree: Int, _ order: Int) -> (value: Double, slope: Double) {
        let (n, m) = (Double(degree), Double(order))
        if degree == max(order, 1) {
            if order > 0 { sectoral *= cosine * (order == 1 ? 1 : (1 - 0.5 / n).squareRoot()) }
            (last, oneBefore) = order == 0 ? (1, 0) : (0, 0)
        }
        let root = (n * n - m * m).squareRoot()
        let value =
            degree == order
            ? sectoral
            : ((2 * n - 1) * sine * last - ((n - 1) * (n - 1) - m * m).squareRoot() * oneBefore) / root
        let slope = (root * last - n * sine * value) / cosine
        (last, oneBefore) = (value, last)
        return (value, slope)
    }
}
