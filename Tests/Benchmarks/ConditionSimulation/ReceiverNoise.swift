import Glibc
package import LocationModel
import SeededRandom

/// The error of a simulated receiver: that of the tracking benchmark's `SimulatedReceiver`, a first-order Gauss–Markov
/// process plus white noise (J. Rios et al., Sensors 20 (2020) 6050).
package struct ReceiverNoise: Sendable {
    /// The standard deviation of the lasting error along each axis, in metres.
    package var sigma = 3.0
    /// The correlation time of that error, in seconds.
    package var correlationTime = 30.0
    /// The standard deviation of the white error, in metres.
    package var whiteSigma = 0.5
    /// The ratio of the stated accuracy to the true one.
    package var statedScale = 1.0
    private var random: SeededGenerator
    private var lasting: SIMD2<Double>

    /// Noise that is the same for the same seed.
    package init(seed: UInt64, sigma: Double = 3) {
        random = SeededGenerator(seed: seed ^ 0x5EED)
        self.sigma = sigma
        lasting = sigma * random.normalVector()
    }

    /// The accuracy that the receiver states: the 68 % radius, in metres.
    package var accuracy: Double {
        (sigma * sigma + whiteSigma * whiteSigma).squareRoot() * (-2 * log(1 - 0.68)).squareRoot() * statedScale
    }

    /// The error `seconds` after the last one.
    package mutating func next(after seconds: Double = 1) -> SIMD2<Double> {
        let persistence = exp(-seconds / correlationTime)
        lasting = persistence * lasting + sigma * (1 - persistence * persistence).squareRoot() * random.normalVector()
        return lasting + whiteSigma * random.normalVector()
    }
}

/// A local plane on the earth, in metres to the east and north.
package enum Field {
    /// The position of the origin.
    package static let origin = Coordinate(latitude: 48, longitude: 11)

    /// The position of a point, up to 1,000 km from the origin.
    package static func coordinate(_ point: SIMD2<Double>) -> Coordinate {
        let lengths = WGS84.metresPerDegree(atLatitude: 48)
        return Coordinate(
            clampingLatitude: 48 + point.y / lengths.latitude, wrappingLongitude: 11 + point.x / lengths.longitude)
    }
}
