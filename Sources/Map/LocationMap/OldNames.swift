public import LocationModel
public import MapModel

// Names of MapKit that programmers type first. Each is unavailable, and the compiler's message says the name here. A type has the
// initializers that programs call: the compiler tells of a wrong call before it tells of the type.

// MARK: Types

/// `MapView` here.
@available(*, unavailable, renamed: "MapView")
public typealias MKMapView = MapView
/// `MapViewDelegate` here.
@available(*, unavailable, renamed: "MapViewDelegate")
public typealias MKMapViewDelegate = MapViewDelegate
/// `Annotation` here.
@available(*, unavailable, renamed: "Annotation")
public typealias MKAnnotation = Annotation
/// `PointAnnotation` here.
@available(*, unavailable, renamed: "PointAnnotation")
public typealias MKPointAnnotation = PointAnnotation
/// `AnnotationView` here.
@available(*, unavailable, renamed: "AnnotationView")
public typealias MKAnnotationView = AnnotationView
/// `MarkerAnnotationView` here.
@available(*, unavailable, renamed: "MarkerAnnotationView")
public typealias MKMarkerAnnotationView = MarkerAnnotationView
/// `PinAnnotationView` here.
@available(*, unavailable, renamed: "PinAnnotationView")
public typealias MKPinAnnotationView = PinAnnotationView
/// `ClusterAnnotation` here.
@available(*, unavailable, renamed: "ClusterAnnotation")
public typealias MKClusterAnnotation = ClusterAnnotation
/// `UserLocation` here.
@available(*, unavailable, renamed: "UserLocation")
public typealias MKUserLocation = UserLocation
/// `Overlay` here.
@available(*, unavailable, renamed: "Overlay")
public typealias MKOverlay = Overlay
/// `OverlayRenderer` here.
@available(*, unavailable, renamed: "OverlayRenderer")
public typealias MKOverlayRenderer = OverlayRenderer
/// `OverlayPathRenderer` here.
@available(*, unavailable, renamed: "OverlayPathRenderer")
public typealias MKOverlayPathRenderer = OverlayPathRenderer
/// `Polyline` here.
@available(*, unavailable, renamed: "Polyline")
public typealias MKPolyline = Polyline
/// `PolylineRenderer` here.
@available(*, unavailable, renamed: "PolylineRenderer")
public typealias MKPolylineRenderer = PolylineRenderer
/// `GeodesicPolyline` here.
@available(*, unavailable, renamed: "GeodesicPolyline")
public typealias MKGeodesicPolyline = GeodesicPolyline
/// `GradientPolylineRenderer` here.
@available(*, unavailable, renamed: "GradientPolylineRenderer")
public typealias MKGradientPolylineRenderer = GradientPolylineRenderer
/// `Polygon` here.
@available(*, unavailable, renamed: "Polygon")
public typealias MKPolygon = Polygon
/// `PolygonRenderer` here.
@available(*, unavailable, renamed: "PolygonRenderer")
public typealias MKPolygonRenderer = PolygonRenderer
/// `Circle` here.
@available(*, unavailable, renamed: "Circle")
public typealias MKCircle = Circle
/// `CircleRenderer` here.
@available(*, unavailable, renamed: "CircleRenderer")
public typealias MKCircleRenderer = CircleRenderer
/// `MultiPolyline` here.
@available(*, unavailable, renamed: "MultiPolyline")
public typealias MKMultiPolyline = MultiPolyline
/// `MultiPolylineRenderer` here.
@available(*, unavailable, renamed: "MultiPolylineRenderer")
public typealias MKMultiPolylineRenderer = MultiPolylineRenderer
/// `MultiPolygon` here.
@available(*, unavailable, renamed: "MultiPolygon")
public typealias MKMultiPolygon = MultiPolygon
/// `MultiPolygonRenderer` here.
@available(*, unavailable, renamed: "MultiPolygonRenderer")
public typealias MKMultiPolygonRenderer = MultiPolygonRenderer
/// `TileOverlay` here.
@available(*, unavailable, renamed: "TileOverlay")
public typealias MKTileOverlay = TileOverlay
/// `TileOverlayRenderer` here.
@available(*, unavailable, renamed: "TileOverlayRenderer")
public typealias MKTileOverlayRenderer = TileOverlayRenderer
/// `CoordinateRegion` here.
@available(*, unavailable, renamed: "CoordinateRegion")
public typealias MKCoordinateRegion = CoordinateRegion
/// `CoordinateSpan` here.
@available(*, unavailable, renamed: "CoordinateSpan")
public typealias MKCoordinateSpan = CoordinateSpan
/// `MapRect` here.
@available(*, unavailable, renamed: "MapRect")
public typealias MKMapRect = MapRect
/// `MapPoint` here.
@available(*, unavailable, renamed: "MapPoint")
public typealias MKMapPoint = MapPoint
/// `MapSize` here.
@available(*, unavailable, renamed: "MapSize")
public typealias MKMapSize = MapSize
/// `MapCamera` here.
@available(*, unavailable, renamed: "MapCamera")
public typealias MKMapCamera = MapCamera
/// `MapType` here.
@available(*, unavailable, renamed: "MapType")
public typealias MKMapType = MapType
/// `UserTrackingMode` here.
@available(*, unavailable, renamed: "UserTrackingMode")
public typealias MKUserTrackingMode = UserTrackingMode
/// `UserTrackingButton` here.
@available(*, unavailable, renamed: "UserTrackingButton")
public typealias MKUserTrackingButton = UserTrackingButton
/// `CompassButton` here.
@available(*, unavailable, renamed: "CompassButton")
public typealias MKCompassButton = CompassButton
/// `ScaleView` here.
@available(*, unavailable, renamed: "ScaleView")
public typealias MKScaleView = ScaleView
/// `ZoomControl` here.
@available(*, unavailable, renamed: "ZoomControl")
public typealias MKZoomControl = ZoomControl
/// `PitchControl` here.
@available(*, unavailable, renamed: "PitchControl")
public typealias MKPitchControl = PitchControl
/// `FeatureVisibility` here.
@available(*, unavailable, renamed: "FeatureVisibility")
public typealias MKFeatureVisibility = FeatureVisibility
/// `OverlayLevel` here.
@available(*, unavailable, renamed: "OverlayLevel")
public typealias MKOverlayLevel = OverlayLevel
/// `LocalSearch` here.
@available(*, unavailable, renamed: "LocalSearch")
public typealias MKLocalSearch = LocalSearch
/// `LocalSearchCompleter` here.
@available(*, unavailable, renamed: "LocalSearchCompleter")
public typealias MKLocalSearchCompleter = LocalSearchCompleter
/// `LocalSearchCompletion` here.
@available(*, unavailable, renamed: "LocalSearchCompletion")
public typealias MKLocalSearchCompletion = LocalSearchCompletion
/// `MapItem` here.
@available(*, unavailable, renamed: "MapItem")
public typealias MKMapItem = MapItem
/// `Placemark` here.
@available(*, unavailable, renamed: "Placemark")
public typealias MKPlacemark = Placemark
/// `MapSnapshotter` here.
@available(*, unavailable, renamed: "MapSnapshotter")
public typealias MKMapSnapshotter = MapSnapshotter
/// `PointOfInterestFilter` here.
@available(*, unavailable, renamed: "PointOfInterestFilter")
public typealias MKPointOfInterestFilter = PointOfInterestFilter
/// `PointOfInterestCategory` here.
@available(*, unavailable, renamed: "PointOfInterestCategory")
public typealias MKPointOfInterestCategory = PointOfInterestCategory
/// `GeoJSONDecoder` here.
@available(*, unavailable, renamed: "GeoJSONDecoder")
public typealias MKGeoJSONDecoder = GeoJSONDecoder
/// `GeoJSONFeature` here.
@available(*, unavailable, renamed: "GeoJSONFeature")
public typealias MKGeoJSONFeature = GeoJSONFeature
/// `GeoJSONObject` here.
@available(*, unavailable, renamed: "GeoJSONObject")
public typealias MKGeoJSONObject = GeoJSONObject
/// `LocalPointsOfInterestRequest` here.
@available(*, unavailable, renamed: "LocalPointsOfInterestRequest")
public typealias MKLocalPointsOfInterestRequest = LocalPointsOfInterestRequest
/// `GeocodingRequest` here.
@available(*, unavailable, renamed: "GeocodingRequest")
public typealias MKGeocodingRequest = GeocodingRequest
/// `ReverseGeocodingRequest` here.
@available(*, unavailable, renamed: "ReverseGeocodingRequest")
public typealias MKReverseGeocodingRequest = ReverseGeocodingRequest
/// `Address` here.
@available(*, unavailable, renamed: "Address")
public typealias MKAddress = Address
/// `AddressRepresentations` here.
@available(*, unavailable, renamed: "AddressRepresentations")
public typealias MKAddressRepresentations = AddressRepresentations
/// `DistanceFormatter` here.
@available(*, unavailable, renamed: "DistanceFormatter")
public typealias MKDistanceFormatter = DistanceFormatter
/// `FeatureDisplayPriority` here.
@available(*, unavailable, renamed: "FeatureDisplayPriority")
public typealias MKFeatureDisplayPriority = FeatureDisplayPriority
/// `AnnotationViewZPriority` here.
@available(*, unavailable, renamed: "AnnotationViewZPriority")
public typealias MKAnnotationViewZPriority = AnnotationViewZPriority
/// `LocalSearchCompleterDelegate` here.
@available(*, unavailable, renamed: "LocalSearchCompleterDelegate")
public typealias MKLocalSearchCompleterDelegate = LocalSearchCompleterDelegate
/// `TilePath` here.
@available(*, unavailable, renamed: "TilePath")
public typealias MKTileOverlayPath = TilePath
/// `Color` here.
@available(*, unavailable, renamed: "Color")
public typealias UIColor = Color
/// `Color` here.
@available(*, unavailable, renamed: "Color")
public typealias NSColor = Color
/// ``MapImage`` here.
@available(*, unavailable, message: "Use a MapImage of a PNG file, an SVG text or a Drawing")
public struct UIImage {
    /// The call that the message answers.
    public init?(named name: String) {}
}
/// ``MapImage`` here.
@available(*, unavailable, message: "Use a MapImage of a PNG file, an SVG text or a Drawing")
public struct NSImage {
    /// The call that the message answers.
    public init?(named name: String) {}
}
/// ``CalloutAccessory`` here.
@available(*, unavailable, message: "Use a CalloutAccessory, such as .detailDisclosure or .button(…)")
public struct UIButton {
    /// The kinds of buttons that callouts have.
    public enum ButtonType { case detailDisclosure, infoLight, infoDark, contactAdd, close, system, custom }

