import Glibc

/// The WGS 84 ellipsoid (NIMA TR8350.2, table 3.1).
enum WGS84 {
    /// The equatorial radius, in metres.
    static let semiMajorAxis = 6_378_137.0
    /// How much shorter the polar radius is, as a fraction of the equatorial one.
    static let flattening = 1 / 298.257223563
    /// The polar radius, in metres.
    static let semiMinorAxis = semiMajorAxis * (1 - flattening)
    /// The radius of a sphere with the mean of the three axes (IUGG's R₁), in metres.
    static let meanRadius = (2 * semiMajorAxis + semiMinorAxis) / 3
}

extension Coordinate {
    /// The length of the shortest way to `other` along the ellipsoid's surface, in metres.
    ///
    /// T. Vincenty, "Direct and inverse solutions of geodesics on the ellipsoid", Survey Review 23 (1975): better than
    /// a millimetre. For points within about half a degree of each other's antipodes its iteration does not converge;
    /// there the great circle on a sphere of the mean radius is given, which is within 0.6 %.
    public func distance(to other: Coordinate) -> Double {
        vincentyDistance(to: other) ?? greatCircleDistance(to: other)
    }

    private func vincentyDistance(to other: Coordinate) -> Double? {
        let f = WGS84.flattening
        let reduced1 = atan((1 - f) * tan(latitude.radians))
        let reduced2 = atan((1 - f) * tan(other.latitude.radians))
        let (sinU1, cosU1) = (sin(reduced1), cos(reduced1))
        let (sinU2, cosU2) = (sin(reduced2), cos(reduced2))
        let difference = remainder(other.longitude - longitude, 360).radians
        var lambda = difference
        for _ in 0..<100 {
            let (sinLambda, cosLambda) = (sin(lambda), cos(lambda))
            let sinSigma = hypot(cosU2 * sinLambda, cosU1 * sinU2 - sinU1 * cosU2 * cosLambda)
            if sinSigma == 0 { return 0 }
            let cosSigma = sinU1 * sinU2 + cosU1 * cosU2 * cosLambda
            let sigma = atan2(sinSigma, cosSigma)
            let sinAlpha = cosU1 * cosU2 * sinLambda / sinSigma
            let cosSquaredAlpha = 1 - sinAlpha * sinAlpha
            // On the equator cos²α is 0 and the term it divides has no weight.
            let cos2SigmaM = cosSquaredAlpha > 0 ? cosSigma - 2 * sinU1 * sinU2 / cosSquaredAlpha : 0
            let c = f / 16 * cosSquaredAlpha * (4 + f * (4 - 3 * cosSquaredAlpha))
            let previous = lambda
            let inner = cos2SigmaM + c * cosSigma * (-1 + 2 * cos2SigmaM * cos2SigmaM)
            lambda = difference + (1 - c) * f * sinAlpha * (sigma + c * sinSigma * inner)
            guard abs(lambda) <= .pi else { return nil }
            guard abs(lambda - previous) < 1e-12 else { continue }

            let a = WGS84.semiMajorAxis
            let b = WGS84.semiMinorAxis
            let uSquared = cosSquaredAlpha * (a * a - b * b) / (b * b)
            let bigA = 1 + uSquared / 16_384 * (4096 + uSquared * (-768 + uSquared * (320 - 175 * uSquared)))
            let bigB = uSquared / 1024 * (256 + uSquared * (-128 + uSquared * (74 - 47 * uSquared)))
            let cosSquaredTerm = cosSigma * (-1 + 2 * cos2SigmaM * cos2SigmaM)
            let cubicTerm = cos2SigmaM * (-3 + 4 * sinSigma * sinSigma) * (-3 + 4 * cos2SigmaM * cos2SigmaM)
            let deltaSigma = bigB * sinSigma * (cos2SigmaM + bigB / 4 * (cosSquaredTerm - bigB / 6 * cubicTerm))
            return b * bigA * (sigma - deltaSigma)
        }
        return nil
    }

    private func greatCircleDistance(to other: Coordinate) -> Double {
        let sinLatitude = sin((other.latitude - latitude).radians / 2)
        let sinLongitude = sin((other.longitude - longitude).radians / 2)
        let haversine =
            sinLatitude * sinLatitude
            + cos(latitude.radians) * cos(other.latitude.radians) * sinLongitude * sinLongitude
        return 2 * WGS84.meanRadius * asin(min(1, haversine.squareRoot()))
    }
}

extension Double {
    fileprivate var radians: Double { self * .pi / 180 }
}
