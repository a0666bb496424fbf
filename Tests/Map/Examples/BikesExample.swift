import LocationMap
import LocationModel

/// Bikes of two kinds. Those that are in each other's way become a pie of their kinds, and come apart when it is clicked.
@MainActor
final class BikesExample: MapViewDelegate {
    init(_ map: MapView) {
        map.delegate = self
        map.register(UnicycleView.self, forAnnotationViewWithReuseIdentifier: UnicycleView.identifier)
        map.register(BicycleView.self, forAnnotationViewWithReuseIdentifier: BicycleView.identifier)
        map.register(
            ClusterView.self, forAnnotationViewWithReuseIdentifier: MapViewDefaultClusterAnnotationViewReuseIdentifier)
        // Always the same ones, spread over a city.
        let bikes = (0..<200).map { number in
            let (north, east) = (Double(number * 7919 % 1000) / 1000, Double(number * 104_729 % 1000) / 1000)
            return Bike(
                number % 3 == 0 ? .unicycle : .bicycle,
                coordinate: Coordinate(
                    clampingLatitude: 37.76 + north * 0.05, wrappingLongitude: -122.45 + east * 0.06))
        }
        map.showAnnotations(bikes, animated: false)
    }

    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
        guard let bike = annotation as? Bike else { return nil }
        let identifier = bike.kind == .unicycle ? UnicycleView.identifier : BicycleView.identifier
        return mapView.dequeueReusableAnnotationView(withIdentifier: identifier, for: bike)
    }
}

@MainActor
final class Bike: PointAnnotation {
    enum Kind { case unicycle, bicycle }
    let kind: Kind

    init(_ kind: Kind, coordinate: Coordinate) {
        self.kind = kind
        super.init(coordinate: coordinate, title: kind == .unicycle ? "Unicycle" : "Bicycle")
    }
}

/// Bikes cluster with each other; of two that do not, a bicycle gives way.
private let bikes = "bike"

final class UnicycleView: MarkerAnnotationView {
    static let identifier = "unicycle"

    override func prepareForDisplay() {
        super.prepareForDisplay()
        displayPriority = .defaultHigh
        markerTintColor = .orange
        glyphText = "U"
    }

    required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
        clusteringIdentifier = bikes
    }
}

final class BicycleView: MarkerAnnotationView {
    static let identifier = "bicycle"

    override func prepareForDisplay() {
        super.prepareForDisplay()
        displayPriority = .defaultLow
        markerTintColor = .green
        glyphText = "B"
    }

    required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
        clusteringIdentifier = bikes
    }
}

/// A pie of the kinds with the count in the middle.
final class ClusterView: AnnotationView {
    required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
        collisionMode = .circle
        image = MapImage(.pie([], text: ""))
    }

    override func prepareForDisplay() {
        super.prepareForDisplay()
        guard let cluster = annotation as? ClusterAnnotation else { return }
        let unicycles = cluster.memberAnnotations.count { ($0 as? Bike)?.kind == .unicycle }
        let bicycles = cluster.memberAnnotations.count - unicycles
        image = MapImage(
            .pie(
                [(Double(unicycles), .orange), (Double(bicycles), .green)], text: "\(cluster.memberAnnotations.count)"))
        displayPriority = unicycles > 0 ? .defaultHigh : .defaultLow
    }
}