    /// The call that the message answers.
    public init(type: ButtonType) {}
}
/// A number here.
@available(*, unavailable, message: "One number of pixels is the padding of all edges")
public struct UIEdgeInsets {
    /// The call that the message answers.
    public init(top: Double, left: Double, bottom: Double, right: Double) {}
}
/// ``UserTrackingButton`` here.
@available(*, unavailable, message: "Add a UserTrackingButton with the placement .bar")
public struct MKUserTrackingBarButtonItem {
    /// The call that the message answers.
    public init(mapView: MapView?) {}
}
/// ``MapView/mapType`` here.
@available(*, unavailable, message: "Set mapType to .standard")
public struct MKStandardMapConfiguration {
    /// The call that the message answers.
    public init() {}
}
/// ``MapView/mapType`` here.
@available(*, unavailable, message: "Set mapType to .satellite")
public struct MKImageryMapConfiguration {
    /// The call that the message answers.
    public init() {}
}
/// ``MapView/mapType`` here.
@available(*, unavailable, message: "Set mapType to .hybrid")
public struct MKHybridMapConfiguration {
    /// The call that the message answers.
    public init() {}
}
/// No counterpart.
@available(*, unavailable, message: "Routes are the work of other programs")
public struct MKDirections {
    /// No counterpart.
    public struct Request {
        /// The call that the message answers.
        public init() {}
    }

