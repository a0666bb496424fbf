/// A rectangle on the flat map, in map points (MapKit's `MKMapRect`).
///
/// It may reach over the 180th meridian: then its x lie partly outside the world, and ``remainder`` is that part on the
/// other side.
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

    /// The smallest rectangle with all `points`, as they are: no point is turned around the world. Null for none.
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

    /// No rectangle at all: the union with it changes nothing, the intersection with it is it.
    public static let null = MapRect(x: .infinity, y: .infinity, width: 0, height: 0)

    /// Whether this is no rectangle at all.
    public var isNull: Bool { origin.x == .infinity || origin.y == .infinity }

    /// Whether it has no area.
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
    /// The smallest rectangle with both.
    public func union(_ other: MapRect) -> MapRect {
        if isNull { return other }
        if other.isNull { return self }
        let (x, y) = (min(minX, other.minX), min(minY, other.minY))
        return MapRect(x: x, y: y, width: max(maxX, other.maxX) - x, height: max(maxY, other.maxY) - y)
    }

    /// What both have in common; null if that is nothing, of no area if they only touch.
    public func intersection(_ other: MapRect) -> MapRect {
        guard intersects(other) else { return .null }
        let (x, y) = (max(minX, other.minX), max(minY, other.minY))
        return MapRect(x: x, y: y, width: min(maxX, other.maxX) - x, height: min(maxY, other.maxY) - y)
    }

    /// Whether they have a point in common, on the flat map: see ``spans180thMeridian``.
    public func intersects(_ other: MapRect) -> Bool {
        !isNull && !other.isNull && minX <= other.maxX && other.minX <= maxX && minY <= other.maxY && other.minY <= maxY
    }

    /// Whether `point` lies inside or on the western or northern edge.
    public func contains(_ point: MapPoint) -> Bool {
        point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
    }

    /// Whether all of `other` lies inside. The null rectangle lies in none.
    public func contains(_ other: MapRect) -> Bool {
        !isNull && !other.isNull
            && other.minX >= minX && other.maxX <= maxX && other.minY >= minY && other.maxY <= maxY
    }

    /// Smaller by `dx` at the western and eastern edge and by `dy` at the northern and southern one; larger for negative
    /// values. Null if nothing is left.
    public func insetBy(dx: Double, dy: Double) -> MapRect {
        guard !isNull, size.width - 2 * dx >= 0, size.height - 2 * dy >= 0 else { return .null }
        return MapRect(x: minX + dx, y: minY + dy, width: size.width - 2 * dx, height: size.height - 2 * dy)
    }

    /// Moved by `dx` to the east and `dy` to the south.
    public func offsetBy(dx: Double, dy: Double) -> MapRect {
        MapRect(x: minX + dx, y: minY + dy, width: size.width, height: size.height)
    }

    /// Whether a part lies outside the world in the east or west, so that the 180th meridian runs through it.
    public var spans180thMeridian: Bool { !isEmpty && (minX < 0 || maxX > MapSize.world.width) }

    /// If it reaches over the 180th meridian, the part outside the world, moved to the other side of the world; else null.
    /// What lies outside in the west and in the east at once is wider than the world: the eastern part is given.
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
