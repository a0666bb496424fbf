import LocationMap

/// "Declutter a map": cycles that cluster into pies, with compass, scale and tracking button where the program wants them.
final class ClusteringSample: Seeds.Sample {
    let mapView = MapView()

    func viewDidLoad() {
        setupCompassButton()
        setupUserTrackingButtonAndScaleView()
        registerAnnotationViewClasses()
        mapView.delegate = self
        mapView.region = CoordinateRegion(
            center: LocationCoordinate2D(latitude: 47.151, longitude: 9.5215),
            span: CoordinateSpan(latitudeDelta: 0.06, longitudeDelta: 0.06))
        mapView.addAnnotations(Cycle.all)
    }

    func setupCompassButton() {
        let compass = CompassButton(mapView: mapView)
        compass.compassVisibility = .visible
        // navigationItem.rightBarButtonItem = UIBarButtonItem(customView: compass)
        mapView.addControl(compass)
        mapView.showsCompass = false
    }

    func setupUserTrackingButtonAndScaleView() {
        mapView.showsUserLocation = true

        let button = UserTrackingButton(mapView: mapView)
        button.layer.backgroundColor = Color(white: 1, alpha: 0.8)
        button.layer.borderColor = Color.white
        button.layer.borderWidth = 1
        button.layer.cornerRadius = 5
        // view.addSubview(button), and constraints
        button.placement = .bottomTrailing
        mapView.addControl(button)

        let scale = ScaleView(mapView: mapView)
        scale.legendAlignment = .trailing
        scale.scaleVisibility = .visible
        mapView.addControl(scale)
    }

    func registerAnnotationViewClasses() {
        mapView.register(
            UnicycleAnnotationView.self, forAnnotationViewWithReuseIdentifier: UnicycleAnnotationView.ReuseID)
        mapView.register(
            BicycleAnnotationView.self, forAnnotationViewWithReuseIdentifier: BicycleAnnotationView.ReuseID)
        mapView.register(
            ClusterAnnotationView.self,
            forAnnotationViewWithReuseIdentifier: MapViewDefaultClusterAnnotationViewReuseIdentifier)
    }

    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
        guard let annotation = annotation as? Cycle else { return nil }
        switch annotation.type {
        case .unicycle:
            return UnicycleAnnotationView(annotation: annotation, reuseIdentifier: UnicycleAnnotationView.ReuseID)
        case .bicycle:
            return BicycleAnnotationView(annotation: annotation, reuseIdentifier: BicycleAnnotationView.ReuseID)
        }
    }
}

final class Cycle: PointAnnotation {
    enum CycleType { case unicycle, bicycle }
    var type = CycleType.unicycle

    /// In place of the sample's file.
    static let all: [Cycle] = (0..<60).map { number in
        let cycle = Cycle()
        cycle.type = number % 3 == 0 ? .unicycle : .bicycle
        cycle.coordinate = Coordinate(
            clampingLatitude: 47.13 + Double(number * 37 % 60) * 0.0007,
            wrappingLongitude: 9.50 + Double(number * 23 % 60) * 0.0007)
        return cycle
    }
}

private let multiWheelCycleClusterID = "multiWheelCycle"

final class UnicycleAnnotationView: MarkerAnnotationView {
    static let ReuseID = "unicycleAnnotation"

    // The sample says `override init`.
    required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
        clusteringIdentifier = "unicycle"
    }

    override func prepareForDisplay() {
        super.prepareForDisplay()
        displayPriority = .defaultLow
        markerTintColor = Color.orange
        glyphText = "U"
    }
}

final class BicycleAnnotationView: MarkerAnnotationView {
    static let ReuseID = "bicycleAnnotation"

    required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
        clusteringIdentifier = multiWheelCycleClusterID
    }

    override func prepareForDisplay() {
        super.prepareForDisplay()
        displayPriority = .defaultHigh
        markerTintColor = Color.green
        glyphText = "B"
    }
}

final class ClusterAnnotationView: AnnotationView {
    required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
        collisionMode = .circle
        centerOffset = ViewPoint(x: 0, y: -10)
    }

    override func prepareForDisplay() {
        super.prepareForDisplay()
        if let cluster = annotation as? ClusterAnnotation {
            let totalCycles = cluster.memberAnnotations.count
            if count(cycleType: .unicycle) > 0 {
                image = drawRatio(
                    count(cycleType: .unicycle), to: totalCycles, fractionColor: .orange, wholeColor: .green)
                displayPriority = .defaultLow
            } else {
                image = drawRatio(0, to: totalCycles, fractionColor: nil, wholeColor: .green)
                displayPriority = .defaultHigh
            }
        }
    }

    /// UIGraphicsImageRenderer in the sample.
    private func drawRatio(_ fraction: Int, to whole: Int, fractionColor: Color?, wholeColor: Color) -> MapImage {
        MapImage(
            .pie(
                [(Double(fraction), fractionColor ?? wholeColor), (Double(whole - fraction), wholeColor)],
                text: "\(whole)"))
    }

    private func count(cycleType type: Cycle.CycleType) -> Int {
        guard let cluster = annotation as? ClusterAnnotation else { return 0 }
        return cluster.memberAnnotations.filter { member in (member as? Cycle)?.type == type }.count
    }
}
