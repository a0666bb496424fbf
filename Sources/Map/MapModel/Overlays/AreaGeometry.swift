import Glibc
public import LocationModel

/// One or more areas on the map, possibly with holes: the geometry of MapKit's `MKPolygon`, `MKCircle` and
/// `MKMultiPolygon`.
///
/// Edges take the shorter way around the world, as lines do, and continue outside it across the 180th meridian. A ring
/// around a pole is closed along the edge of the map next to that pole.
public struct AreaGeometry: Hashable, Sendable {
    /// An area with optional holes.
    public struct Polygon: Hashable, Sendable {
        /// The outer ring, without repeating its first point at the end.
        public let exterior: [MapPoint]
        /// The rings of the holes, on the same turn around the world as the exterior.
        public let interiors: [[MapPoint]]

        /// Creates the area inside `exterior` without those inside `interiors`. A ring around the world contains the
        /// pole that is nearer to most of it.
        public init(exterior: [MapPoint], interiors: [[MapPoint]] = []) {
            let meanY = exterior.reduce(0) { $0 + $1.y } / Double(exterior.count)
            self.init(
                exterior: exterior, interiors: interiors,
                edge: meanY < MapSize.world.height / 2 ? 0 : MapSize.world.height)
        }

        /// `edge` is the y of the edge along which a ring around the world is closed.
        init(exterior: [MapPoint], interiors: [[MapPoint]] = [], edge: Double) {
            self.exterior = Self.ring(exterior, edge: edge)
            let middle = MapRect(containing: self.exterior).center
            self.interiors = interiors.map { interior in
                let ring = Self.ring(interior, edge: edge)
                let center = MapRect(containing: ring).center
                let shift = center.nearest(to: middle).x - center.x
                return shift == 0 || !shift.isFinite ? ring : ring.map { MapPoint(x: $0.x + shift, y: $0.y) }
            }
        }

        init(unchanged exterior: [MapPoint], interior: [MapPoint]) {
            self.exterior = exterior
            let center = MapRect(containing: interior).center
            let shift = center.nearest(to: MapRect(containing: exterior).center).x - center.x
            interiors = [interior.map { MapPoint(x: $0.x + shift, y: $0.y) }]
        }

        private static func ring(_ points: [MapPoint], edge: Double) -> [MapPoint] {
            var ring = MapPoint.continuous(points)
            guard let first = ring.first, let last = ring.last else { return [] }
            let closing = first.nearest(to: last)
            if ring.count > 1, closing == last { ring.removeLast() }
            guard abs(closing.x - first.x) > 1 else { return ring }
            return ring + [closing, MapPoint(x: closing.x, y: edge), MapPoint(x: first.x, y: edge)]
        }

        /// True if `point` is inside, on this turn around the world: by the even-odd rule over all rings.
        func contains(_ point: MapPoint) -> Bool {
            ([exterior] + interiors).reduce(false) { isInside, ring in
                isInside != PlanarRing.contains(SIMD2(point.x, point.y), in: ring.lazy.map { SIMD2($0.x, $0.y) })
            }
        }
    }

    /// The areas.
    public let polygons: [Polygon]
    /// The smallest rectangle that contains all areas.
    public let boundingMapRect: MapRect

    /// Creates the areas of `polygons`. Polygons with fewer than three corners are left out.
    public init(polygons: [Polygon]) {
        self.polygons = polygons.filter { $0.exterior.count > 2 }
        boundingMapRect = self.polygons.reduce(.null) { $0.union(MapRect(containing: $1.exterior)) }
    }

    /// Creates the area inside `coordinates` without those inside `interiors`.
    public init(_ coordinates: some Sequence<Coordinate>, interiors: [[Coordinate]] = []) {
        self.init(polygons: [
            Polygon(
                exterior: coordinates.map { MapPoint($0) }, interiors: interiors.map { $0.map { MapPoint($0) } })
        ])
    }

    /// Creates the area within `radius` metres of `center` on the ground: a polygon of `corners` corners, at least 64,
    /// along the ellipsoid (``Coordinate/destination(distance:bearing:)``).
    ///
    /// The radius is clamped to 0…20,000,000 metres. On the map the area is not a circle but larger towards the pole,
    /// and ends at the map's edge. With one pole inside, it extends around the world; with both, it is the world except
    /// for a hole.
    public init(circleAround center: Coordinate, radius: Double, corners: Int = 96) {
        // With an even number, a corner lies exactly towards each pole, and no edge skips one.
        let corners = max(64, corners + corners % 2)
        let radius = radius.isFinite ? min(max(radius, 0), 20_000_000) : 0
        let ring = (0..<corners).map { corner in
            MapPoint(center.destination(distance: radius, bearing: 360 * Double(corner) / Double(corners)))
        }
        let hasPole = [90.0, -90].map { latitude in
            center.distance(to: Coordinate(clampingLatitude: latitude, wrappingLongitude: 0)) < radius
        }
        let world = MapSize.world
        if hasPole == [true, true] {
            // The hole is around the antipode, in the middle of this.
            let west = MapPoint(center).x
            let exterior = [
                (west, 0), (west, world.height), (west + world.width, world.height), (west + world.width, 0),
            ]
            // Keep these points as they are: between the western and the eastern edge there is no shorter way.
            self.init(polygons: [
                Polygon(unchanged: exterior.map { MapPoint(x: $0.0, y: $0.1) }, interior: MapPoint.continuous(ring))
            ])
        } else {
            self.init(polygons: [Polygon(exterior: ring, edge: hasPole[1] ? world.height : 0)])
        }
    }

    /// True if `point`, on any turn around the world, is inside an area and in none of its holes.
    public func contains(_ point: MapPoint) -> Bool {
        point.copies(around: boundingMapRect).contains { copy in polygons.contains { $0.contains(copy) } }
    }
}
