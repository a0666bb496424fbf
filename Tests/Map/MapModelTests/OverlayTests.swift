import Glibc
import LocationModel
import MapModel
import SeededRandom
import Testing

@Suite(.timeLimit(.minutes(10))) struct OverlayTests {
    @Test(
        "the corners of a circle have its radius as distance anywhere on earth",
        arguments: [(0.0, 0.0), (47, 9), (78, 15), (-66, 179.9), (84, -179.99)], [10.0, 5000, 400_000])
    func circleCornersAreAtRadius(center: (Double, Double), radius: Double) throws {
        let middle = try coordinate(center.0, center.1)
        let circle = AreaGeometry(circleAround: middle, radius: radius)
        let ring = circle.polygons[0].exterior
        #expect(ring.count >= 64)
        for point in ring where point.y > 1 {
            #expect(abs(middle.distance(to: point.coordinate) - radius) < 0.01)
        }
        #expect(circle.contains(MapPoint(middle)))
        for bearing in stride(from: 5.0, to: 360, by: 30) {
            let inside = MapPoint(middle.destination(distance: radius * 0.98, bearing: bearing))
            let outside = MapPoint(middle.destination(distance: radius * 1.02, bearing: bearing))
            #expect(circle.contains(inside) || inside.y < 1, "\(bearing)")
            #expect(!circle.contains(outside) || outside.y < 1, "\(bearing)")
        }
    }

    @Test("circles around poles extend around the world")
    func circlesAroundPolesSpanWorld() throws {
        let north = AreaGeometry(circleAround: try coordinate(85, 20), radius: 2_000_000)
        #expect(abs(north.boundingMapRect.width - MapSize.world.width) < 1 && north.boundingMapRect.minY == 0)
        func point(_ latitude: Double, _ longitude: Double) throws -> MapPoint {
            MapPoint(try coordinate(latitude, longitude))
        }
        let (arctic, antarctic) = (try point(84, -100), try point(-84, -100))
        let (siberia, pacific, antipode) = (try point(80, -160), try point(50, -160), try point(-10, -160))
        #expect(north.contains(siberia))
        #expect(!north.contains(pacific))
        let south = AreaGeometry(circleAround: try coordinate(-30, 20), radius: 8_000_000)
        #expect(south.boundingMapRect.maxY == MapSize.world.height)
        #expect(south.contains(antarctic) && !south.contains(arctic))
        let most = AreaGeometry(circleAround: try coordinate(10, 20), radius: 15_000_000)
        #expect(most.contains(arctic) && most.contains(antarctic) && !most.contains(antipode))
        #expect(AreaGeometry(circleAround: try coordinate(0, 0), radius: .nan).boundingMapRect.width == 0)
    }

    @Test("destinations agree with distances")
    func destinationsMatchDistances() throws {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<500 {
            let start = try coordinate(.random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
            let distance = Double.random(in: 0...19_000_000, using: &random)
            let end = start.destination(distance: distance, bearing: .random(in: 0...360, using: &random))
            #expect(abs(start.distance(to: end) - distance) < 0.01)
        }
        let over = try coordinate(89.9, 0).destination(distance: 22_338.79, bearing: 0)
        #expect(abs(over.latitude - 89.9) < 1e-5 && abs(abs(over.longitude) - 180) < 1e-6)
    }

    @Test("holes are not part of an area")
    func holesAreNotPartOfAnArea() {
        func square(_ from: Double, _ to: Double) -> [MapPoint] {
            [(from, from), (to, from), (to, to), (from, to)].map { MapPoint(x: $0.0, y: $0.1) }
        }
        let area = AreaGeometry(polygons: [
            .init(exterior: square(0, 100), interiors: [square(40, 60)]),
            .init(exterior: square(200, 210) + [MapPoint(x: 200, y: 200)]),
        ])
        #expect(area.contains(MapPoint(x: 20, y: 50)))
        #expect(!area.contains(MapPoint(x: 50, y: 50)))
        #expect(area.contains(MapPoint(x: 205, y: 205)))
        #expect(area.contains(MapPoint(x: 205 + MapSize.world.width, y: 205)))
        #expect(!area.contains(MapPoint(x: 150, y: 150)))
        #expect(area.polygons[1].exterior.count == 4)
        #expect(area.boundingMapRect == MapRect(x: 0, y: 0, width: 210, height: 210))
        #expect(AreaGeometry(polygons: [.init(exterior: [])]).boundingMapRect.isNull)
    }

    @Test("areas may cross the 180th meridian")
    func areasMayCross180thMeridian() throws {
        // Roughly Fiji.
        let corners = [(-16.0, 177.0), (-16, -178), (-20, -178), (-20, 177)]
        let hole = [(-17.9, 179.9), (-17.9, -179.9), (-18.1, -179.9), (-18.1, 179.9)]
        let area = AreaGeometry(
            try corners.map { try coordinate($0.0, $0.1) }, interiors: [try hole.map { try coordinate($0.0, $0.1) }])
        #expect(area.boundingMapRect.spans180thMeridian)
        #expect(abs(area.boundingMapRect.width - MapSize.world.width * 5 / 360) < 1)
        for longitude in [178.0, 179.5, -179.5, -178.5] {
            let point = MapPoint(try coordinate(-18, longitude))
            #expect(area.contains(point))
        }
        for longitude in [176.0, -177, 0, 180, -180] {
            let point = MapPoint(try coordinate(-18, longitude))
            #expect(!area.contains(point))
        }
    }

    @Test("lines take the shorter way")
    func linesTakeShorterWay() throws {
        let line = LineGeometry([try coordinate(10, 170), try coordinate(10, -170)])
        #expect(abs(line.boundingMapRect.width - MapSize.world.width * 20 / 360) < 1)
        #expect(abs(line.lines[0][1].continuousLongitude - 190) < 1e-9)
    }

    @Test("geodesic lines follow great circles")
    func geodesicLinesFollowTheGlobe() throws {
        let (start, end) = (try coordinate(51.5, 0), try coordinate(37.6, -122.4))
        let line = LineGeometry(geodesic: [start, end]).lines[0]
        let length = zip(line, line.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        #expect(abs(length / start.distance(to: end) - 1) < 0.003)
        #expect((line.map { $0.coordinate.latitude }.max() ?? 0) > 60)
        #expect(zip(line, line.dropFirst()).allSatisfy { $0.distance(to: $1) < 101_000 })
        #expect(LineGeometry(geodesic: [start, start]).lines[0].count == 2)
    }
}
