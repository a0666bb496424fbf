import LocationModel
import MapModel
import Testing

@Suite("The perspective of a view")
struct PerspectiveTests {
    private typealias Sample = (
        zoom: Double, heading: Double, pitch: Double, center: (Double, Double), place: (Double, Double),
        point: (Double, Double)
    )

    /// Longitudes and latitudes, and the points that `project` of MapLibre 5 gives them in a view of 800 by 600 pixels.
    private static let samples: [Sample] = [
        (12.5, 0, 0, (9.52, 47.14), (9.52, 47.14), (400.000, 300.000)),
        (12.5, 0, 0, (9.52, 47.14), (9.53, 47.144), (482.384, 251.552)),
        (12.5, 130, 0, (9.52, 47.14), (9.53, 47.144), (309.931, 268.032)),
        (12.5, 130, 0, (9.52, 47.14), (9.5, 47.15), (413.122, 504.078)),
        (12.5, 0, 60, (9.52, 47.14), (9.53, 47.144), (478.714, 276.855)),
        (12.5, 0, 60, (9.52, 47.14), (9.5, 47.15), (252.432, 245.759)),
        (12.5, 0, 60, (9.52, 47.14), (9.535, 47.128), (543.666, 384.474)),
        (12.5, -75, 45, (9.52, 47.14), (9.5, 47.15), (464.675, 182.831)),
        (12.5, -75, 45, (9.52, 47.14), (9.535, 47.128), (276.365, 426.616)),
        (8, 20, 30, (179.99, -33), (180.19, -32.92), (454.802, 251.724)),
        (8, 20, 30, (179.99, -33), (180.29, -33.24), (543.149, 354.386)),
    ]

    private func place(_ longitude: Double, _ latitude: Double) -> MapPoint {
        MapPoint(Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude))
    }

    @Test(
        "points on the page are where MapLibre draws them, and lead back to their coordinates",
        arguments: samples.indices)
    func places(index: Int) throws {
        let sample = Self.samples[index]
        let perspective = Perspective(
            Viewport(width: 800, height: 600), center: place(sample.center.0, sample.center.1), zoom: sample.zoom,
            heading: sample.heading, pitch: sample.pitch)
        let point = try #require(perspective.viewPoint(of: place(sample.place.0, sample.place.1)))
        #expect(abs(point.x - sample.point.0) < 0.01 && abs(point.y - sample.point.1) < 0.01, "\(point)")
        let back = perspective.mapPoint(atX: point.x, y: point.y).coordinate
        #expect(back.distance(to: place(sample.place.0, sample.place.1).coordinate) < 0.01)
    }

    @Test("points behind a tilted camera do not exist, and the sky leads towards the horizon")
    func behind() {
        let center = place(9.52, 47.14)
        let perspective = Perspective(Viewport(width: 800, height: 600), center: center, zoom: 12.5, pitch: 80)
        #expect(perspective.viewPoint(of: place(9.52, 47.0)) == nil)
        let north = perspective.mapPoint(atX: 400, y: -5000)
        #expect(north.y < center.y && north.coordinate.distance(to: center.coordinate) < 60_000)
    }
}
