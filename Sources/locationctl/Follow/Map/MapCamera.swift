import Glibc
import LocationModel

/// What part of the ground a map shows: where it looks, which way up, and how much of it.
struct MapCamera: Hashable, Sendable {
    /// What is in the middle.
    private(set) var centre: Coordinate
    /// The direction that is up, in degrees clockwise from true north.
    var bearing = 0.0
    /// How much ground the shorter side shows, in metres.
    private(set) var span: Double
    /// The plane that the map is drawn on. It stays while the centre moves, so that what is drawn moves as a whole and
    /// does not dance from dot to dot.
    private(set) var plane: TangentPlane

    /// The least and the most ground to be shown, in metres.
    static let spans = 10.0...1e6

    /// A camera with north up.
    init(centre: Coordinate, span: Double) {
        self.centre = centre
        self.span = min(max(span, Self.spans.lowerBound), Self.spans.upperBound)
        plane = TangentPlane(at: centre)
    }

    /// Looks elsewhere.
    mutating func move(to centre: Coordinate) {
        self.centre = centre
        // North on the plane is that of its origin: from where it differs by a degree or so, a new one is due.
        let far = min(40 * span, 100_000 * max(0.01, cos(centre.latitude.radians)))
        if let place = plane.metres(of: centre), hypot(place.east, place.north) < far { return }
        plane = TangentPlane(at: centre)
    }

    /// Shows more or less of the ground, within what can be shown.
    mutating func zoom(to span: Double) {
        guard span.isFinite else { return }
        self.span = min(max(span, Self.spans.lowerBound), Self.spans.upperBound)
    }

    /// Looks further to the right and up, as the map is turned now, by a part of the span.
    mutating func pan(right: Double, up: Double) {
        let (sine, cosine) = (sin(bearing.radians), cos(bearing.radians))
        let plane = TangentPlane(at: centre)
        move(
            to: plane.coordinate(
                at: Metres(
                    east: (right * cosine + up * sine) * span, north: (up * cosine - right * sine) * span)))
    }
}