    /// The call that the message answers.
    public init(request: Request) {}
}
/// No counterpart.
@available(*, unavailable, message: "Routes are the work of other programs")
public struct MKRoute {}
/// No counterpart.
@available(*, unavailable, message: "There are no pictures of streets")
public struct MKLookAroundScene {}
/// No counterpart.
@available(*, unavailable, message: "There are no pictures of streets")
public struct MKLookAroundSceneRequest {
    /// The call that the message answers.
    public init(coordinate: Coordinate?) {}
}
/// No counterpart.
@available(*, unavailable, message: "There are no pictures of streets")
public struct MKLookAroundSnapshotter {}
/// No counterpart.
@available(*, unavailable, message: "There are no pictures of streets")
public struct MKLookAroundViewController {}
/// No counterpart.
@available(*, unavailable, message: "A SearchField makes the icons of the map clickable")
public struct MKMapFeatureAnnotation {}
/// No counterpart.
@available(*, unavailable, message: "Use a PointAnnotation at the place")
public struct MKMapItemAnnotation {}
/// No counterpart.
@available(*, unavailable, message: "The page has a place's details itself")
public struct MKMapItemDetailViewController {}
/// No counterpart.
@available(*, unavailable, message: "The page has a place's details itself")
public struct MKSelectionAccessory {}
/// No counterpart.
@available(*, unavailable, message: "Places have no identifiers that outlast their data")
public struct MKMapItemRequest {}
/// No counterpart.
@available(*, unavailable, message: "Completions are of all parts of addresses")
public struct MKAddressFilter {}
/// No counterpart.
@available(*, unavailable, message: "Polyline and Polygon have their points")
public struct MKMultiPoint {}
/// No counterpart.
@available(*, unavailable, message: "The user's dot is not a view of the program")
public struct MKUserLocationView {}
/// `MapType` here.
@available(*, unavailable, renamed: "MapType")
public typealias MKMapConfiguration = MapType
/// `Geocoder` here.
@available(*, unavailable, renamed: "Geocoder")
public typealias MKReverseGeocoder = Geocoder
/// `MapLoadingError` here.
@available(*, unavailable, renamed: "MapLoadingError")
public typealias MKError = MapLoadingError

