import LocationClient
import LocationInterface
import LocationMap
import LocationModel
import LocationServiceManagement
import Logging
import MapModel
import MapTiles

/// The map of the user's places: each with the border that the user gave it, and with the farthest at which programs count as inside.
///
/// It asks for no location.
@MainActor
final class PlaceMap: MapViewDelegate {
    let page: MapPage
    private let map = MapView()
    private var shown: [LocationServiceManager.Place] = []
    /// Called when a place was moved by hand.
    var onMove: (LocationServiceManager.Place) -> Void = { _ in }
    /// Called with the coordinate at which the user wants a place.
    var onAdd: (Coordinate) -> Void = { _ in }

    /// The farthest border of a place, in its radii: see `rules add --inside`.
    static let margin = 6.6
    private static let addTitle = "Add a Place Here"

    init(data: MapData, logger: Logger) throws {
        map.title = "Places"
        map.menuItems = [Self.addTitle]
        map.addControl(SearchField(mapView: map))
        map.addControl(ZoomControl(mapView: map))
        map.addControl(ScaleView(mapView: map))
        page = try MapPage(framing: map, data: data, logger: logger)
        map.delegate = self
    }

    /// Shows these places in place of the others; the map moves when the first ones come.
    func show(_ places: [LocationServiceManager.Place]) {
        guard places != shown else { return }
        let isFirst = shown.isEmpty
        shown = places
        map.removeAnnotations(map.annotations)
        map.removeOverlays(map.overlays)
        for place in places {
            guard let center = Coordinate(latitude: place.latitude, longitude: place.longitude) else { continue }
            map.addOverlay(Circle(center: center, radius: Self.margin * place.radius), level: .aboveRoads)
            map.addOverlay(Border(center: center, radius: place.radius), level: .aboveRoads)
            map.addAnnotation(PlaceMarker(place, at: center))
        }
        guard isFirst, let first = map.overlays.first else { return }
        map.setVisibleMapRect(
            map.overlays.dropFirst().reduce(first.boundingMapRect) { $0.union($1.boundingMapRect) }, edgePadding: 24,
            animated: false)
    }

    // MARK: What the map asks

    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
        guard annotation is PlaceMarker else { return nil }
        let view = MarkerAnnotationView(annotation: annotation, reuseIdentifier: nil)
        view.isDraggable = true
        view.canShowCallout = true
        return view
    }

    func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer {
        let renderer = OverlayPathRenderer(overlay: overlay)
        renderer.strokeColor = .blue
        renderer.fillColor = Color.blue.withAlpha(overlay is Border ? 0.2 : 0.07)
        renderer.lineWidth = overlay is Border ? 2 : 1.5
        if !(overlay is Border) { renderer.lineDashPattern = [6, 6] }
        return renderer
    }

    func mapView(
        _ mapView: MapView, annotationView view: AnnotationView, didChange newState: AnnotationView.DragState,
        fromOldState oldState: AnnotationView.DragState
    ) {
        guard newState == .ending, let marker = view.annotation as? PlaceMarker else { return }
        var place = marker.place
        (place.latitude, place.longitude) = (marker.coordinate.latitude, marker.coordinate.longitude)
        onMove(place)
    }

    func mapView(_ mapView: MapView, didChoose menuItem: String, at coordinate: Coordinate) { onAdd(coordinate) }
}

/// The border that the user gave a place.
private final class Border: Circle {}

/// A place of the user.
private final class PlaceMarker: PointAnnotation {
    let place: LocationServiceManager.Place

    init(_ place: LocationServiceManager.Place, at center: Coordinate) {
        self.place = place
        super.init(coordinate: center, title: place.name, subtitle: nil)
    }
}
