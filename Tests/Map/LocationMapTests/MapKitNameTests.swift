import LocationModel
import MapModel
import MapTiles
import Testing

@testable import LocationMap

/// Names of MapKit that no other test, example or page uses.
@Suite("MapView: further names of MapKit", .timeLimit(.minutes(10)))
@MainActor
struct MapKitNameTests {
    private let map = MapView()

    /// Draws each overlay with the renderer that is made for it.
    private final class Renderers: MapViewDelegate {
        var make: (any Overlay) -> OverlayRenderer = { OverlayRenderer(overlay: $0) }
        func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer { make(overlay) }
    }

    private final class Views: MapViewDelegate {
        let make: (any Annotation) -> AnnotationView
        init(_ make: @escaping (any Annotation) -> AnnotationView) { self.make = make }
        func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? { make(annotation) }
    }

    /// A picture for every tile.
    private struct Pictures: TileSource {
        let description = TileSourceDescription(name: "pictures", format: .png, zoomLevels: 3...9, tileSize: 512)
        func tile(at path: TilePath) async throws -> Tile? { nil }
    }

    // MARK: Overlays

    @Test("a geodesic line is a line: it is not filled, is curved, and continues on the ground")
    func geodesicLine() throws {
        let page = try FakePage(map)
        let line = GeodesicPolyline(coordinates: [.at(50, -60), .at(50, 10)])
        map.addOverlay(line)
        let overlay = try #require(try page.last("overlays")?["set"]?.array.first)
        #expect(overlay["fill"] == nil)
        #expect(overlay["geometry"]?["type"]?.string == "LineString")
        #expect((line.coordinates.map(\.latitude).max() ?? 0) > 55, "the great circle leads north of both")
        #expect(zip(line.coordinates, line.coordinates.dropFirst()).allSatisfy { $0.distance(to: $1) < 101_000 })
        #expect(PolylineRenderer(polyline: line).polyline === line)

        let count = line.pointCount
        line.append([.at(50, 80)])
        let appended = try #require(try page.last("overlays")?["append"]?.array.first?["coordinates"]?.array)
        #expect(appended.count == line.pointCount - count && appended.count > 40)
        #expect(line.coordinates.last == .at(50, 80))
    }

    @Test("lines and areas are made of the first of an array's coordinates, as in MapKit")
    func counts() {
        let corners: [Coordinate] = [.at(0, 0), .at(0, 10), .at(10, 10), .at(10, 0)]
        #expect(Polyline(coordinates: corners, count: 2).coordinates == [.at(0, 0), .at(0, 10)])
        #expect(Polyline(coordinates: corners, count: -1).pointCount == 0)
        #expect(GeodesicPolyline(coordinates: corners, count: 2).coordinates.last == .at(0, 10))
        let hole = Polygon(coordinates: corners, count: 3)
        #expect(hole.pointCount == 3 && hole.interiorPolygons.isEmpty)
        let area = Polygon(coordinates: corners, count: corners.count, interiorPolygons: [hole])
        #expect(area.pointCount == 4 && area.interiorPolygons.first === hole)
    }

    @Test("an annotation is made first and placed afterwards, also by a subclass")
    func unplacedAnnotation() {
        final class Bike: PointAnnotation { var wheels = 2 }
        for annotation in [PointAnnotation(), Bike()] {
            annotation.coordinate = .at(47, 9)
            annotation.title = "Harbour"
            map.addAnnotation(annotation)
        }
        #expect(map.annotations.allSatisfy { $0.coordinate == .at(47, 9) && $0.title == "Harbour" })
    }

