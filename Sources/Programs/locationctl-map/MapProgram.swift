import CommandLineSupport
import LocationClient
import LocationMap
import LocationTracks
import MapModel
import PlaceSearch

/// The map of `locationctl map`: the user's location, its trail, and tracks from files.
@MainActor
final class MapProgram: MapViewDelegate {
    let map = MapView()
    private let recording: TrackRecording?
    private let feed: FleetFeedProcess?
    private let notices = FleetNotices()
    private let mode: UserTracking.Mode?
    private var trail = Trail()
    private var way: Polyline?
    private let start = ContinuousClock.now
    private var lastProblem: String?

    /// Creates a map of `tracks`, named by their files, and of `places`.
    init(
        manager: LocationManager, tracks: [(file: String, track: Track)], places: [MapLink], mode: UserTracking.Mode?,
        recording: TrackRecording?, feed: FleetFeedProcess?, recorded: RecordedDays? = nil
    ) {
        (self.mode, self.feed) = (mode, feed)
        self.recording = recording
        map.delegate = self
        map.locationManager = manager
        map.title = "Map"
        map.followsAddress = true
        let saved = SavedPlaces.standardPath.map(SavedPlaces.init(path:))
        saved?.fileReader = PlaceFile.read
        map.savedPlaces = saved
        map.regionLibrary = RegionLibrary(command: ["\(OwnExecutable.directory)/locationctl-map"])
        if feed != nil || recorded != nil {
            let fleet = FleetLayer(areas: FleetAreaFile.standardPath)
            fleet.onAlarms = { [notices] in notices.show($0) }
            fleet.isLive = feed != nil
            if let recorded { fleet.recording = { try await recorded.json(from: $0, to: $1) } }
            map.fleet = fleet
        }
        map.addControl(SearchField(mapView: map))
        map.addControl(MapTypeControl(mapView: map))
        map.addControl(UserTrackingButton(mapView: map))
        map.addControl(FullScreenControl(mapView: map))
        map.addControl(ZoomControl(mapView: map))
        map.addControl(ScaleView(mapView: map))
        map.register(
            MarkerAnnotationView.self,
            forAnnotationViewWithReuseIdentifier: MapViewDefaultClusterAnnotationViewReuseIdentifier)
        map.register(WaypointView.self, forAnnotationViewWithReuseIdentifier: WaypointView.identifier)
        for (index, (file, track)) in tracks.enumerated() { add(track, file: file, number: index) }
        for place in places { add(place) }
        if let place = places.first, places.count == 1, tracks.isEmpty { show(place) } else { showTracks() }
    }

