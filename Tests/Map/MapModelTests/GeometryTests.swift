import FoundationEssentials
import Glibc
import LocationModel
import MapModel
import SeededRandom
import Testing

@Suite(.timeLimit(.minutes(10))) struct GeometryTests {
    @Test("the world has MapKit's size and origin")
    func worldMatchesMapKit() throws {
        #expect(MapSize.world.width == 268_435_456)
        let middle = MapPoint(try coordinate(0, 0))
        #expect(abs(middle.x - 134_217_728) < 1e-6 && abs(middle.y - 134_217_728) < 1e-6)
        #expect(MapPoint(try coordinate(90, -180)) == MapPoint(x: 0, y: 0))
        #expect(MapPoint(try coordinate(-90, 180)) == MapPoint(x: MapSize.world.width, y: MapSize.world.height))
        #expect(abs(MapPoint(try coordinate(MapSize.maximumLatitude, 0)).y) < 1e-4)
    }

    @Test("regions, cameras and rectangles are kept as JSON")
    func kept() throws {
        func kept<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
            try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value
        }
        let center = try coordinate(47.1, 9.5)
        #expect(try kept(CoordinateRegion(center: center, latitudinalMeters: 1200, longitudinalMeters: 700)))
        #expect(try kept(MapCamera(lookingAtCenter: center, fromDistance: 900, pitch: 30, heading: 200)))
        #expect(try kept(MapRect(x: 1, y: 2.5, width: 3, height: 4)))
    }

    /// EPSG guidance note 7-2, "Popular Visualisation Pseudo Mercator": 24°22'54.433"N 100°20'W is E −11,169,055.58 m,
    /// N 2,800,000.00 m.
    @Test("the projection agrees with EPSG's example")
    func projectionMatchesEPSG3857() throws {
        let point = MapPoint(try coordinate(24 + 22.0 / 60 + 54.433 / 3600, -100 - 20.0 / 60))
        let meters = 2 * Double.pi * 6_378_137 / MapSize.world.width
        #expect(abs((point.x - MapSize.world.width / 2) * meters - -11_169_055.58) < 0.01)
        #expect(abs((MapSize.world.height / 2 - point.y) * meters - 2_800_000) < 0.02)
    }

    @Test("coordinates survive projection")
    func coordinatesSurviveProjection() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let start = try coordinate(
                Double.random(in: -85...85, using: &random), Double.random(in: -180...180, using: &random))
            var point = MapPoint(start)
            point.x += MapSize.world.width * Double(Int.random(in: -2...2, using: &random))
            #expect(start.distance(to: point.coordinate) < 1e-4)
            #expect((0..<MapSize.world.width).contains(point.wrapped.x))
        }
    }

    @Test("wrapped points are inside the world")
    func wrappedPointsAreInsideWorld() {
        for x in [-1e-300, -1, 1e300, -1e300, 268_435_456, -268_435_456, 5e15] {
            #expect((0..<MapSize.world.width).contains(MapPoint(x: x, y: 0).wrapped.x), "\(x)")
        }
    }

    @Test("the scale agrees with distances on the ground")
    func scaleMatchesGroundDistance() throws {
        #expect(abs(Coordinate.metersPerMapPoint(atLatitude: 0) - 0.149_291) < 1e-6)
        #expect(Coordinate.metersPerMapPoint(atLatitude: 90) < 1e-12)
        #expect(Coordinate.mapPointsPerMeter(atLatitude: 90).isFinite)
        for latitude in stride(from: -80.0, through: 80, by: 10) {
            let scale = Coordinate.metersPerMapPoint(atLatitude: latitude)
            #expect(abs(scale * Coordinate.mapPointsPerMeter(atLatitude: latitude) - 1) < 1e-9)
            let point = MapPoint(try coordinate(latitude, 10))
            for (dx, dy) in [(1000.0, 0.0), (0.0, 1000.0)] {
                let measured = point.distance(to: MapPoint(x: point.x + dx, y: point.y + dy)) / 1000
                #expect(abs(measured / scale - 1) < 0.0072, "at \(latitude)")
            }
        }
    }

    @Test("rectangles are united, intersected and inset")
    func rectanglesUniteIntersectAndInset() {
        let one = MapRect(x: 0, y: 0, width: 10, height: 10)
        let other = MapRect(x: 5, y: -5, width: 10, height: 10)
        #expect(one.union(other) == MapRect(x: 0, y: -5, width: 15, height: 15))
        #expect(one.intersection(other) == MapRect(x: 5, y: 0, width: 5, height: 5))
        #expect(one.intersection(MapRect(x: 20, y: 0, width: 1, height: 1)).isNull)
        #expect(one.intersection(MapRect(x: 10, y: 0, width: 1, height: 1)).isEmpty)
        #expect(one.union(.null) == one && MapRect.null.union(one) == one)
        #expect(one.intersection(.null).isNull)
        #expect(one.contains(MapPoint(x: 0, y: 0)) && !one.contains(MapPoint(x: 10, y: 0)))
        #expect(one.contains(MapRect(x: 2, y: 2, width: 8, height: 8)) && !one.contains(other))
        #expect(!one.contains(MapRect.null))
        #expect(one.insetBy(dx: 2, dy: 3) == MapRect(x: 2, y: 3, width: 6, height: 4))
        #expect(one.insetBy(dx: 6, dy: 0).isNull)
        #expect(one.insetBy(dx: -1, dy: -1).center == one.center)
        #expect(MapRect(containing: [MapPoint]()).isNull)
    }

    @Test("the remainder is the part beyond the 180th meridian")
    func remainderIsBeyond180thMeridian() {
        let world = MapSize.world.width
        let east = MapRect(x: world - 10, y: 0, width: 30, height: 5)
        #expect(east.spans180thMeridian)
        #expect(east.remainder == MapRect(x: 0, y: 0, width: 20, height: 5))
        let west = MapRect(x: -10, y: 0, width: 30, height: 5)
        #expect(west.remainder == MapRect(x: world - 10, y: 0, width: 10, height: 5))
        #expect(!MapRect.world.spans180thMeridian && MapRect.world.remainder.isNull)
        #expect(!MapRect.null.spans180thMeridian)
    }

    @Test("regions survive conversion to rectangles")
    func regionsSurviveConversionToRects() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let center = try coordinate(
                Double.random(in: -60...60, using: &random), Double.random(in: -180...180, using: &random))
            let region = CoordinateRegion(
                center: center,
                span: CoordinateSpan(
                    latitudeDelta: .random(in: 0.001...40, using: &random),
                    longitudeDelta: .random(in: 0.001...300, using: &random)))
            let back = CoordinateRegion(MapRect(region))
            #expect(abs(back.center.latitude - center.latitude) < 1e-8)
            #expect(abs((back.center.longitude - center.longitude).remainder(dividingBy: 360)) < 1e-8)
            #expect(abs(back.span.latitudeDelta - region.span.latitudeDelta) < 1e-8)
            #expect(abs(back.span.longitudeDelta - region.span.longitudeDelta) < 1e-8)
        }
        #expect(CoordinateRegion(.world).span.longitudeDelta == 360)
    }

    @Test("regions in metres have that size on the ground")
    func regionsInMetersHaveGroundSize() throws {
        for latitude in [-80.0, -45, 0, 30, 60, 80] {
            let region = CoordinateRegion(
                center: try coordinate(latitude, 179.99), latitudinalMeters: 2000, longitudinalMeters: 5000)
            func edge(_ dy: Double, _ dx: Double) -> Coordinate {
                Coordinate(
                    clampingLatitude: latitude + dy * region.span.latitudeDelta / 2,
                    wrappingLongitude: 179.99 + dx * region.span.longitudeDelta / 2)
            }
            #expect(abs(edge(-1, 0).distance(to: edge(1, 0)) - 2000) < 0.1)
            #expect(abs(edge(0, -1).distance(to: edge(0, 1)) - 5000) < 0.1)
            #expect(region.contains(edge(0.99, 0.99)) && !region.contains(edge(1.01, 0)))
        }
        let pole = CoordinateRegion(
            center: try coordinate(90, 0), latitudinalMeters: 1000, longitudinalMeters: 1000)
        #expect(pole.span.longitudeDelta == 360)
    }

    @Test("the fitting zoom shows the whole rectangle, and a larger one does not")
    func fittingZoomShowsWholeRect() throws {
        let viewport = Viewport(width: 800, height: 600)
        let rect = MapRect(
            CoordinateRegion(center: try coordinate(47, 9), latitudinalMeters: 9000, longitudinalMeters: 500))
        let zoom = viewport.zoom(fitting: rect, padding: 20)
        let visible = viewport.mapRect(center: rect.center, zoom: zoom)
        #expect(visible.contains(rect))
        #expect(abs(visible.height / rect.height - 600.0 / 560) < 1e-6)
        #expect(viewport.zoom(fitting: .world) < 1)
        #expect(viewport.zoom(fitting: MapRect(x: 5, y: 5, width: 0, height: 0)) == 22)
        #expect(abs(Viewport.zoom(mapPointsPerPixel: Viewport.mapPointsPerPixel(atZoom: 7.3)) - 7.3) < 1e-9)
    }

    @Test("a camera for a zoom shows that zoom")
    func cameraShowsItsZoom() throws {
        let viewport = Viewport(width: 1280, height: 800)
        for (latitude, zoom) in [(0.0, 3.0), (47, 14.25), (-84, 18), (90, 5)] {
            let camera = MapCamera(
                center: try coordinate(latitude, 9), zoom: zoom, pitch: 60, heading: 30, in: viewport)
            #expect(abs(camera.zoom(in: viewport) - zoom) < 1e-9)
            #expect(abs(camera.altitude - camera.centerCoordinateDistance / 2) < 1e-6 * camera.altitude)
        }
        var camera = MapCamera(lookingAtCenter: try coordinate(47, 9), fromDistance: 1000, pitch: 0, heading: 0)
        camera.altitude = 2000
        #expect(camera.centerCoordinateDistance == 2000)
        camera.centerCoordinateDistance = 0
        #expect(camera.zoom(in: viewport) == 22)
    }

    @Test("a tilted view reaches farther ahead than behind")
    func tiltedViewReachesFartherAhead() {
        let viewport = Viewport(width: 1000, height: 500)
        let center = MapPoint(x: 1e8, y: 1e8)
        let flat = viewport.mapRect(center: center, zoom: 10)
        #expect(viewport.mapRect(center: center, zoom: 10, heading: 0, pitch: 0) == flat)
        let tilted = viewport.mapRect(center: center, zoom: 10, heading: 0, pitch: 50)
        #expect(center.y - tilted.minY > 1.5 * (tilted.maxY - center.y))
        #expect(tilted.width > flat.width)
        let turned = viewport.mapRect(center: center, zoom: 10, heading: 90, pitch: 0)
        #expect(abs(turned.width - flat.height) < 1 && abs(turned.height - flat.width) < 1)
        let east = viewport.mapRect(center: center, zoom: 10, heading: 90, pitch: 50)
        #expect(east.maxX - center.x > 1.5 * (center.x - east.minX))
        let level = viewport.mapRect(center: center, zoom: 10, heading: 0, pitch: 85)
        #expect(level.height.isFinite && level.height < 6 * flat.height)
    }
}

func coordinate(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
}
