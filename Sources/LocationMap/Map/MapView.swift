public import Logging
import MapTiles

/// A map that a program changes and listens to (MapKit's `MKMapView`), shown live in the pages that a ``MapServer`` serves.
///
/// All pages show the same map: the same part of the world, the same selection. The map takes its size and camera from the page
/// that a person used last; without a page it is 1024 by 768 pixels.
///
/// It belongs to the main actor, as MapKit's does: examples for iOS keep their shape, and neither a delegate nor a map needs
/// locks. A program without a user interface of its own has a main actor, too.
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

    private var presentation = MapPresentation() { didSet { changed(.map) } }
    var interaction = MapInteraction() { didSet { changed(.map) } }
    var cameraState = CameraState()
    let user = UserLayer()
    let annotationTable = AnnotationTable()
    var overlayTable = OverlayTable()
    let images = ImageStore()
    var controls: [MapControl] = []
    var tileSources: [any TileSource] = []
    let hub: PageHub
    let updates: PageUpdates

    /// A map of the world with a compass, which shows when the map is turned.
    ///
    /// - Parameter logger: Takes errors between the map and its pages.
    public init(logger: Logger = Logger(label: "org.locationd.map")) {
        hub = PageHub(logger: logger)
        updates = PageUpdates(hub: hub)
        controls = [CompassButton(mapView: self)]
        user.map = self
        annotationTable.map = self
        updates.map = self
        Self.register(self)
    }

    /// Sends parts of the state to the pages, with all else that changes until the main actor is free.
    func changed(_ parts: PageUpdates.Parts) { updates.add(parts) }
}

// What is shown, and what a person may do.

extension MapView {
    /// The type of the map. Annotations and overlays stay when it changes.
    public var mapType: MapType {
        get { presentation.type }
        set { presentation.type = newValue }
    }

    /// Light or dark; by default as the reader's system.
    public var appearance: MapAppearance {
        get { presentation.appearance }
        set { presentation.appearance = newValue }
    }

    /// The title of the page. Default “Map”.
    public var title: String {
        get { presentation.title }
        set { presentation.title = newValue }
    }

    /// Further items of the map's context menu, such as “Add a pin”:
    /// ``MapViewDelegate/mapView(_:didChoose:at:)``.
    public var menuItems: [String] {
        get { presentation.menuItems }
        set { presentation.menuItems = newValue }
    }

    /// True if a person may show more or less of the world. Default true.
    public var isZoomEnabled: Bool {
        get { interaction.isZoomEnabled }
        set { interaction.isZoomEnabled = newValue }
    }

    /// True if a person may move the map. Default true.
    public var isScrollEnabled: Bool {
        get { interaction.isScrollEnabled }
        set { interaction.isScrollEnabled = newValue }
    }

    /// True if a person may turn the map. Default true.
    public var isRotateEnabled: Bool {
        get { interaction.isRotateEnabled }
        set { interaction.isRotateEnabled = newValue }
    }

    /// True if a person may tilt the map. Default true.
    public var isPitchEnabled: Bool {
        get { interaction.isPitchEnabled }
        set { interaction.isPitchEnabled = newValue }
    }

    /// True if the page keeps the visible region in its address, so that a bookmark or a new tab shows it again. Default false.
    public var followsAddress: Bool {
        get { interaction.followsAddress }
        set { interaction.followsAddress = newValue }
    }

    /// True if selecting a cluster shows its members. MapKit leaves that to the program. Default true.
    public var zoomsToSelectedCluster: Bool {
        get { interaction.zoomsToSelectedCluster }
        set { interaction.zoomsToSelectedCluster = newValue }
    }
}
