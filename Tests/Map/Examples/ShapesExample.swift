import Dispatch
import Glibc
import LocationMap
import LocationModel

/// Shapes of every sort, tiles drawn by the program, and pins that drop: what it is told on its standard input changes the map.
@MainActor
final class ShapesExample: MapViewDelegate {
    private let map: MapView
    /// Too long to be sent with the rest.
    private let trail = Polyline(coordinates: (0..<700).map { place(47.55, 8.6 + 0.001 * Double($0)) })
    /// Drawn with a gradient.
    private let climb = Polyline(coordinates: [place(46.6, 9.0), place(46.6, 9.3), place(46.6, 10.2)])

    init(_ map: MapView) {
        self.map = map
        map.delegate = self
        map.addControl(CompassButton(mapView: map))
        let hole = Polygon(coordinates: Self.square(at: (47.3, 9.2), reach: 0.1))
        map.addOverlay(
            Polygon(coordinates: Self.square(at: (47.3, 9.2), reach: 0.3), interiorPolygons: [hole]), level: .aboveRoads
        )
        map.addOverlay(Polyline(coordinates: [Self.place(46.8, 8.6), Self.place(46.9, 9.6), Self.place(46.7, 10.4)]))
        map.addOverlay(
            MultiPolygon([
                Polygon(coordinates: Self.square(at: (46.4, 8.8), reach: 0.1)),
                Polygon(coordinates: Self.square(at: (46.4, 9.4), reach: 0.1)),
            ]), level: .aboveRoads)
        map.addOverlay(Circle(center: Self.place(46.7, 8.1), radius: 10_000))
        map.addAnnotation(PointAnnotation(coordinate: Self.place(47.0, 10.2), title: "Purple", subtitle: "A pin"))
        map.setRegion(
            CoordinateRegion(center: Self.place(47, 9.4), latitudinalMeters: 150_000, longitudinalMeters: 150_000),
            animated: false)
        // Reading blocks: a thread of its own does it, and not through stdio, whose lock `say` would wait for.
        DispatchQueue(label: "commands").async { [weak self] in
            var bytes = [UInt8](repeating: 0, count: 256)
            while case let count = read(STDIN_FILENO, &bytes, bytes.count), count > 0 {
                for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
                    DispatchQueue.main.async { self?.obey(String(line)) }
                }
            }
        }
    }

    private static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
    }

    private static func square(at center: (Double, Double), reach: Double) -> [Coordinate] {
        [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1)].map { place(center.0 + $0.0 * reach, center.1 + $0.1 * reach) }
    }

    private func obey(_ line: String) {
        switch line {
        case "hybrid": map.mapType = .hybrid
        case "dark": map.appearance = .dark
        case "light": map.appearance = .light
        case "system": map.appearance = .system
        case "miles":
            let scale = ScaleView(mapView: map, placement: .bottom)
            scale.scaleVisibility = .visible
            scale.lengthUnit = .imperial
            map.addControl(scale)
        case "layers":
            let button = UserTrackingButton(mapView: map)
            button.layer.backgroundColor = Color(white: 1, alpha: 0.8)
            button.layer.borderColor = Color.white
            button.layer.borderWidth = 1
            button.layer.cornerRadius = 5
            button.layer.masksToBounds = true
            let zoom = ZoomControl(mapView: map)
            zoom.layer.backgroundColor = .black
            zoom.layer.cornerRadius = 22
            let types = MapTypeControl(mapView: map)
            types.layer.backgroundColor = .blue
            types.layer.borderWidth = 2
            let pitch = PitchControl(mapView: map)
            pitch.layer.backgroundColor = Color(white: 0, alpha: 0.5)
            pitch.layer.cornerRadius = 0
            let scale = ScaleView(mapView: map)
            scale.scaleVisibility = .visible
            scale.layer.backgroundColor = .background
            for control in [button, zoom, types, pitch, scale] { map.addControl(control) }
        case "go":
            map.setRegion(
                CoordinateRegion(
                    center: Self.place(46, 7), latitudinalMeters: 100_000, longitudinalMeters: 100_000), animated: true)
        case "turn":
            map.setCamera(
                MapCamera(lookingAtCenter: Self.place(47, 9.4), fromDistance: 200_000, pitch: 40, heading: 90),
                animated: true)
        case "move":
            guard let pin = map.annotations.first as? PointAnnotation else { return say("Nothing to move.") }
            pin.coordinate = Self.place(47.1, 10.1)
        case "static":
            map.addControl(ZoomControl(mapView: map))
            map.addControl(PitchControl(mapView: map))
            map.isZoomEnabled = false
            map.isScrollEnabled = false
            map.isRotateEnabled = false
            map.isPitchEnabled = false
        case "trail": map.addOverlay(trail)
        case "grow": trail.append([Self.place(47.55, 9.4), Self.place(47.7, 9.4)])
        case "tiles": map.addOverlay(CheckedTiles(), level: .aboveRoads)
        case "pin":
            map.addAnnotation(PointAnnotation(coordinate: Self.place(47.2, 10), title: "Dropped"))
        case "pile":
            for name in ["Kiosk", "Tower", "Well"] {
                map.addAnnotation(PointAnnotation(coordinate: Self.place(47.1, 8.7), title: name, subtitle: "Here"))
            }
        case "climb": map.addOverlay(climb)
        case "range":
            map.cameraZoomRange = MapView.CameraZoomRange(
                minCenterCoordinateDistance: 50_000, maxCenterCoordinateDistance: 400_000)
        case "boundary":
            let region = CoordinateRegion(
                center: Self.place(47, 9.4), latitudinalMeters: 40_000, longitudinalMeters: 40_000)
            map.cameraBoundary = MapView.CameraBoundary(coordinateRegion: region)
        case "cafes": map.pointOfInterestFilter = PointOfInterestFilter(including: [.cafe, .restaurant])
        case "no points": map.pointOfInterestFilter = .excludingAll
        case "points": map.pointOfInterestFilter = nil
        case "clear":
            map.removeOverlays(map.overlays)
            map.removeAnnotations(map.annotations)
        default: return say("What is “\(line)”?")
        }
        say("done: \(line)")
    }

    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
        let view = PinAnnotationView(annotation: annotation, reuseIdentifier: "pin")
        view.pinTintColor = PinAnnotationView.purplePinColor
        view.animatesDrop = true
        view.canShowCallout = true
        view.leftCalloutAccessoryView = .button("Go", symbol: .directions, accessibilityLabel: "Directions")
        view.detailCalloutAccessoryView = .text("Two\nlines")
        return view
    }

    func mapView(_ mapView: MapView, didSelect view: AnnotationView) { say("selected \(view.annotation?.title ?? "")") }

    func mapView(_ mapView: MapView, didDeselect view: AnnotationView) {
        say("deselected \(view.annotation?.title ?? "")")
    }

    func mapView(
        _ mapView: MapView, annotationView view: AnnotationView,
        calloutAccessoryControlTapped control: CalloutAccessory
    ) {
        say("tapped \(control.title ?? "")")
    }

    func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer {
        if let tiles = overlay as? TileOverlay { return TileOverlayRenderer(tileOverlay: tiles) }
        if overlay is Circle { return StampRenderer(overlay: overlay) }
        if overlay === climb {
            let renderer = GradientPolylineRenderer(polyline: climb)
            renderer.setColors([.blue, .red, .red], locations: climb.locations(atPointIndexes: 0..<climb.pointCount))
            renderer.lineWidth = 8
            return renderer
        }
        let renderer = OverlayPathRenderer(overlay: overlay)
        renderer.strokeColor = overlay is Polyline ? .blue : .green
        renderer.lineWidth = overlay is Polyline ? 6 : 2
        if overlay is Polyline {
            renderer.lineDashPattern = [12, 6]
            renderer.lineCap = .butt
        } else {
            renderer.fillColor = .green.withAlpha(0.3)
        }
        return renderer
    }
}

/// Draws a stamp over the overlay's bounds.
final class StampRenderer: OverlayRenderer {
    override func draw() -> MapImage? { MapImage(.disc(.red, glyph: "S", diameter: 120)) }
}

/// Every second tile is tinted and says where it is.
final class CheckedTiles: TileOverlay {
    override func loadTile(at path: TilePath) async throws -> Tile? {
        guard (path.x + path.y).isMultiple(of: 2) else { return nil }
        var drawing = Drawing(width: 256, height: 256)
        drawing.addRectangle(x: 0, y: 0, width: 256, height: 256, .init(fill: .orange.withAlpha(0.35)))
        drawing.addText("\(path.z)/\(path.x)/\(path.y)", x: 128, y: 128, size: 24, color: .black)
        return Tile(bytes: Array(drawing.svg().utf8), format: .svg)
    }
}
