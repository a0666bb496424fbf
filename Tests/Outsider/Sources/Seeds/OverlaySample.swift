import LocationMap

/// "Overlays": a circle, a route and an area with a hole.
final class OverlaySample: Seeds.Sample {
    let mapView = MapView()

    func viewDidLoad() {
        mapView.delegate = self
        let center = LocationCoordinate2D(latitude: 47.141, longitude: 9.5215)
        mapView.region = CoordinateRegion(
            center: center, span: CoordinateSpan(latitudeDelta: 0.2, longitudeDelta: 0.2))
        mapView.addOverlay(Circle(center: center, radius: 3000))

        let route = [
            LocationCoordinate2D(latitude: 47.21, longitude: 9.46),
            LocationCoordinate2D(latitude: 47.17, longitude: 9.51),
            LocationCoordinate2D(latitude: 47.07, longitude: 9.53),
        ]
        mapView.addOverlay(Polyline(coordinates: route, count: route.count), level: .aboveLabels)

        let lake = [
            LocationCoordinate2D(latitude: 47.10, longitude: 9.57),
            LocationCoordinate2D(latitude: 47.12, longitude: 9.60),
            LocationCoordinate2D(latitude: 47.08, longitude: 9.61),
        ]
        let park = [
            LocationCoordinate2D(latitude: 47.07, longitude: 9.56),
            LocationCoordinate2D(latitude: 47.15, longitude: 9.56),
            LocationCoordinate2D(latitude: 47.15, longitude: 9.64),
            LocationCoordinate2D(latitude: 47.07, longitude: 9.64),
        ]
        let hole = Polygon(coordinates: lake, count: lake.count)
        let area = Polygon(coordinates: park, count: park.count, interiorPolygons: [hole])
        area.title = "park"
        mapView.addOverlay(area, level: .aboveRoads)
    }

    func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer {
        if let overlay = overlay as? Circle {
            let renderer = CircleRenderer(circle: overlay)
            renderer.fillColor = Color.purple.withAlpha(0.2)
            renderer.strokeColor = Color.purple
            renderer.lineWidth = 1
            return renderer
        }
        if overlay is Polyline {
            let renderer = PolylineRenderer(overlay: overlay)
            renderer.strokeColor = Color.blue
            renderer.lineWidth = 4
            renderer.lineDashPattern = [8, 6]
            return renderer
        }
        if overlay is Polygon {
            let renderer = PolygonRenderer(overlay: overlay)
            renderer.fillColor = Color.green.withAlpha(0.4)
            renderer.strokeColor = Color.green
            renderer.alpha = 0.8
            return renderer
        }
        return OverlayRenderer(overlay: overlay)
    }
}
