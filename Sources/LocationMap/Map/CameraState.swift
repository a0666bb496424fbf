import LocationModel
import MapModel

/// The camera of a map, which the program, the pages and the followed user move: a state machine without effects.
///
/// The map has the size of one page, the active one: the page that a person used last.
struct CameraState {
    /// A position of the camera.
    struct Viewpoint: Hashable {
        var center = MapPoint(x: MapSize.world.width / 2, y: MapSize.world.height * 0.4)
        var zoom = 1.5
        var heading = 0.0
        var pitch = 0.0
    }

    /// The part of the world that the program shows on pages of every size, until a person moves the map.
    enum Framing {
        case rect(MapRect, padding: Double)
        case camera(MapCamera)
    }

    /// The consequence of a camera that a page has posted.
    enum Reception {
        /// The page is not the active one, or has not seen the last move yet.
        case ignored
        /// The program's move has arrived.
        case arrived
        /// The page's camera is the map's from now on.
        case accepted
    }

    static let zoomLimits = 0.0...22.0

    private(set) var viewpoint = Viewpoint()
    /// The animated move under way. A page reports its arrival by the number.
    private var move: (target: Viewpoint, sequence: Int)?
    private var lastSequence = 0
    private(set) var framing: Framing?
    private(set) var viewport = Viewport(width: 1024, height: 768)
    private var activePage: String?
    /// True while a person moves the map.
    private(set) var isMovedByPerson = false

    /// The position of the camera, or the one that it is moving to.
    var target: Viewpoint { move?.target ?? viewpoint }

    var isMoving: Bool { move != nil }

    // MARK: The program

    /// Frames a part of the world from now on, and returns the viewpoint for it.
    mutating func frame(_ framing: Framing) -> Viewpoint {
        self.framing = framing
        return viewpoint(for: framing)
    }

    /// Releases the framing: the map follows the user, or a person has moved it.
    mutating func releaseFraming() { framing = nil }

    /// Moves to a viewpoint: at once, or animated until ``arrive()``.
    mutating func move(to new: Viewpoint, animated: Bool) {
        if animated {
            lastSequence += 1
            move = (new, lastSequence)
        } else {
            viewpoint = new
        }
    }

    /// Ends the animated move at its target. False if there is none.
    mutating func arrive() -> Bool {
        guard let move else { return false }
        viewpoint = move.target
        self.move = nil
        return true
    }

    /// Centres the map without pages, which otherwise follow the user themselves.
    mutating func center(on point: MapPoint) { viewpoint.center = point }

    // MARK: Pages

    /// Makes a page the active one, because a person uses it.
    mutating func activate(_ page: String) { activePage = page }

    /// Gives the map the size of a page. False if nothing changes.
    mutating func resize(to size: Viewport, by page: String) -> Bool {
        if activePage == nil { activePage = page }
        guard activePage == page, size != viewport else { return false }
        viewport = size
        return true
    }

    /// Decides whether a page's camera becomes the map's.
    mutating func receive(_ camera: PageMessage.Camera, from page: String) -> Reception {
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
        // Of an earlier move, or of the program's own move that has arrived.
        guard camera.sequence == nil || camera.sequence == move.sequence else { return .ignored }
        return camera.isMoving ? .accepted : .arrived
    }

    /// Takes the camera of a page as the map's.
    mutating func accept(_ camera: PageMessage.Camera) {
        viewpoint = Viewpoint(
            center: MapPoint(camera.center.coordinate), zoom: camera.zoom, heading: camera.heading, pitch: camera.pitch)
        if camera.cause.isPerson { isMovedByPerson = camera.isMoving }
    }

    /// Replaces a page that has gone. False if it was not the active one.
    mutating func deactivate(_ page: String, next: String?) -> Bool {
        guard activePage == page else { return false }
        activePage = next
        isMovedByPerson = false
        return true
    }

    // MARK: Geometry

    /// The camera at the target.
    var camera: MapCamera {
        MapCamera(
            center: target.center.coordinate, zoom: target.zoom, pitch: target.pitch, heading: target.heading,
            in: viewport)
    }

    /// The visible rectangle at the target with north up, seen from above.
    var northUpRect: MapRect { viewport.mapRect(center: target.center, zoom: target.zoom) }

    /// The smallest upright rectangle around what a viewpoint shows.
    func visibleRect(from viewpoint: Viewpoint) -> MapRect {
        viewport.mapRect(
            center: viewpoint.center, zoom: viewpoint.zoom, heading: viewpoint.heading, pitch: viewpoint.pitch)
    }

    /// The viewpoint that shows a part of the world in the present viewport.
    func viewpoint(for framing: Framing) -> Viewpoint {
        switch framing {
        case .camera(let camera):
            return Viewpoint(
                center: MapPoint(camera.centerCoordinate), zoom: camera.zoom(in: viewport, limits: Self.zoomLimits),
                heading: camera.heading, pitch: min(max(camera.pitch, 0), 60))
        case .rect(let rect, let padding):
            guard !rect.isNull else { return target }
            let zoom = viewport.zoom(fitting: rect, padding: padding, limits: Self.zoomLimits)
            // Nothing fills a place without extent; as close as that is of no use.
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
    /// True if a person has moved the camera.
    var isPerson: Bool {
        switch self {
        case .gesture, .control, .address: true
        case .program, .tracking: false
        }
    }
}