    /// Serves the map until the program ends.
    func run(_ server: MapServer, _ serving: ServingOptions) async throws {
        map.showsUserLocation = true
        // Without tracks and vehicles the map follows the user; otherwise it shows them.
        if let mode = mode ?? (map.overlays.isEmpty && map.annotations.isEmpty && map.fleet == nil ? .follow : nil) {
            map.setUserTrackingMode(mode, animated: false)
        }
        defer {
            map.showsUserLocation = false
            map.regionLibrary?.cancel()
        }
        let manager = map.locationManager
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await server.run { serving.announce($0) }
            }
            if let recording {
                group.addTask {
                    try await recording.run(manager)
                    // Cancelled: the server ends as well.
                }
            }
            if let fleet = map.fleet {
                group.addTask { await fleet.run() }
                group.addTask { [notices] in await notices.run() }
                if let feed { group.addTask { try await feed.run { fleet.take($0) } } }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    // MARK: Tracks

    /// Colours that are distinguishable on light, dark and satellite maps.
    private static let colors: [Color] = [.purple, .orange, .green, .pink, .teal]
    private var colors: [ObjectIdentifier: Color] = [:]
    /// The waypoints of the files, by the files' lines.
    private var waypoints: [ObjectIdentifier: [Waypoint]] = [:]

    private func add(_ track: Track, file: String, number: Int) {
        let name = track.name ?? file.split(separator: "/").last.map(String.init) ?? file
        let places = track.waypoints.map { Waypoint($0, of: name) }
        let lines = track.segments.map { segment in Polyline(coordinates: segment.points.map(\.coordinate)) }
        if !lines.isEmpty {
            let overlay = MultiPolyline(lines)
            overlay.title = name
            overlay.profile = LineProfile(of: track)
            overlay.isRemovableByUser = true
            waypoints[ObjectIdentifier(overlay)] = places
            colors[ObjectIdentifier(overlay)] = Self.colors[number % Self.colors.count]
            map.addOverlay(overlay, level: .aboveRoads)
        }
        map.addAnnotations(places)
    }

    private func add(_ place: MapLink) {
        guard let coordinate = place.coordinate else { return }
        let words = [coordinate.latitude, coordinate.longitude].map { "\($0)" }.joined(separator: ", ")
        map.addAnnotation(
            PointAnnotation(
                coordinate: coordinate, title: place.name ?? words, subtitle: place.name == nil ? nil : words))
        if let radius = place.uncertainty, radius > 0 {
            map.addOverlay(Circle(center: coordinate, radius: radius), level: .aboveRoads)
        }
    }

    /// Shows a place at its zoom level, or its surroundings.
    private func show(_ place: MapLink) {
        guard let coordinate = place.coordinate else { return }
        let zoom = place.zoom ?? 16
        // A link's zoom counts tiles of 256 pixels, the map's of 512. The map has about 600 pixels.
        let metersPerPixel = Viewport.metersPerPixel(atZoom: zoom - 1, latitude: coordinate.latitude)
        let metres = max(600 * metersPerPixel, place.zoom == nil ? 3 * (place.uncertainty ?? 0) : 0)
        map.setRegion(
            CoordinateRegion(center: coordinate, latitudinalMeters: metres, longitudinalMeters: metres),
            animated: false)
    }

    private func showTracks() {
        var rect = MapRect(containing: map.annotations.map { MapPoint($0.coordinate) })
        for overlay in map.overlays { rect = rect.union(overlay.boundingMapRect) }
        guard !rect.isNull else { return }
        map.setVisibleMapRect(rect, edgePadding: 48, animated: false)
    }

    // MARK: Delegate

    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
        guard annotation is Waypoint else { return nil }
        return mapView.dequeueReusableAnnotationView(withIdentifier: WaypointView.identifier, for: annotation)
    }

    func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer {
        let renderer = OverlayPathRenderer(overlay: overlay)
        renderer.strokeColor = colors[ObjectIdentifier(overlay)] ?? .blue
        renderer.lineWidth = 4
        return renderer
    }

    func mapView(_ mapView: MapView, userDidRemove overlay: any Overlay) {
        if overlay === way { trail.interrupt() }
        let id = ObjectIdentifier(overlay)
        colors[id] = nil
        map.removeAnnotations(waypoints.removeValue(forKey: id) ?? [])
    }

    func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {
        guard let frame = userLocation.frame, !userLocation.isStale, !userLocation.isReduced else {
            return trail.interrupt()
        }
        lastProblem = nil
        let before = trail.points.last
        trail.add(frame.coordinate, accuracy: frame.horizontalAccuracy, at: start.duration(to: .now))
        guard let point = trail.points.last, point != before else { return }
        if let way, !point.isFirst { return way.append([point.coordinate]) }
        let way = Polyline(coordinates: [point.coordinate])
        // The page has it in its languages.
        way.title = "My Track"
        way.isRemovableByUser = true
        self.way = way
        map.addOverlay(way, level: .aboveRoads)
    }

    func mapView(_ mapView: MapView, didFailToLocateUserWithError error: any Error) {
        // The map tries again repeatedly; the error is printed once.
        let problem = "\(error)"
        guard lastProblem != problem else { return }
        lastProblem = problem
        Terminal.complain(problem.shown(limit: 4096))
    }
}

/// A waypoint of a file.
final class Waypoint: PointAnnotation {
    init(_ waypoint: Track.Waypoint, of track: String) {
        super.init(
            coordinate: waypoint.coordinate, title: waypoint.name ?? "Waypoint",
            subtitle: waypoint.details ?? track)
    }
}

/// The marker of a waypoint. Near ones form a cluster.
final class WaypointView: MarkerAnnotationView {
    static let identifier = "waypoint"

    required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
        // Darker than the system's orange, for a white glyph.
        markerTintColor = Color(red: 0.769, green: 0.329, blue: 0)
        clusteringIdentifier = Self.identifier
        canShowCallout = true
    }
}
