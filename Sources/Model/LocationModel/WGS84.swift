import Glibc

/// The WGS 84 ellipsoid (NIMA TR8350.2, table 3.1).
package enum WGS84 {
    /// The equatorial radius, in metres.
    package static let semiMajorAxis = 6_378_137.0
    /// The relative difference between the equatorial and the polar radius.
    package static let flattening = 1 / 298.257223563
    /// The polar radius, in metres.
    package static let semiMinorAxis = semiMajorAxis * (1 - flattening)
    /// The first eccentricity, squared.
    package static let squaredEccentricity = flattening * (2 - flattening)
    /// The length of a degree of latitude at the equator, where it is shortest, in metres. A distance divided by it is an upper
    /// bound of the difference in latitude.
    package static let shortestDegree = semiMajorAxis * (1 - squaredEccentricity) * .pi / 180

    /// The lengths of a degree of latitude and of one of longitude at a latitude in degrees, in metres, from the radii of
    /// curvature there (J. P. Snyder, "Map projections: a working manual", USGS 1987, eq. 4-18 and 4-20).
    package static func metresPerDegree(atLatitude latitude: Double) -> (latitude: Double, longitude: Double) {
        let sine = sin(latitude.radians)
        let stretch = (1 - squaredEccentricity * sine * sine).squareRoot()
        let alongMeridian = semiMajorAxis * (1 - squaredEccentricity) / (stretch * stretch * stretch)
        let alongParallel = semiMajorAxis / stretch * max(0, cos(latitude.radians))
        return (alongMeridian * .pi / 180, alongParallel * .pi / 180)
    }
}

extension Double {
    /// The angle in radians of one in degrees.
    package var radians: Double { self * .pi / 180 }
}
