import Glibc
import LocationModel

/// A place on a tangent plane, in metres from its centre.
struct Metres: Hashable, Sendable {
    var east: Double
    var north: Double
}

extension TangentPlane {
    /// The place of a position on the plane; `nil` on the far side of the earth.
    func metres(of coordinate: Coordinate) -> Metres? {
        visiblePoint(of: coordinate).map { Metres(east: $0.x, north: $0.y) }
    }

    /// The position of a place on the plane; the centre for a place beyond the edge of the earth.
    func coordinate(at metres: Metres) -> Coordinate {
        guard hypot(metres.east, metres.north) < WGS84.semiMinorAxis else { return center }
        return coordinate(of: SIMD2(metres.east, metres.north)) ?? center
    }
}