/// No counterpart.
@available(*, unavailable, message: "There are no pictures of streets")
public struct LookAroundPreview {
    /// The call that the message answers.
    public init(initialScene: Any?) {}
}
/// ``MapCircle`` and ``OverlayPathRenderer`` here.
@available(*, unavailable, message: "Return an OverlayPathRenderer from mapView(_:rendererFor:)")
public struct MKCircleView {}
/// ``OverlayPathRenderer`` here.
@available(*, unavailable, message: "Return an OverlayPathRenderer from mapView(_:rendererFor:)")
public struct MKPolylineView {}
/// ``OverlayPathRenderer`` here.
@available(*, unavailable, message: "Return an OverlayPathRenderer from mapView(_:rendererFor:)")
public struct MKPolygonView {}
/// ``OverlayRenderer`` here.
@available(*, unavailable, message: "Return an OverlayRenderer from mapView(_:rendererFor:)")
public struct MKOverlayView {}
/// ``PinAnnotationView/pinTintColor`` here.
@available(*, unavailable, message: "Set pinTintColor to a Color")
public struct MKPinAnnotationColor {
    /// The call that the message answers.
    public init?(rawValue: Int) {}
}
/// No counterpart.
@available(*, unavailable, message: "Set the PointOfInterestFilter of the map")
public struct MKMapFeatureOptions {}