    @Test("each shape has its renderer, with its joins")
    func renderers() throws {
        let renderers = Renderers()
        map.delegate = renderers
        let page = try FakePage(map)
        let corners: [Coordinate] = [.at(0, 0), .at(0, 10), .at(10, 10)]
        let (line, area) = (Polyline(coordinates: corners), Polygon(coordinates: corners))
        let (lines, areas) = (MultiPolyline([line]), MultiPolygon([area]))
        #expect(lines.polylines.first === line)
        renderers.make = { overlay in
            let renderer: OverlayPathRenderer =
                switch overlay {
                case let line as Polyline: PolylineRenderer(polyline: line)
                case let area as Polygon: PolygonRenderer(polygon: area)
                case let lines as MultiPolyline: MultiPolylineRenderer(multiPolyline: lines)
                case let areas as MultiPolygon: MultiPolygonRenderer(multiPolygon: areas)
                default: OverlayPathRenderer(overlay: overlay)
                }
            renderer.lineJoin = .bevel
            return renderer
        }
        map.addOverlays([line, area, lines, areas])
        let shown = try page.last("overlays")?["set"]?.array ?? []
        #expect(shown.count == 4 && shown.allSatisfy { $0["join"]?.string == "bevel" })
        #expect((map.renderer(for: line) as? PolylineRenderer)?.polyline === line)
        #expect((map.renderer(for: area) as? PolygonRenderer)?.polygon === area)

        map.removeOverlay(area)
        #expect(try page.last("overlays")?["removed"]?.array.count == 1)
        #expect(map.overlays.count == 3 && map.renderer(for: area) == nil)
        map.removeOverlay(area)
        #expect(map.overlays.count == 3, "removed already")
    }

    @Test("a tile overlay takes its source's tiles, replaces the map and loads them again")
    func tileSource() throws {
        let page = try FakePage(map)
        let overlay = TileSourceOverlay(Pictures())
        overlay.canReplaceMapContent = true
        map.addOverlay(overlay)
        let shown = try #require(try page.last("overlays")?["set"]?.array.first)
        #expect(shown["minimumZoom"]?.number == 3 && shown["maximumZoom"]?.number == 9)
        #expect(shown["tileSize"]?.number == 512 && shown["replacesMap"]?.bool == true)
        (map.renderer(for: overlay) as? TileOverlayRenderer)?.reloadData()
        let again = try #require(try page.last("overlays")?["set"]?.array.first)
        #expect(again["tiles"]?.string != nil && again["tiles"]?.string != shown["tiles"]?.string)
    }

    // MARK: The visible region

    @Test("the region and the rectangle that fit contain what was asked for, in the shape of the page")
    func fitting() throws {
        _ = try FakePage(map)
        let tall = CoordinateRegion(center: .at(47, 9), span: CoordinateSpan(latitudeDelta: 2, longitudeDelta: 0.1))
        let (asked, fitting) = (MapRect(tall), map.mapRectThatFits(MapRect(tall)))
        #expect(fitting.minX <= asked.minX && fitting.maxX >= asked.maxX)
        #expect(fitting.minY <= asked.minY + 1 && fitting.maxY >= asked.maxY - 1)
        #expect(abs(fitting.width / fitting.height - 800.0 / 600) < 0.01)
        let region = map.regionThatFits(tall)
        #expect(abs(region.span.longitudeDelta / tall.span.longitudeDelta) > 10)
        #expect(abs(region.span.latitudeDelta - 2) < 0.05)
    }

    @Test("a camera that is outside of new limits moves inside")
    func limits() throws {
        let page = try FakePage(map)
        map.setRegion(
            CoordinateRegion(center: .at(0, 0), latitudinalMeters: 1000, longitudinalMeters: 1000), animated: false)
        let town = CoordinateRegion(center: .at(47, 9), latitudinalMeters: 8000, longitudinalMeters: 8000)
        map.setCameraBoundary(MapView.CameraBoundary(coordinateRegion: town), animated: false)
        #expect(MapRect(town).contains(MapPoint(map.centerCoordinate)))
        #expect(try page.state()["map"]?["boundary"]?.array.count == 4)
        map.setCameraZoomRange(
            MapView.CameraZoomRange(minCenterCoordinateDistance: 50_000), animated: false)
        #expect(map.camera.centerCoordinateDistance > 49_000)
        #expect(MapView.CameraZoomRange(minCenterCoordinateDistance: 2, maxCenterCoordinateDistance: 1) == nil)
    }

