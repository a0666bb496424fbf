/// A rectangle on the flat map, in map points (MapKit's `MKMapRect`).
///
/// It may extend across the 180th meridian: then a part of it is outside the world, and ``remainder`` is that part on
/// the other side.
public struct MapRect: Codable, Hashable, Sendable {
    /// The north-west corner.
    public var origin: MapPoint
    /// The width and height, 0 or more.
    public var size: MapSize

    /// Creates the rectangle with its north-west corner at `origin`.
    public init(origin: MapPoint, size: MapSize) {
        self.origin = origin
        self.size = size
    }

    /// Creates the rectangle with its north-west corner at `x` and `y`.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.init(origin: MapPoint(x: x, y: y), size: MapSize(width: width, height: height))
    }

    /// Creates the rectangle with `center` at its centre.
    public init(center: MapPoint, size: MapSize) {
        self.init(x: center.x - size.width / 2, y: center.y - size.height / 2, width: size.width, height: size.height)
    }

    /// Creates the smallest rectangle that contains `points`, none of which is moved around the world; the null
    /// rectangle without points.
    public init(containing points: some Sequence<MapPoint>) {
        var (minX, minY) = (Double.infinity, Double.infinity)
        var (maxX, maxY) = (-Double.infinity, -Double.infinity)
        for point in points {
            (minX, maxX) = (min(minX, point.x), max(maxX, point.x))
            (minY, maxY) = (min(minY, point.y), max(maxY, point.y))
        }
        self = minX <= maxX ? MapRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY) : .null
    }

    /// The rectangle of the whole world.
    public static let world = MapRect(origin: MapPoint(x: 0, y: 0), size: .world)

    /// The null rectangle: the neutral element of union, and the result of an empty intersection.
    public static let null = MapRect(x: .infinity, y: .infinity, width: 0, height: 0)

    /// True if this is the null rectangle.
    public var isNull: Bool { origin.x == .infinity || origin.y == .infinity }

    /// True if the rectangle has no area.
    public var isEmpty: Bool { isNull || size.width <= 0 || size.height <= 0 }

    /// The x of the western edge.
    public var minX: Double { origin.x }
    /// The y of the northern edge.
    public var minY: Double { origin.y }
    /// The x of the eastern edge.
    public var maxX: Double { origin.x + size.width }
    /// The y of the southern edge.
    public var maxY: Double { origin.y + size.height }
    /// The x halfway between west and east.
    public var midX: Double { origin.x + size.width / 2 }
    /// The y halfway between north and south.
    public var midY: Double { origin.y + size.height / 2 }
    /// The extent from west to east.
    public var width: Double { size.width }
    /// The extent from north to south.
    public var height: Double { size.height }
    /// The point at the centre.
    public var center: MapPoint { MapPoint(x: midX, y: midY) }
}

extension MapRect {
    /// Returns the smallest rectangle that contains this one and `other`.
    public func union(_ other: MapRect) -> MapRect {
        if isNull { return other }
        if other.isNull { return self }
        let (x, y) = (min(minX, other.minX), min(minY, other.minY))
        return MapRect(x: x, y: y, width: max(maxX, other.maxX) - x, height: max(maxY, other.maxY) - y)
    }

    /// Returns the common part of this rectangle and `other`; the null rectangle if there is none, and one without area
    /// if they only touch.
    public func intersection(_ other: MapRect) -> MapRect {
        guard intersects(other) else { return .null }
        let (x, y) = (max(minX, other.minX), max(minY, other.minY))
        return MapRect(x: x, y: y, width: min(maxX, other.maxX) - x, height: min(maxY, other.maxY) - y)
    }

    /// True if this rectangle and `other` have a point in common on the flat map. A part beyond the 180th meridian does
    /// not count: see ``spans180thMeridian``.
    public func intersects(_ other: MapRect) -> Bool {
        !isNull && !other.isNull && minX <= other.maxX && other.minX <= maxX && minY <= other.maxY && other.minY <= maxY
    }

    /// True if `point` is inside the rectangle or on its western or northern edge.
    public func contains(_ point: MapPoint) -> Bool {
        point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
    }

    /// True if `other` is completely inside this rectangle. The null rectangle is inside none.
    public func contains(_ other: MapRect) -> Bool {
        !isNull && !other.isNull
            && other.minX >= minX && other.maxX <= maxX && other.minY >= minY && other.maxY <= maxY
    }

    /// Returns the rectangle with its western and eastern edges moved inwards by `dx`, and its northern and southern
    /// ones by `dy`; outwards for negative values. Null if nothing is left.
    public func insetBy(dx: Double, dy: Double) -> MapRect {
        guard !isNull, size.width - 2 * dx >= 0, size.height - 2 * dy >= 0 else { return .null }
        return MapRect(x: minX + dx, y: minY + dy, width: size.width - 2 * dx, height: size.height - 2 * dy)
    }

    /// Returns the rectangle moved by `dx` to the east and `dy` to the south.
    public func offsetBy(dx: Double, dy: Double) -> MapRect {
        MapRect(x: minX + dx, y: minY + dy, width: size.width, height: size.height)
    }

    /// True if the 180th meridian crosses the rectangle, so that a part of it is outside the world.
    public var spans180thMeridian: Bool { !isEmpty && (minX < 0 || maxX > MapSize.world.width) }

    /// The part outside the world, moved to the other side of the world; null if there is none. A rectangle that
    /// extends outside on both sides is wider than the world; the eastern part is returned.
    public var remainder: MapRect {
        guard spans180thMeridian else { return .null }
        let world = MapSize.world.width
        if maxX > world {
            let start = max(minX, world)
            return MapRect(x: start - world, y: minY, width: maxX - start, height: height)
        }
        let end = min(maxX, 0)
        return MapRect(x: minX + world, y: minY, width: end - minX, height: height)
    }
}
