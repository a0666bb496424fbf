import MapData
public import LocationClient
public import Logging
import LocationModel
import MapModel
import NIOCore

/// A map that a program changes and listens to (MapKit's `MKMapView`), shown live in the pages that a ``MapServer`` serves.
///
/// All pages show the same map: the same part of the world, the same selection. The map is what the page is that was used
/// last, as large and where that is; without a page it is 1024 by 768 pixels.
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
    /// Whom the map asks and tells.
    public weak var delegate: (any MapViewDelegate)?

    // MARK: What is shown

    /// The type of the map. Annotations and overlays stay when it changes.
    public var mapType = MapType.standard { didSet { changed(.map) } }
    /// Whether it is light or dark; by default as the reader's system.
    public var appearance = MapAppearance.system { didSet { changed(.map) } }
    /// The title of the page.
    public var title = "Map" { didSet { changed(.map) } }
    /// Further items of the map's context menu, such as “Add a pin”:
    /// ``MapViewDelegate/mapView(_:didChoose:at:)``.
    public var menuItems: [String] = [] { didSet { changed(.map) } }

    // MARK: What a person may do

    /// Whether a person may show more or less of the world.
    public var isZoomEnabled = true { didSet { changed(.map) } }
    /// Whether a person may move the map.
    public var isScrollEnabled = true { didSet { changed(.map) } }
    /// Whether a person may turn the map.
    public var isRotateEnabled = true { didSet { changed(.map) } }
    /// Whether a person may tilt the map.
    public var isPitchEnabled = true { didSet { changed(.map) } }
    /// Whether the page keeps what is visible in its address, so that a bookmark or a new tab shows it again.
    public var followsAddress = false { didSet { changed(.map) } }
    /// Whether selecting a cluster shows its members more closely. MapKit leaves that to the program.
    public var zoomsToSelectedCluster = true

    // MARK: The user

    /// Whether the map shows where the user is, once the program may know: see
    /// `LocationManager.requestWhenInUseAuthorization()`. If nobody has decided yet, the user is asked.
    public var showsUserLocation = false { didSet { if showsUserLocation != oldValue { showsUserLocationChanged() } } }
    /// Where the user is.
    public let userLocation = UserLocation()
    /// Where the map asks. Set it before ``showsUserLocation``.
    public var locationManager = LocationManager()
    /// The question whether the program may know is answered in the page, unless an agent shows it. For that the program must
    /// be one of the service's `Agents` (see locationd.plist(5)); else the question waits for `locationctl prompts`.
    public var answersPrompts = true

    // MARK: State

    /// Where the map is looked at from.
    struct Look: Hashable {
        var center = MapPoint(x: MapSize.world.width / 2, y: MapSize.world.height * 0.4)
        var zoom = 1.5
        var heading = 0.0
        var pitch = 0.0
    }

    /// The region that the program wants to be visible, whatever the size of a page.
    enum Wish {
        case rect(MapRect, padding: Double)
        case camera(MapCamera)
    }

    var look = Look()
    /// Where the map is on its way to.
    var destination: (look: Look, sequence: Int)?
    /// Until a person moves the map.
    var wish: Wish?
    var lastSequence = 0
    var viewport = Viewport(width: 1024, height: 768)
    /// The page that was used last.
    var leader: String?
    /// A person moves the map.
    var isBeingMoved = false

    var tracking = UserTracking()
    var trackingAnnouncement: String?
    var feed: UserFeed?
    var userView: AnnotationView?
    var hasOwnUserView = false
    var isAccuracyLimited = false
    var wireUser = WireUser(status: .off, title: "My Location")
    var prompts: [AgentPrompt] = []

    let annotationTable = AnnotationTable()
    let images = ImageStore()
    var overlayTable = OverlayTable()
    var controls: [MapControl] = []
    var tileSources: [any TileSource] = []

    let logger: Logger
    let hub: PageHub
    var dirty: Parts = []
    private var isFlushScheduled = false
    var idleWaiters: [IdleWaiter] = []
    /// Of the last event that moved the pages.
    var cameraRevision = 0
    var onHandled: ((Double) -> Void)?

    /// A map of the world with a compass, which shows when the map is turned.
    ///
    /// - Parameter logger: Told of what goes wrong between the map and its pages.
    public init(logger: Logger = Logger(label: "org.locationd.map")) {
        self.logger = logger
        hub = PageHub(logger: logger)
        controls = [CompassButton(mapView: self)]
        annotationTable.map = self
        Self.register(self)
    }

    isolated deinit {
        feed?.stop()
        endWaiting()
    }

    // MARK: Telling the pages

    /// The parts of the state that are sent anew when they have changed.
    struct Parts: OptionSet {
        var rawValue: Int
        static let map = Parts(rawValue: 1)
        static let controls = Parts(rawValue: 2)
        static let overlays = Parts(rawValue: 4)
        static let views = Parts(rawValue: 8)
        static let user = Parts(rawValue: 16)
        static let tracking = Parts(rawValue: 32)
        static let selected = Parts(rawValue: 64)
        static let prompt = Parts(rawValue: 128)
    }

    /// The pages are told with all else that changes until the main actor is free.
    func changed(_ parts: Parts) {
        dirty.formUnion(parts)
        guard !hub.isEmpty else { return overlayTable.forgetChanges() }
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        // A task of its own, so that a loop over 100,000 annotations tells the pages once.
        Task {
            isFlushScheduled = false
            flush()
        }
    }

    /// Tells the pages what has changed.
    func flush() {
        guard !hub.isEmpty else { return }
        let parts = dirty
        dirty = []
        if parts.contains(.map) { hub.broadcast(.map, wireMap) }
        if parts.contains(.controls) { hub.broadcast(.controls, ["controls": wireControls]) }
        if parts.contains(.overlays) {
            let changes = overlayTable.takeChanges(of: self)
            if !changes.isEmpty { hub.broadcast(.overlays, changes) }
        }
        if parts.contains(.views) {
            let changes = annotationTable.update()
            if !changes.isEmpty { hub.broadcast(.views, changes) }
        }
        if parts.contains(.selected) { hub.broadcast(.selected, Optionals(selected: annotationTable.wireSelection)) }
        if parts.contains(.tracking) { hub.broadcast(.tracking, wireTracking) }
        if parts.contains(.user) { hub.broadcast(.user, wireUser) }
        if parts.contains(.prompt) {
            let prompt: WirePrompt? = prompts.first?.wire
            hub.broadcast(.prompt, Optionals(prompt: .some(prompt)))
        }
    }

    /// Objects with one member, which may be null.
    private struct Optionals: Encodable {
        var selected: WireSelection??
        var prompt: WirePrompt??

        private enum Keys: String, CodingKey { case selected, prompt }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Keys.self)
            if let selected { try object.encode(selected, forKey: .selected) }
            if let prompt { try object.encode(prompt, forKey: .prompt) }
        }
    }

    /// All of it, for a page that has just come or has fallen behind.
    func state(for page: Page) throws -> ByteBuffer {
        // The other pages get their pending changes now, so that nothing is sent twice.
        flush()
        let state = WireState(
            page: page.id, revision: hub.revision, map: wireMap, camera: wireCamera(animated: false),
            controls: wireControls, user: wireUser, tracking: wireTracking,
            sources: tileSources.map(\.description).filter { !$0.isEmpty }.map(WireSource.init),
            overlays: overlayTable.wire(of: self),
            views: annotationTable.wireViews, selected: annotationTable.wireSelection, prompt: prompts.first?.wire)
        return try WireEvent.encode(.state, state, revision: hub.revision)
    }

    var wireMap: WireMap {
        WireMap(
            type: mapType, title: title, menuItems: menuItems, isZoomEnabled: isZoomEnabled,
            isScrollEnabled: isScrollEnabled, isRotateEnabled: isRotateEnabled, isPitchEnabled: isPitchEnabled,
            appearance: appearance, showsUserLocation: showsUserLocation,
            offersTypes: controls.contains { $0.kind == .mapType }, minimumZoom: Self.zoomLimits.lowerBound,
            maximumZoom: Self.zoomLimits.upperBound, followsAddress: followsAddress)
    }
}
