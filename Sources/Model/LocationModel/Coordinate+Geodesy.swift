import Glibc

extension Coordinate {
    /// Returns the geodesic distance to `other`, in metres: the length of the shortest path on the ellipsoid.
    ///
    /// T. Vincenty, "Direct and inverse solutions of geodesics on the ellipsoid", Survey Review 23 (1975): accurate to
    /// a millimetre. Within about half a degree of the antipode, where the iteration does not converge, it is the
    /// great-circle distance on a sphere of the mean radius, accurate to 0.6 %.
    public func distance(to other: Coordinate) -> Double {
        vincentyDistance(to: other) ?? MeanSphere.distance(from: degrees, to: other.degrees)
    }

    /// Returns the position `distance` metres away on the ellipsoid, in the initial direction `bearing` in degrees
    /// clockwise from true north.
    ///
    /// Vincenty's direct solution (1975): accurate to a millimetre, also across the poles and the 180th meridian.
    public func destination(distance: Double, bearing: Double) -> Coordinate {
        let f = WGS84.flattening
        let (sinAlpha1, cosAlpha1) = (sin(bearing.radians), cos(bearing.radians))
        let tanU1 = (1 - f) * tan(latitude.radians)
        let cosU1 = 1 / (1 + tanU1 * tanU1).squareRoot()
        let sinU1 = tanU1 * cosU1
        let sigma1 = atan2(tanU1, cosAlpha1)
        let sinAlpha = cosU1 * sinAlpha1
        let cosSquaredAlpha = 1 - sinAlpha * sinAlpha
        let (bigA, bigB) = vincentySeries(cosSquaredAlpha)
        let linear = distance / (WGS84.semiMinorAxis * bigA)
        var sigma = linear
        var cos2SigmaM = cos(2 * sigma1 + sigma)
        for _ in 0..<20 {
            let previous = sigma
            sigma = linear + vincentyDelta(bigB, sin(sigma), cos(sigma), cos2SigmaM)
            cos2SigmaM = cos(2 * sigma1 + sigma)
            if abs(sigma - previous) < 1e-13 { break }
        }
        let (sinSigma, cosSigma) = (sin(sigma), cos(sigma))
        let across = sinU1 * sinSigma - cosU1 * cosSigma * cosAlpha1
        let endLatitude = atan2(
            sinU1 * cosSigma + cosU1 * sinSigma * cosAlpha1, (1 - f) * hypot(sinAlpha, across))
        let lambda = atan2(sinSigma * sinAlpha1, cosU1 * cosSigma - sinU1 * sinSigma * cosAlpha1)
        let c = f / 16 * cosSquaredAlpha * (4 + f * (4 - 3 * cosSquaredAlpha))
        let inner = cos2SigmaM + c * cosSigma * (-1 + 2 * cos2SigmaM * cos2SigmaM)
        let difference = lambda - (1 - c) * f * sinAlpha * (sigma + c * sinSigma * inner)
        return Coordinate(
            clampingLatitude: endLatitude * 180 / .pi, wrappingLongitude: longitude + difference * 180 / .pi)
    }

    /// The coefficients A and B of the direct and the inverse solution.
    private func vincentySeries(_ cosSquaredAlpha: Double) -> (Double, Double) {
        let (a, b) = (WGS84.semiMajorAxis, WGS84.semiMinorAxis)
        let uSquared = cosSquaredAlpha * (a * a - b * b) / (b * b)
        return (
            1 + uSquared / 16_384 * (4096 + uSquared * (-768 + uSquared * (320 - 175 * uSquared))),
            uSquared / 1024 * (256 + uSquared * (-128 + uSquared * (74 - 47 * uSquared)))
        )
    }

    /// The term Δσ of the direct and the inverse solution.
    private func vincentyDelta(_ bigB: Double, _ sinSigma: Double, _ cosSigma: Double, _ cos2SigmaM: Double) -> Double {
        let cosSquaredTerm = cosSigma * (-1 + 2 * cos2SigmaM * cos2SigmaM)
        let cubicTerm = cos2SigmaM * (-3 + 4 * sinSigma * sinSigma) * (-3 + 4 * cos2SigmaM * cos2SigmaM)
        return bigB * sinSigma * (cos2SigmaM + bigB / 4 * (cosSquaredTerm - bigB / 6 * cubicTerm))
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
            // On the equator cos²α is 0, and the term divided by it has no weight.
            let cos2SigmaM = cosSquaredAlpha > 0 ? cosSigma - 2 * sinU1 * sinU2 / cosSquaredAlpha : 0
            let c = f / 16 * cosSquaredAlpha * (4 + f * (4 - 3 * cosSquaredAlpha))
            let previous = lambda
            let inner = cos2SigmaM + c * cosSigma * (-1 + 2 * cos2SigmaM * cos2SigmaM)
            lambda = difference + (1 - c) * f * sinAlpha * (sigma + c * sinSigma * inner)
            guard abs(lambda) <= .pi else { return nil }
            guard abs(lambda - previous) < 1e-12 else { continue }

            let (bigA, bigB) = vincentySeries(cosSquaredAlpha)
            let deltaSigma = vincentyDelta(bigB, sinSigma, cosSigma, cos2SigmaM)
            return WGS84.semiMinorAxis * bigA * (sigma - deltaSigma)
        }
        return nil
    }
}
