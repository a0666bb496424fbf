import LocationModel
import MapModel

/// The camera of a map, moved by the program, by the pages and by tracking: a state machine without effects.
///
/// The map has the size of the active page, the one that the user last interacted with.
struct CameraState {
    /// A position of the camera.
    struct Viewpoint: Hashable {
        var center = MapPoint(x: MapSize.world.width / 2, y: MapSize.world.height * 0.4)
        var zoom = 1.5
        var heading = 0.0
        var pitch = 0.0
    }

    /// The part of the world that the program shows on pages of every size, until the user moves the map.
    enum Framing {
        case rect(MapRect, padding: Double)
        case camera(MapCamera)
    }

    /// The consequence of a camera reported by a page.
    enum Reception {
        /// The page is inactive, or has not applied the last move yet.
        case ignored
        /// The program's move is complete.
        case arrived
        /// The page's camera becomes the map's.
        case accepted
    }

    /// The zooms of the renderer, which a range of distances restricts.
    private static let zooms = 0.0...22.0

    /// The range of the camera's distance; `nil` for no restriction.
    var zoomRange: MapView.CameraZoomRange?
    /// The area of the centre; `nil` for no restriction.
    var boundary: MapView.CameraBoundary?
    private(set) var viewpoint = Viewpoint()
    /// The animated move in progress. The page reports its end with the number.
    private var move: (target: Viewpoint, sequence: Int)?
    private var lastSequence = 0
    private(set) var framing: Framing?
    private(set) var viewport = Viewport(width: 1024, height: 768)
    private var activePage: String?
    /// True while the user or the tracking of a page moves the map.
    private(set) var isMovedByPage = false

    /// The position of the camera, or its target while it moves.
    var target: Viewpoint { move?.target ?? viewpoint }

    var isMoving: Bool { move != nil }

    // MARK: The program

    /// Sets the framing, and returns the viewpoint for it.
    mutating func frame(_ framing: Framing) -> Viewpoint {
        self.framing = framing
        return viewpoint(for: framing)
    }

    /// Ends the framing, because the map follows the user or the user has moved it.
    mutating func releaseFraming() { framing = nil }

    /// Moves to a viewpoint, at once or, if animated, until ``arrive()``.
    mutating func move(to new: Viewpoint, animated: Bool) {
        if animated {
            lastSequence += 1
            move = (new, lastSequence)
        } else {
            viewpoint = new
        }
    }

    /// Ends the animated move at its target. Returns false if there is none.
    mutating func arrive() -> Bool {
        guard let move else { return false }
        viewpoint = move.target
        self.move = nil
        return true
    }

    /// Centres a map without pages. Pages follow the user themselves.
    mutating func center(on point: MapPoint) { viewpoint.center = point }

    // MARK: Pages

    /// Makes a page the active one, because the user interacts with it.
    mutating func activate(_ page: String) { activePage = page }

    /// Sets the map's size to that of a page. Returns false if nothing changes.
    mutating func resize(to size: Viewport, by page: String) -> Bool {
        if activePage == nil { activePage = page }
        guard activePage == page, size != viewport else { return false }
        viewport = size
        return true
    }

    /// Decides the consequence of a page's camera.
    mutating func receive(_ camera: PageMessage.Camera, from page: String) -> Reception {
        // The end of a gesture whose effect a move of the program has replaced.
        if camera.cause == .gesture, !camera.isMoving, !isMovedByPage { return .ignored }
        if camera.cause.isPerson {
            activePage = page
            framing = nil
        }
        guard activePage == page else { return .ignored }
        guard let move else { return .accepted }
        guard camera.cause == .program else {
            self.move = nil
            return .accepted
        }
        // The report belongs to an earlier move, or to the end of the program's own.
        guard camera.sequence == nil || camera.sequence == move.sequence else { return .ignored }
        return camera.isMoving ? .accepted : .arrived
    }

    /// Sets the map's camera to that of a page.
    mutating func accept(_ camera: PageMessage.Camera) {
        viewpoint = constrained(
            Viewpoint(
                center: MapPoint(camera.center.coordinate), zoom: camera.zoom, heading: camera.heading,
                pitch: camera.pitch))
        if camera.cause != .program { isMovedByPage = camera.isMoving }
    }

