import LocationModel
import Testing

@Suite(.timeLimit(.minutes(10))) struct GeomagneticModelTests {
    private static let secondsPerYear = 365.25 * 86_400

    /// Table 6 of the technical report of WMM2025: the year, altitude in km, latitude, longitude; X, Y, Z in nT, declination.
    @Test(
        "the field agrees with the official test values",
        arguments: [
            (2025, 0, 80, 0, 6521.6, 145.9, 54791.5, 1.28), (2025, 0, 0, 120, 39677.8, -109.6, -10580.2, -0.16),
            (2025, 0, -80, 240, 6117.5, 15751.9, -52022.5, 68.78), (2025, 100, 80, 0, 6216, 92.4, 52598.8, 0.85),
            (2025, 100, 0, 120, 37688.6, -96.2, -10152.1, -0.15),
            (2025, 100, -80, 240, 5907.6, 14780.3, -49540.7, 68.21),
            (2027.5, 0, 80, 0, 6500.8, 294.5, 54869.4, 2.59), (2027.5, 0, 0, 120, 39701.6, -167.4, -10381.8, -0.24),
            (2027.5, 0, -80, 240, 6200.7, 15730.3, -51783.7, 68.49), (2027.5, 100, 80, 0, 6196.7, 233.8, 52670.5, 2.16),
            (2027.5, 100, 0, 120, 37711.5, -148.7, -9969.8, -0.23),
            (2027.5, 100, -80, 240, 5984, 14760.1, -49317.7, 67.93),
        ] as [(Double, Double, Double, Double, Double, Double, Double, Double)])
    func testValues(
        year: Double, kilometres: Double, latitude: Double, longitude: Double, north: Double, east: Double,
        down: Double,
        declination: Double
    ) throws {
        let coordinate = Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
        let field = GeomagneticModel.field(at: coordinate, altitude: kilometres * 1000, yearsAfterEpoch: year - 2025)
        #expect(abs(field.north - north) < 0.06 && abs(field.east - east) < 0.06 && abs(field.down - down) < 0.06)
        #expect(abs(field.declination - declination) < 0.01)
        let time = GeomagneticModel.epoch.advanced(by: .seconds((year - 2025) * Self.secondsPerYear))
        let atTime = try #require(
            GeomagneticModel.declination(at: coordinate, altitude: kilometres * 1000, time: time))
        #expect(abs(atTime - declination) < 0.01)
    }

    /// Lines of `WMM2025_TestValues.txt`, which comes with the coefficients.
    @Test(
        "the declination agrees with more of the official test values, near a pole and over the years",
        arguments: [
            (2025, 28, 89, -121, -99.77), (2025, 48, 80, -96, -29.91), (2025, 65, 43, 93, 0.5),
            (2025, 51, -33, 109, -5.49), (2025, 18, 0, 21, 1.29), (2026, 33, -3, -147, 9.71),
            (2027.5, 0, -13, -59, -17.49), (2028, 30, -36, -64, -4.65), (2029.5, 18, 9, -172, 9.24),
            (2029.5, 33, 17, 5, 0.89),
        ] as [(Double, Double, Double, Double, Double)])
    func moreTestValues(
        year: Double, kilometres: Double, latitude: Double, longitude: Double, declination: Double
    ) throws {
        let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
        let field = GeomagneticModel.field(at: coordinate, altitude: kilometres * 1000, yearsAfterEpoch: year - 2025)
        #expect(abs(field.declination - declination) < 0.01, "\(field.declination)")
    }

    @Test("at the poles the field is that of any direction towards them", arguments: [90.0, -90])
    func poles(latitude: Double) throws {
        let strength = [0.0, 90, 180, -45].map { longitude in
            let at = Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
            let field = GeomagneticModel.field(at: at, altitude: 0, yearsAfterEpoch: 1.5)
            // The same vector, though each meridian has its own north.
            let near = Coordinate(clampingLatitude: latitude * 0.999_999, wrappingLongitude: longitude)
            let beside = GeomagneticModel.field(at: near, altitude: 0, yearsAfterEpoch: 1.5)
            #expect(abs(field.declination - beside.declination) < 0.05)
            return field.horizontal
        }
        let first = try #require(strength.first)
        #expect(first > 1000 && strength.allSatisfy { abs($0 - first) < 0.1 })
    }

    @Test("there is no declination beside a magnetic pole, nor before the model's time, nor two years after it")
    func limits() throws {
        func declination(_ latitude: Double, _ longitude: Double, afterYears years: Double) -> Double? {
            GeomagneticModel.declination(
                at: Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude),
                time: GeomagneticModel.epoch.advanced(by: .seconds(years * Self.secondsPerYear)))
        }
        // The poles of the model for 2025, where the field is vertical.
        #expect(declination(85.76, 139.30, afterYears: 0) == nil)
        #expect(declination(-63.85, 135.08, afterYears: 0) == nil)
        #expect(declination(52.5, 13.4, afterYears: -0.01) == nil)
        #expect(declination(52.5, 13.4, afterYears: 7.01) == nil)
        let berlin = try #require(declination(52.5, 13.4, afterYears: 6.9))
        #expect((4..<8).contains(berlin))
    }
}
