/// A rectangle on the flat map, in map points (MapKit's `MKMapRect`).
///
/// It may extend across the 180th meridian: then a part of it is outside the world, and ``remainder`` is that part on
/// the other side.
public struct MapRect: Hashable, Sendable {
    /// The north-west corner.
    public var origin: MapPoint
    /// Width and height, not negative.
    public var size: MapSize

    /// The rectangle with its north-west corner at `origin`.
    public init(origin: MapPoint, size: MapSize) {
        self.origin = origin
        self.size = size
    }

    /// The rectangle with its north-west corner at `x` and `y`.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.init(origin: MapPoint(x: x, y: y), size: MapSize(width: width, height: height))
    }

    /// The rectangle with `center` in its middle.
    public init(center: MapPoint, size: MapSize) {
        self.init(x: center.x - size.width / 2, y: center.y - size.height / 2, width: size.width, height: size.height)
    }

    /// The smallest rectangle that contains all `points`, none of which is moved around the world. Null without points.
    public init(containing points: some Sequence<MapPoint>) {
        var (minX, minY) = (Double.infinity, Double.infinity)
        var (maxX, maxY) = (-Double.infinity, -Double.infinity)
        for point in points {
            (minX, maxX) = (min(minX, point.x), max(maxX, point.x))
            (minY, maxY) = (min(minY, point.y), max(maxY, point.y))
        }
        self = minX <= maxX ? MapRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY) : .null
    }

    /// The whole world.
    public static let world = MapRect(origin: MapPoint(x: 0, y: 0), size: .world)

    /// The null rectangle: the neutral element of union, and the result of an empty intersection.
    public static let null = MapRect(x: .infinity, y: .infinity, width: 0, height: 0)

    /// True for the null rectangle.
    public var isNull: Bool { origin.x == .infinity || origin.y == .infinity }

    /// True if it has no area.
    public var isEmpty: Bool { isNull || size.width <= 0 || size.height <= 0 }

    /// The western edge.
    public var minX: Double { origin.x }
    /// The northern edge.
    public var minY: Double { origin.y }
    /// The eastern edge.
    public var maxX: Double { origin.x + size.width }
    /// The southern edge.
    public var maxY: Double { origin.y + size.height }
    /// Halfway between west and east.
    public var midX: Double { origin.x + size.width / 2 }
    /// Halfway between north and south.
    public var midY: Double { origin.y + size.height / 2 }
    /// From west to east.
    public var width: Double { size.width }
    /// From north to south.
    public var height: Double { size.height }
    /// The middle.
    public var center: MapPoint { MapPoint(x: midX, y: midY) }
}

extension MapRect {
    /// The smallest rectangle that contains both.
    public func union(_ other: MapRect) -> MapRect {
        if isNull { return other }
        if other.isNull { return self }
        let (x, y) = (min(minX, other.minX), min(minY, other.minY))
        return MapRect(x: x, y: y, width: max(maxX, other.maxX) - x, height: max(maxY, other.maxY) - y)
    }

    /// The common part; null if there is none, and without area if the rectangles only touch.
    public func intersection(_ other: MapRect) -> MapRect {
        guard intersects(other) else { return .null }
        let (x, y) = (max(minX, other.minX), max(minY, other.minY))
        return MapRect(x: x, y: y, width: min(maxX, other.maxX) - x, height: min(maxY, other.maxY) - y)
    }

    /// True if they have a point in common on the flat map: see ``spans180thMeridian``.
    public func intersects(_ other: MapRect) -> Bool {
        !isNull && !other.isNull && minX <= other.maxX && other.minX <= maxX && minY <= other.maxY && other.minY <= maxY
    }

    /// True if `point` is inside or on the western or northern edge.
    public func contains(_ point: MapPoint) -> Bool {
        point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
    }

    /// True if `other` is completely inside. The null rectangle is inside none.
    public func contains(_ other: MapRect) -> Bool {
        !isNull && !other.isNull
            && other.minX >= minX && other.maxX <= maxX && other.minY >= minY && other.maxY <= maxY
    }

    /// The rectangle reduced by `dx` at the western and eastern edge and by `dy` at the northern and southern one, or
    /// extended for negative values. Null if nothing is left.
    public func insetBy(dx: Double, dy: Double) -> MapRect {
        guard !isNull, size.width - 2 * dx >= 0, size.height - 2 * dy >= 0 else { return .null }
        return MapRect(x: minX + dx, y: minY + dy, width: size.width - 2 * dx, height: size.height - 2 * dy)
    }

    /// The rectangle moved by `dx` to the east and `dy` to the south.
    public func offsetBy(dx: Double, dy: Double) -> MapRect {
        MapRect(x: minX + dx, y: minY + dy, width: size.width, height: size.height)
    }

    /// True if the 180th meridian crosses it, so that a part lies outside the world in the east or west.
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
