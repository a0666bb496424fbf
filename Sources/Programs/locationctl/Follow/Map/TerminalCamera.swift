import Glibc
import LocationModel

/// The part of the ground that a map shows: centre, direction and span.
struct TerminalCamera: Hashable, Sendable {
    /// The position in the middle.
    private(set) var centre: Coordinate
    /// The direction that is up, in degrees clockwise from true north.
    var bearing = 0.0
    /// The metres of ground along the shorter side.
    private(set) var span: Double
    /// The plane that the map is drawn on. It stays while the centre moves, so that the picture moves as a whole and
    /// its dots do not jitter.
    private(set) var plane: TangentPlane

    /// The smallest and the largest span in metres.
    static let spans = 10.0...1e6

    /// A camera with north up.
    init(centre: Coordinate, span: Double) {
        self.centre = centre
        self.span = min(max(span, Self.spans.lowerBound), Self.spans.upperBound)
        plane = TangentPlane(at: centre)
    }

    mutating func move(to centre: Coordinate) {
        self.centre = centre
        // North on the plane is north at its origin. Where it differs by about a degree, a new plane is made.
        let far = min(40 * span, 100_000 * max(0.01, cos(centre.latitude.radians)))
        if let place = plane.metres(of: centre), hypot(place.east, place.north) < far { return }
        plane = TangentPlane(at: centre)
    }

    /// Changes the span, within its limits.
    mutating func zoom(to span: Double) {
        guard span.isFinite else { return }
        self.span = min(max(span, Self.spans.lowerBound), Self.spans.upperBound)
    }

    /// Moves the centre right and up on the screen, by a fraction of the span.
    mutating func pan(right: Double, up: Double) {
        let (sine, cosine) = (sin(bearing.radians), cos(bearing.radians))
        let plane = TangentPlane(at: centre)
        move(
            to: plane.coordinate(
                at: Metres(
                    east: (right * cosine + up * sine) * span, north: (up * cosine - right * sine) * span)))
    }
}