    /// Ends a page's move. Returns false if there is none.
    mutating func endPageMove() -> Bool {
        defer { isMovedByPage = false }
        return isMovedByPage
    }

    /// Replaces a closed page as the active one. Returns false if it was inactive.
    mutating func deactivate(_ page: String, next: String?) -> Bool {
        guard activePage == page else { return false }
        activePage = next
        return true
    }

    // MARK: Geometry

    /// The camera at the target.
    var camera: MapCamera {
        MapCamera(
            center: target.center.coordinate, zoom: target.zoom, pitch: target.pitch, heading: target.heading,
            in: viewport)
    }

    /// The visible rectangle at the target, without pitch and with north up.
    var northUpRect: MapRect { viewport.mapRect(center: target.center, zoom: target.zoom) }

    /// The relation between the ground and the page at the target.
    var perspective: Perspective {
        Perspective(
            viewport, center: target.center, zoom: target.zoom, heading: target.heading, pitch: target.pitch)
    }

    /// Returns the smallest upright rectangle around the visible part of the map at a viewpoint.
    func visibleRect(from viewpoint: Viewpoint) -> MapRect {
        viewport.mapRect(
            center: viewpoint.center, zoom: viewpoint.zoom, heading: viewpoint.heading, pitch: viewpoint.pitch)
    }

    /// The zooms within the range of distances, at the latitude of the target. To a hundredth, so that they stay the
    /// same while the map moves a little.
    var zoomLimits: ClosedRange<Double> { zoomLimits(at: target.center) }

    private func zoomLimits(at center: MapPoint) -> ClosedRange<Double> {
        func zoom(at distance: Double) -> Double {
            let camera = MapCamera(
                lookingAtCenter: center.coordinate, fromDistance: distance, pitch: 0, heading: 0)
            return (camera.zoom(in: viewport, limits: Self.zooms) * 100).rounded() / 100
        }
        let lower = zoomRange?.maxCenterCoordinateDistance.map(zoom(at:)) ?? Self.zooms.lowerBound
        let upper = zoomRange?.minCenterCoordinateDistance.map(zoom(at:)) ?? Self.zooms.upperBound
        return lower...max(lower, upper)
    }

    /// Returns `viewpoint`, moved into the boundary and the range of distances.
    func constrained(_ viewpoint: Viewpoint) -> Viewpoint {
        var viewpoint = viewpoint
        if let boundary { viewpoint.center = boundary.nearest(to: viewpoint.center) }
        let limits = zoomLimits(at: viewpoint.center)
        viewpoint.zoom = min(max(viewpoint.zoom, limits.lowerBound), limits.upperBound)
        return viewpoint
    }

    /// Returns the viewpoint that shows a framing in the present viewport, as far as it is allowed.
    func viewpoint(for framing: Framing) -> Viewpoint { constrained(unconstrainedViewpoint(for: framing)) }

    private func unconstrainedViewpoint(for framing: Framing) -> Viewpoint {
        switch framing {
        case .camera(let camera):
            return Viewpoint(
                center: MapPoint(camera.centerCoordinate), zoom: camera.zoom(in: viewport, limits: Self.zooms),
                heading: camera.heading, pitch: min(max(camera.pitch, 0), 60))
        case .rect(let rect, let padding):
            guard !rect.isNull else { return target }
            let zoom = viewport.zoom(fitting: rect, padding: padding, limits: Self.zooms)
            // A place without extent would be shown at the closest zoom, which is of no use.
            return Viewpoint(center: rect.center, zoom: rect.isEmpty ? min(zoom, 16) : zoom, heading: 0, pitch: 0)
        }
    }

    func wire(animated: Bool, of page: String? = nil) -> WireCamera {
        let viewpoint = animated ? target : viewpoint
        return WireCamera(
            center: WirePosition(viewpoint.center.wrapped), zoom: viewpoint.zoom, heading: viewpoint.heading,
            pitch: viewpoint.pitch, animated: animated, sequence: animated ? move?.sequence : nil, page: page)
    }
}

extension PageMessage.Camera.Cause {
    /// True if the user has moved the camera.
    var isPerson: Bool {
        switch self {
        case .gesture, .control, .address: true
        case .program, .tracking: false
        }
    }
}