// MARK: Functions

/// `CoordinateRegion(center:latitudinalMeters:longitudinalMeters:)` here.
@available(*, unavailable, renamed: "CoordinateRegion(center:latitudinalMeters:longitudinalMeters:)")
public func MKCoordinateRegionMakeWithDistance(
    _ center: Coordinate, _ latitudinalMeters: Double, _ longitudinalMeters: Double
) -> CoordinateRegion {
    CoordinateRegion(center: center, latitudinalMeters: latitudinalMeters, longitudinalMeters: longitudinalMeters)
}

// MARK: Constants

/// `MapPoint.distance(to:)` here.
@available(*, unavailable, message: "Use point.distance(to: other)")
public func MKMetersBetweenMapPoints(_ a: MapPoint, _ b: MapPoint) -> LocationDistance { a.distance(to: b) }
/// `Coordinate.metersPerMapPoint(atLatitude:)` here.
@available(*, unavailable, renamed: "Coordinate.metersPerMapPoint(atLatitude:)")
public func MKMetersPerMapPointAtLatitude(_ latitude: LocationDegrees) -> LocationDistance {
    Coordinate.metersPerMapPoint(atLatitude: latitude)
}
/// `Coordinate.mapPointsPerMeter(atLatitude:)` here.
@available(*, unavailable, renamed: "Coordinate.mapPointsPerMeter(atLatitude:)")
public func MKMapPointsPerMeterAtLatitude(_ latitude: LocationDegrees) -> Double {
    Coordinate.mapPointsPerMeter(atLatitude: latitude)
}
/// `LocalPointsOfInterestRequest.maximumRadius` here.
@available(*, unavailable, renamed: "LocalPointsOfInterestRequest.maximumRadius")
public var MKPointsOfInterestRequestMaxRadius: LocationDistance { LocalPointsOfInterestRequest.maximumRadius }
/// `PointAnnotation` and the overlays here.
@available(*, unavailable, message: "PointAnnotation and the overlays have title and subtitle themselves")
public class MKShape {
    /// The call that the message answers.
    public init() {}
}
/// `MapViewDefaultAnnotationViewReuseIdentifier` here.
@available(*, unavailable, renamed: "MapViewDefaultAnnotationViewReuseIdentifier")
public var MKMapViewDefaultAnnotationViewReuseIdentifier: String { MapViewDefaultAnnotationViewReuseIdentifier }
/// `MapViewDefaultClusterAnnotationViewReuseIdentifier` here.
@available(*, unavailable, renamed: "MapViewDefaultClusterAnnotationViewReuseIdentifier")
public var MKMapViewDefaultClusterAnnotationViewReuseIdentifier: String {
    MapViewDefaultClusterAnnotationViewReuseIdentifier
}

// MARK: Members

extension MapView {
    /// A map without a frame here: it fills its page.
    @available(*, unavailable, message: "Create it by MapView(): it fills its page")
    public convenience init(frame: Any) { self.init() }
    /// No counterpart.
    @available(*, unavailable, message: "Places of the map cannot be selected by a program; SearchField finds them")
    public var selectableMapFeatures: [PointOfInterestCategory] {
        get { [] }
        set {}
    }
}

extension PinAnnotationView {
    /// ``pinTintColor`` here.
    @available(*, unavailable, renamed: "pinTintColor")
    public var pinColor: Color? {
        get { nil }
        set {}
    }
}

extension Marker {
    /// A marker with an image here.
    @available(*, unavailable, message: "There are no symbols of the system: use image: with a MapImage, or monogram:")
    public init(_ title: String, systemImage: String, coordinate: Coordinate) {
        self.init(title, coordinate: coordinate)
    }
}

extension MapItem {
    /// A `geo:` link here.
    @available(*, unavailable, message: "Open a geo: link, such as by xdg-open geo:52.52,13.405")
    public func openInMaps() {}
    /// A `geo:` link here.
    @available(*, unavailable, message: "Open a geo: link, such as by xdg-open geo:52.52,13.405")
    public static func openMaps(with mapItems: [MapItem]) {}
}

