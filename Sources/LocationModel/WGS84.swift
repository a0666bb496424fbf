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
    /// The radius of a sphere with the mean of the three axes (IUGG's R₁), in metres.
    static let meanRadius = (2 * semiMajorAxis + semiMinorAxis) / 3
}

extension Double {
    /// The angle in radians of one in degrees.
    package var radians: Double { self * .pi / 180 }
}
