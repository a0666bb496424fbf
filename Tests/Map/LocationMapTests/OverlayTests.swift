import MapTiles
import LocationModel
import MapModel
import TestSupport
import Testing

@testable import LocationMap

@Suite("MapView: overlays", .timeLimit(.minutes(10)))
@MainActor
struct OverlayTests {
    private final class Styles: MapViewDelegate {
        func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer {
            guard let circle = overlay as? Circle else { return mapView.defaultRenderer(for: overlay) }
            let renderer = CircleRenderer(circle: circle)
            renderer.strokeColor = .red
            renderer.lineWidth = 3
            renderer.lineDashPattern = [4, 2]
            renderer.lineCap = .butt
            return renderer
        }
    }

    private let map = MapView()

    private func shown(_ page: FakePage) throws -> [JSON] { try page.last("overlays")?["set"]?.array ?? [] }

    @Test("each shape is sent with its geometry, level, order and style")
    func shapes() throws {
        let styles = Styles()
        map.delegate = styles
        let page = try FakePage(map)
        let corners: [Coordinate] = [.at(0, 0), .at(0, 10), .at(10, 10), .at(10, 0)]
        let hole = Polygon(coordinates: [.at(4, 4), .at(4, 6), .at(6, 6)])
        map.addOverlay(Circle(center: .at(47, 9), radius: 1000), level: .aboveRoads)
        map.addOverlay(Polyline(coordinates: corners))
        map.addOverlay(Polygon(coordinates: corners, interiorPolygons: [hole]))
        map.addOverlay(MultiPolyline([Polyline(coordinates: corners), Polyline(coordinates: corners)]))
        map.addOverlay(MultiPolygon([Polygon(coordinates: corners), hole]))
        let overlays = try shown(page)
        #expect(
            overlays.map { $0["geometry"]?["type"]?.string } == [
                "Polygon", "LineString", "Polygon", "MultiLineString", "MultiPolygon",
            ])
        #expect(overlays[0]["level"]?.string == "aboveRoads" && overlays[1]["level"]?.string == "aboveLabels")
        #expect(overlays[0]["dash"]?.array.map(\.number) == [4, 2] && overlays[0]["cap"]?.string == "butt")
        #expect(overlays[0]["width"]?.number == 3 && overlays[0]["fill"] == nil)
        #expect(overlays[2]["geometry"]?["coordinates"]?.array.count == 2, "the ring and the hole")
        #expect(overlays.map { $0["order"]?.number } == [0, 1, 2, 3, 4])
        let ring = try #require(overlays[0]["geometry"]?["coordinates"]?.array.first?.array)
        #expect(ring.first == ring.last && ring.count > 32)
        for position in ring {
            let position = position.array.compactMap(\.number)
            #expect(abs(Coordinate.at(position[1], position[0]).distance(to: .at(47, 9)) - 1000) < 5)
        }
    }

    @Test("a line continues across the 180th meridian")
    func meridian() throws {
        let page = try FakePage(map)
        map.addOverlay(Polyline(coordinates: [.at(0, 179), .at(0, -179), .at(0, 178)]))
        let positions = try #require(try shown(page)[0]["geometry"]?["coordinates"]?.array)
        #expect(positions.map { $0.array[0].number } == [179, 181, 178])
    }

    @Test("a line that grows is sent by its new points, and a long one is requested")
    func growing() async throws {
        let page = try FakePage(map)
        let line = Polyline(coordinates: [.at(0, 179)])
        map.addOverlay(line)
        _ = try page.events()
        line.append([.at(0, -179)])
        line.append([.at(1, -179)])
        let appended = try #require(try page.last("overlays")?["append"]?.array)
        #expect(appended.count == 1)
        #expect(appended[0]["coordinates"]?.array.map { $0.array.map(\.number) } == [[181, 0], [181, 1]])
        line.append((0..<600).map { .at(1, -179 + Double($0) * 0.01) })
        let overlay = try #require(try page.state()["overlays"]?.array.first)
        #expect(overlay["geometry"] == nil)
        #expect(overlay["data"]?.string == "overlays/o1?r=4")
    }

    @Test("changes of a renderer are shown, and removed properties are no longer")
    func changes() throws {
        let page = try FakePage(map)
        let overlays = (0..<3).map { Circle(center: .at(Double($0), 0), radius: 10) }
        map.addOverlays(overlays)
        _ = try page.events()
        (map.renderer(for: overlays[1]) as? OverlayPathRenderer)?.lineWidth = 9
        #expect(try shown(page).map { $0["id"]?.string } == ["o2"])
        map.exchangeOverlay(at: 0, withOverlayAt: 2)
        #expect(try shown(page).map { $0["order"]?.number } == [0, 2])
        map.removeOverlays(Array(overlays.dropFirst()))
        #expect(try page.last("overlays")?["removed"]?.array.map(\.string) == ["o2", "o3"])
        #expect(map.overlays.count == 1)
    }

    @Test("an overlay is inserted as near to where the program wants it as there is room")
    func insertion() throws {
        let circles = (0..<3).map { Circle(center: .at(Double($0), 0), radius: 10) }
        map.addOverlay(circles[0])
        map.insertOverlay(circles[1], at: 99)
        map.insertOverlay(circles[2], at: -1)
        #expect(map.overlays.map { ObjectIdentifier($0) } == [2, 0, 1].map { ObjectIdentifier(circles[$0]) })
        let page = try FakePage(map)
        #expect(try page.state()["overlays"]?.array.map { $0["order"]?.number } == [0, 1, 2])
    }

    /// An overlay of the program's own.
    private final class Weather: Overlay {
        var boundingMapRect: MapRect
        init(_ rect: MapRect) { boundingMapRect = rect }
    }

    private final class WeatherRenderer: OverlayRenderer {
        var color = Color.blue
        var drawCount = 0
        override func draw() -> MapImage? {
            drawCount += 1
            var drawing = Drawing(width: 40, height: 20)
            drawing.addRectangle(x: 0, y: 0, width: 40, height: 20, .init(fill: color))
            return MapImage(drawing)
        }
    }

    private final class Forecast: MapViewDelegate {
        func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer {
            WeatherRenderer(overlay: overlay)
        }
    }

    @Test("each overlay is found after insertions, exchanges and removals")
    func found() {
        var table = OverlayTable()
        var plain: [Circle] = []
        let circles = (0..<40).map {
            Circle(center: Coordinate(clampingLatitude: Double($0), wrappingLongitude: 0), radius: 1)
        }
        for (step, circle) in circles.enumerated() {
            let place = step * 7 % (plain.count + 1)
            table.insert(circle, level: .aboveRoads, at: place)
            plain.insert(circle, at: place)
            table.exchange(step / 2, step * 3 % plain.count)
            plain.swapAt(step / 2, step * 3 % plain.count)
            if step % 4 == 3 {
                table.remove(plain[step / 3])
                plain.remove(at: step / 3)
            }
            for circle in circles {
                #expect(table.index(of: circle) == plain.firstIndex { $0 === circle })
            }
        }
        // A second time it is not inserted, and a removed one can be.
        table.insert(plain[3], level: .aboveRoads, at: 0)
        #expect(table.entries.count == plain.count)
        table.remove(plain[3])
        table.insert(plain[3], level: .aboveRoads, at: 0)
        #expect(table.index(of: plain[3]) == 0)
    }

    @Test("the program draws its own overlay over its bounds, once, until it invalidates it")
    func custom() async throws {
        try await ServedMap.run { served in
            let forecast = Forecast()
            served.map.delegate = forecast
            let (southWest, northEast) = (MapPoint(.at(46, 8)), MapPoint(.at(48, 11)))
            let weather = Weather(MapRect(containing: [southWest, northEast]))
            served.map.addOverlay(weather, level: .aboveRoads)
            let page = try FakePage(served.map)
            let overlay = try #require(try page.state()["overlays"]?.array.first)
            #expect(overlay["kind"]?.string == "image" && overlay["level"]?.string == "aboveRoads")
            let corners = try #require(overlay["corners"]?.array.map { $0.array.compactMap(\.number) })
            for (corner, expected) in zip(corners, [[8.0, 48], [11, 48], [11, 46], [8, 46]]) {
                #expect(abs(corner[0] - expected[0]) < 1e-9 && abs(corner[1] - expected[1]) < 1e-9)
            }
            #expect(corners.count == 4)
            // It is there for who has the cookie.
            let cookie = try await served.enter()
            let address = try #require(overlay["image"]?.string)
            let image = try await served.request("GET", served.root + address, cookie: cookie)
            #expect(image.status == 200 && image.headers["content-type"] == "image/svg+xml")
            #expect(image.body.contains("<rect"))
            #expect(try await served.request("GET", served.root + address).status == 404)
            // Neither another look nor another page has it drawn again.
            let renderer = try #require(served.map.renderer(for: weather) as? WeatherRenderer)
            renderer.alpha = 0.5
            let faded = try #require(try shown(page).first)
            #expect(faded["alpha"]?.number == 0.5 && faded["image"]?.string == address)
            _ = try page.state()
            #expect(renderer.drawCount == 1)
            renderer.color = .red
            renderer.setNeedsDisplay()
            let anew = try #require(try shown(page).first)
            #expect(anew["image"]?.string != address && anew["revision"]?.number == 2)
            #expect(renderer.drawCount == 2)
        }
    }

    @Test("an overlay without a place does not keep a page from the others")
    func nowhere() throws {
        let forecast = Forecast()
        map.delegate = forecast
        map.addOverlays([Weather(.null), Weather(MapRect(x: .nan, y: 0, width: 1, height: 1)), Weather(.world)])
        let page = try FakePage(map)
        #expect(try page.state()["overlays"]?.array.map { $0["kind"]?.string } == ["shape", "shape", "image"])
    }

    private final class Checks: TileOverlay {
        var asked: [TilePath] = []
        override func loadTile(at path: TilePath) async throws -> Tile? {
            asked.append(path)
            return path.z == 0 ? Tile(bytes: Array("<svg/>".utf8), format: .svg) : nil
        }
    }

    @Test("the program's tiles and drawings are served to the page, and to no other client")
    func served() async throws {
        try await ServedMap.run { served in
            let cookie = try await served.enter()
            let overlay = Checks()
            served.map.addOverlay(overlay)
            let trail = Polyline(coordinates: (0..<600).map { .at(0, Double($0) * 0.1) })
            served.map.addOverlay(trail)
            let told = try #require(try FakePage(served.map).state()["overlays"]?.array.last?["data"]?.string)
            let line = try await served.request("GET", served.root + told, cookie: cookie)
            #expect(line.status == 200 && line.headers["content-type"] == "application/geo+json")
            #expect(try JSON(line.body)["coordinates"]?.array.count == 600)
            #expect(try await served.request("GET", served.root + told).status == 404)
            let tile = try await served.request("GET", served.root + "overlay-tiles/o1/0/0/0", cookie: cookie)
            #expect(tile.status == 200 && tile.body == "<svg/>\n" && tile.headers["content-type"] == "image/svg+xml")
            #expect(
                try await served.request("GET", served.root + "overlay-tiles/o1/1/1/0", cookie: cookie).status == 204)
            #expect(overlay.asked == [TilePath(z: 0, x: 0, y: 0), TilePath(z: 1, x: 1, y: 0)])
            for path in ["o1/1/2/0", "o1/-1/0/0", "o1/25/0/0", "o2/0/0/0", "o3/0/0/0", "o1/0/0"] {
                let answer = try await served.request("GET", served.root + "overlay-tiles/" + path, cookie: cookie)
                #expect(answer.status == 404, "\(path)")
            }
        }
    }
}