    @Test("the user's location is visible only where it is known, shown and within the region")
    func userLocationIsVisible() {
        #expect(!map.isUserLocationVisible)
        map.showsUserLocation = true
        #expect(!map.isUserLocationVisible, "no location is known")
    }

    private final class FollowingView: MarkerAnnotationView {
        override var annotation: (any Annotation)? {
            didSet { glyphText = annotation?.title.map { String($0.prefix(1)) } }
        }
    }

    @Test("a registered view that overrides its annotation sees the first one, too")
    func overriddenAnnotation() throws {
        map.register(FollowingView.self, forAnnotationViewWithReuseIdentifier: "following")
        let annotation = PointAnnotation(coordinate: map.centerCoordinate, title: "Harbour")
        let view = map.dequeueReusableAnnotationView(withIdentifier: "following", for: annotation)
        #expect((view as? FollowingView)?.glyphText == "H")
    }

    // MARK: Controls

    @Test("each control is shown and hidden, and an added one is removed")
    func controls() throws {
        let page = try FakePage(map)
        func kinds() throws -> Set<String> {
            Set(try page.state()["controls"]?.array.compactMap { $0["kind"]?.string } ?? [])
        }
        map.showsCompass = false
        #expect(try kinds() == [])
        (map.showsZoomControls, map.showsPitchControl, map.showsUserTrackingButton) = (true, true, true)
        #expect(try kinds() == ["zoom", "pitch", "tracking"])
        (map.showsZoomControls, map.showsUserTrackingButton) = (false, false)
        #expect(try kinds() == ["pitch"])
        let scale = ScaleView(mapView: map)
        map.addControl(scale)
        #expect(try kinds() == ["pitch", "scale"])
        map.removeControl(scale)
        #expect(try kinds() == ["pitch"])
    }

    // MARK: Views

    @Test("a view is shown with its rotation, its ground, its tint and its visibilities")
    func views() throws {
        let views = Views { annotation in
            let view = MarkerAnnotationView(annotation: annotation, reuseIdentifier: nil)
            (view.rotation, view.isFlat) = (45, true)
            (view.glyphTintColor, view.subtitleVisibility, view.animatesWhenAdded) = (.black, .visible, true)
            return view
        }
        map.delegate = views
        let page = try FakePage(map)
        map.addAnnotation(PointAnnotation(coordinate: map.centerCoordinate))
        let view = try #require(try page.state()["views"]?.array.first)
        #expect(view["rotation"]?.number == 45 && view["isFlat"]?.bool == true)
        #expect(view["glyphTint"]?.string != nil && view["animates"]?.bool == true)
        #expect(view["subtitleVisibility"]?.string == "visible")
    }

    @Test("a selected annotation is drawn above the others, and below again once deselected")
    func deselection() throws {
        let views = Views { annotation in
            let view = MarkerAnnotationView(annotation: annotation, reuseIdentifier: nil)
            (view.displayPriority, view.selectedZPriority) = (.required, .max)
            return view
        }
        map.delegate = views
        let page = try FakePage(map)
        let center = map.centerCoordinate
        let annotations = [PointAnnotation(coordinate: center), PointAnnotation(coordinate: center)]
        map.addAnnotations(annotations)
        _ = try page.state()
        for annotation in annotations {
            map.selectAnnotation(annotation, animated: false)
            let state = try page.state()
            let orders = state["views"]?.array.compactMap { $0["order"]?.number } ?? []
            #expect(state["selected"] != nil && Set(orders).count == 2)
            #expect(map.view(for: annotation)?.isSelected == true)
            map.deselectAnnotation(annotation, animated: false)
            #expect(try page.state()["selected"] == nil)
            #expect(map.view(for: annotation)?.isSelected == false)
        }
    }
}
