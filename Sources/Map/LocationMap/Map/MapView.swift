public import Logging
import MapTiles
import PageServing

/// A map (MapKit's `MKMapView`), shown live in the pages of a ``MapServer``.
///
/// All pages show the same part of the world and the same selection. The map takes its size and camera from the page
/// that the user last interacted with; without a page it is 1024 by 768 pixels.
///
/// Use it on the main actor, as MapKit's; examples for iOS keep their shape. A program without a user interface of its
/// own has a main actor as well.
///
/// ```swift
/// let map = MapView()
/// map.addAnnotation(PointAnnotation(coordinate: harbour, title: "Harbour"))
/// map.setRegion(CoordinateRegion(center: harbour, latitudinalMeters: 2000, longitudinalMeters: 2000), animated: false)
/// try await MapServer(map).run { address in print(address) }
/// ```
@MainActor
open class MapView {
    /// The object that provides views and receives the map's events.
    public weak var delegate: (any MapViewDelegate)?

    /// The type of the map. Default standard. Annotations and overlays stay when it changes.
    public var mapType = MapType.standard { didSet { changed(.map) } }
    /// The appearance, light or dark. Default: that of the user's system.
    public var appearance = MapAppearance.system { didSet { changed(.map) } }
    /// The title of the page. Default “Map”.
    public var title = "Map" { didSet { changed(.map) } }
    /// Additional items of the map's context menu, such as “Add a pin”, reported by
    /// ``MapViewDelegate/mapView(_:didChoose:at:)``. Default none.
    public var menuItems: [String] = [] { didSet { changed(.map) } }
    /// The points of interest that the map shows; `nil`, the default, for all.
    public var pointOfInterestFilter: PointOfInterestFilter? { didSet { changed(.map) } }

    /// True if the user can zoom the map. Default true.
    public var isZoomEnabled = true { didSet { changed(.map) } }
    /// True if the user can pan the map. Default true.
    public var isScrollEnabled = true { didSet { changed(.map) } }
    /// True if the user can rotate the map. Default true.
    public var isRotateEnabled = true { didSet { changed(.map) } }
    /// True if the user can tilt the map. Default true.
    public var isPitchEnabled = true { didSet { changed(.map) } }
    /// True if the page keeps the visible region in its address, so that a bookmark or a new tab shows it again.
    /// Default false.
    public var followsAddress = false { didSet { changed(.map) } }
    /// True if a click on a cluster zooms to its members or, if no zoom separates them, lists them in a callout. Default
    /// true. In MapKit the program does this.
    public var zoomsToSelectedCluster = true { didSet { changed(.map) } }

    var cameraState = CameraState()
    var loading = LoadingState()
    let user = UserLayer()
    let annotationTable = AnnotationTable()
    var overlayTable = OverlayTable()
    let declared = DeclaredMap()
    let images = ImageStore()
    /// The controls that the program has added.
    var controls: [MapControl] = []
    /// The controls of the map itself.
    var ownControls: Set<MapControl.Kind> = [.compass]
    var tileSources: [any TileSource] = []
    /// The places that the user has saved, which the pages show and change; `nil`, the default, for none.
    public var savedPlaces: SavedPlaces? { didSet { changed(.saved) } }
    /// The regions, which the pages list, add and remove; `nil`, the default, to leave them to `locationctl map`.
    public var regionLibrary: RegionLibrary? {
        didSet {
            regionLibrary?.map = self
            changed(.regions)
        }
    }
    /// The vehicles of a broker, beside the program's annotations; `nil`, the default, for none.
    package var fleet: FleetLayer? { didSet { fleet?.map = self } }
    let hub: PageHub
    let updates: PageUpdates

    /// Creates a map of the world with a compass.
    ///
    /// - Parameter logger: The logger for errors between the map and its pages.
    public init(logger: Logger = Logger(label: "org.locationd.map")) {
        hub = PageHub(logger: logger)
        updates = PageUpdates(hub: hub)
        user.map = self
        annotationTable.map = self
        updates.map = self
        Self.register(self)
    }

    /// Sends parts of the state to the pages, together with further changes until the main actor is free.
    func changed(_ parts: PageUpdates.Parts) { updates.add(parts) }
}

// Gestures.

extension MapView {
    func allows(_ gesture: PageMessage.Gesture) -> Bool {
        switch gesture {
        case .pan: isScrollEnabled
        case .zoom: isZoomEnabled
        case .rotate: isRotateEnabled
        case .pitch: isPitchEnabled
        }
    }

    /// True if a page's camera may move the map. A static map stays in place, whatever a page posts.
    ///
    /// If any gesture is enabled the whole camera is accepted, because zooming towards the pointer moves the centre as
    /// well.
    func allows(_ cause: PageMessage.Camera.Cause) -> Bool {
        switch cause {
        case .gesture, .control: isZoomEnabled || isScrollEnabled || isRotateEnabled || isPitchEnabled
        case .address: followsAddress
        case .program, .tracking: true
        }
    }
}