extension MapView {
    /// No counterpart.
    @available(*, unavailable, message: "There is no source of traffic")
    public var showsTraffic: Bool {
        get { false }
        set {}
    }
    /// ``mapType`` here.
    @available(*, unavailable, message: "Use mapType")
    public var preferredConfiguration: MapType {
        get { mapType }
        set {}
    }
}

extension MapView {
    /// ``addControl(_:)`` here.
    @available(*, unavailable, renamed: "addControl(_:)")
    public func addSubview(_ control: MapControl) {}
    /// No counterpart.
    @available(*, unavailable, message: "Buildings are shown where the data have them")
    public var showsBuildings: Bool {
        get { true }
        set {}
    }
    /// ``pointOfInterestFilter`` here.
    @available(*, unavailable, message: "Use pointOfInterestFilter")
    public var showsPointsOfInterest: Bool {
        get { true }
        set {}
    }
    /// The four properties here.
    @available(
        *, unavailable, message: "Use isZoomEnabled, isScrollEnabled, isRotateEnabled and isPitchEnabled"
    )
    public var isUserInteractionEnabled: Bool {
        get { true }
        set {}
    }
}

extension MapType {
    /// ``standard`` here.
    @available(*, unavailable, message: "Use standard; a pointOfInterestFilter leaves points of interest out")
    public static var mutedStandard: MapType { .standard }
    /// ``satellite`` here.
    @available(*, unavailable, renamed: "satellite")
    public static var satelliteFlyover: MapType { .satellite }
    /// ``hybrid`` here.
    @available(*, unavailable, renamed: "hybrid")
    public static var hybridFlyover: MapType { .hybrid }
}

extension TileOverlay {
    /// ``loadTile(at:)`` here.
    @available(*, unavailable, message: "Override loadTile(at:): the page loads nothing from other hosts")
    public convenience init(urlTemplate: String?) { self.init() }
}

extension Color {
    /// No counterpart.
    @available(*, unavailable, message: "Use the Color itself")
    public var cgColor: Color { self }
    /// `withAlpha(_:)` here.
    @available(*, unavailable, renamed: "withAlpha(_:)")
    public func withAlphaComponent(_ alpha: Double) -> Color { withAlpha(alpha) }
    /// `red` here.
    @available(*, unavailable, renamed: "red")
    public static var systemRed: Color { .red }
    /// `orange` here.
    @available(*, unavailable, renamed: "orange")
    public static var systemOrange: Color { .orange }
    /// `yellow` here.
    @available(*, unavailable, renamed: "yellow")
    public static var systemYellow: Color { .yellow }
    /// `green` here.
    @available(*, unavailable, renamed: "green")
    public static var systemGreen: Color { .green }
    /// `mint` here.
    @available(*, unavailable, renamed: "mint")
    public static var systemMint: Color { .mint }
    /// `teal` here.
    @available(*, unavailable, renamed: "teal")
    public static var systemTeal: Color { .teal }
    /// `cyan` here.
    @available(*, unavailable, renamed: "cyan")
    public static var systemCyan: Color { .cyan }
    /// `blue` here.
    @available(*, unavailable, renamed: "blue")
    public static var systemBlue: Color { .blue }
    /// `indigo` here.
    @available(*, unavailable, renamed: "indigo")
    public static var systemIndigo: Color { .indigo }
    /// `purple` here.
    @available(*, unavailable, renamed: "purple")
    public static var systemPurple: Color { .purple }
    /// `pink` here.
    @available(*, unavailable, renamed: "pink")
    public static var systemPink: Color { .pink }
    /// `brown` here.
    @available(*, unavailable, renamed: "brown")
    public static var systemBrown: Color { .brown }
    /// `gray` here.
    @available(*, unavailable, renamed: "gray")
    public static var systemGray: Color { .gray }
}
