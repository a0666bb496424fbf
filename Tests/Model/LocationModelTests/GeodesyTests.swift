import LocationModel
import Testing

@Suite(.timeLimit(.minutes(10))) struct GeodesyTests {
    /// Distances from GeographicLib's GeodSolve (C. F. F. Karney, "Algorithms for geodesics", 2013).
    @Test(
        "distances agree with GeographicLib",
        arguments: [
            ((40.6, -73.8), (1.36666666667, 103.98333333333), 15_351_275.875371, 1e-3),
            ((0, 0), (0, 1), 111_319.490793, 1e-3),
            ((0, 0), (1, 0), 110_574.388558, 1e-3),
            ((0, 179.5), (0, -179.5), 111_319.490793, 1e-3),
            ((90, 0), (90, 120), 0, 1e-9),
            ((89.5, 0), (89.5, 180), 111_693.950897, 1e-3),
            ((-90, 0), (90, 0), 20_003_931.458625, 1e-3),
        ] as [((Double, Double), (Double, Double), Double, Double)])
    func distance(from: (Double, Double), to: (Double, Double), metres: Double, tolerance: Double) throws {
        let start = try #require(Coordinate(latitude: from.0, longitude: from.1))
        let end = try #require(Coordinate(latitude: to.0, longitude: to.1))
        #expect(abs(start.distance(to: end) - metres) <= tolerance, "\(start.distance(to: end))")
        #expect(abs(end.distance(to: start) - metres) <= tolerance)
    }

    /// A degree of the meridian is 111,694 m here; on a sphere it would be 0.4 % less.
    @Test("distances near a pole are correct along and across it")
    func nearAPole() throws {
        for tenth in 1..<1800 {
            let longitude = Double(tenth) / 10
            let start = try #require(Coordinate(latitude: 89.9985, longitude: longitude))
            let across = try #require(Coordinate(latitude: 89.9985, longitude: longitude - 180))
            let along = try #require(Coordinate(latitude: 89.9955, longitude: longitude))
            let pole = Coordinate(latitude: 90, longitude: 0)
            #expect(abs(start.distance(to: across) - 335.082) < 1e-3, "at \(longitude)")
            #expect(abs(start.distance(to: along) - 335.082) < 1e-3, "at \(longitude)")
            #expect(abs(start.distance(to: pole) - 167.541) < 1e-3, "at \(longitude)")
        }
    }

    /// Vincenty's iteration does not converge here; the true distance is 19,944,127.421 m.
    @Test("nearly antipodal distances are within 0.6 %")
    func nearlyAntipodal() throws {
        let start = Coordinate(latitude: 0, longitude: 0)
        let end = Coordinate(latitude: 0.5, longitude: 179.7)
        #expect(abs(start.distance(to: end) / 19_944_127.421 - 1) < 0.006)
    }

    @Test(
        "on the sphere, distances are within 0.6 % and courses of neighbours within 0.2° of the ellipsoid's",
        arguments: [(0, 0), (47, 9), (-33, 179.99), (80, -120)] as [(Double, Double)])
    func sphere(latitude: Double, longitude: Double) throws {
        let start = try #require(Coordinate(latitude: latitude, longitude: longitude))
        for bearing in stride(from: 0.0, to: 360, by: 15) {
            let near = start.destination(distance: 1000, bearing: bearing)
            let far = start.destination(distance: 5_000_000, bearing: bearing)
            for end in [near, far] {
                let ratio = MeanSphere.distance(from: start.degrees, to: end.degrees) / start.distance(to: end)
                #expect(abs(ratio - 1) < 0.006, "\(bearing)°")
            }
            let course = MeanSphere.course(from: start.degrees, to: near.degrees)
            #expect((0..<360).contains(course))
            #expect(abs((course - bearing).remainder(dividingBy: 360)) < 0.2, "\(bearing)°")
        }
    }

    @Test("the lengths of degrees agree with distances, and the shortest is at the equator", arguments: [0.0, 47, -80])
    func degrees(latitude: Double) throws {
        let lengths = WGS84.metresPerDegree(atLatitude: latitude)
        let center = try #require(Coordinate(latitude: latitude, longitude: 0))
        let north = try #require(Coordinate(latitude: latitude + 0.001, longitude: 0))
        let east = try #require(Coordinate(latitude: latitude, longitude: 0.001))
        #expect(abs(center.distance(to: north) * 1000 / lengths.latitude - 1) < 1e-5)
        #expect(abs(center.distance(to: east) * 1000 / lengths.longitude - 1) < 1e-5)
        #expect(WGS84.shortestDegree <= lengths.latitude)
    }

    @Test(
        "a coordinate out of range or NaN is refused",
        arguments: [
            (90.000001, 0), (-91, 0), (0, 180.5), (0, -181), (.nan, 0), (0, .nan), (.infinity, 0), (0, -.infinity),
        ] as [(Double, Double)])
    func invalidCoordinateIsRefused(latitude: Double, longitude: Double) {
        #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    }
}
