import Glibc
package import LocationModel

/// Lines or rings of points in their compact form: each point as the difference from the previous one, in 10⁻⁷ degrees,
/// with seven bits in a byte.
struct PlaceShape {
    typealias Point = (longitude: Double, latitude: Double)
    /// The lines, or the rings of areas.
    var parts: [[Point]]

    init(parts: [[Point]]) { self.parts = parts }

    // MARK: Bytes

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        var last: (Int, Int) = (0, 0)
        Self.append(parts.count, to: &bytes)
        for part in parts {
            Self.append(part.count, to: &bytes)
            for point in part {
                let next = (Self.fixed(point.longitude), Self.fixed(point.latitude))
                Self.append(next.0 - last.0, to: &bytes)
                Self.append(next.1 - last.1, to: &bytes)
                last = next
            }
        }
        return bytes
    }

    /// Reads the shape in `bytes`; `nil` if they have another form.
    init?(bytes: [UInt8]) {
        var position = 0
        func next() -> Int? {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard position < bytes.count else { return nil }
                value |= UInt64(bytes[position] & 0x7F) << shift
                position += 1
                if bytes[position - 1] < 0x80 { return Int(bitPattern: UInt(value >> 1)) ^ -Int(value & 1) }
            }
            return nil
        }
        guard let count = next(), (0...bytes.count).contains(count) else { return nil }
        var last = (0, 0)
        parts = []
        for _ in 0..<count {
            guard let points = next(), (0...bytes.count).contains(points) else { return nil }
            var part: [Point] = []
            part.reserveCapacity(points)
            for _ in 0..<points {
                guard let x = next(), let y = next() else { return nil }
                last = (last.0 &+ x, last.1 &+ y)
                part.append((Double(last.0) / 1e7, Double(last.1) / 1e7))
            }
            parts.append(part)
        }
    }

    static func fixed(_ degrees: Double) -> Int { Int((degrees * 1e7).rounded()) }

    private static func append(_ value: Int, to bytes: inout [UInt8]) {
        var rest = UInt(bitPattern: value << 1 ^ value >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    // MARK: Geometry

    /// The box around all points.
    var bounds: PlaceBounds {
        var bounds = PlaceBounds((0, 0))
        for (index, point) in parts.joined().enumerated() {
            if index == 0 { bounds = PlaceBounds(point) } else { bounds.join(PlaceBounds(point)) }
        }
        return bounds
    }

    /// True if the rings contain a position: by the even-odd rule over all of them.
    func contains(latitude: Double, longitude: Double) -> Bool {
        parts.reduce(false) { isInside, ring in
            isInside
                != PlanarRing.contains(
                    SIMD2(longitude, latitude), in: ring.lazy.map { SIMD2($0.longitude, $0.latitude) })
        }
    }

    /// Returns the distance from a position to the lines, in metres, on a tangent plane.
    func distance(toLatitude latitude: Double, longitude: Double) -> Double {
        nearest(toLatitude: latitude, longitude: longitude)?.distance ?? .infinity
    }

    /// Returns the point of the lines that is nearest to a position, and its distance in metres, on a tangent plane; `nil` if there is
    /// no line.
    func nearest(toLatitude latitude: Double, longitude: Double) -> (point: Point, distance: Double)? {
        let lengths = WGS84.metresPerDegree(atLatitude: latitude)
        let scale = (x: lengths.longitude, y: lengths.latitude)
        var best: (x: Double, y: Double, square: Double)?
        for part in parts {
            var last: (x: Double, y: Double)?
            for point in part {
                let here = (x: (point.longitude - longitude) * scale.x, y: (point.latitude - latitude) * scale.y)
                let start = last ?? here
                let (dx, dy) = (here.x - start.x, here.y - start.y)
                let length = dx * dx + dy * dy
                let share = length > 0 ? min(1, max(0, -(start.x * dx + start.y * dy) / length)) : 0
                let (x, y) = (start.x + share * dx, start.y + share * dy)
                if x * x + y * y < best?.square ?? .infinity { best = (x, y, x * x + y * y) }
                last = here
            }
        }
        return best.map {
            (Point(longitude + $0.x / scale.x, latitude + $0.y / scale.y), $0.square.squareRoot())
        }
    }

    /// Returns the shape without points nearer than `distance` metres to the one before. End points stay.
    func thinned(to distance: Double) -> PlaceShape {
        PlaceShape(
            parts: parts.map { part in
                var kept: [Point] = []
                for (index, point) in part.enumerated() {
                    if let last = kept.last, index < part.count - 1,
                        MeanSphere.distance(
                            from: (last.latitude, last.longitude), to: (point.latitude, point.longitude)) < distance
                    {
                        continue
                    }
                    kept.append(point)
                }
                return kept
            })
    }

    /// Returns a point on the lines near their middle, or the middle of the largest ring.
    func middle(isArea: Bool) -> Point? {
        guard let longest = parts.max(by: { $0.count < $1.count }), !longest.isEmpty else { return nil }
        guard isArea, longest.count > 2 else { return longest[longest.count / 2] }
        var (area, x, y) = (0.0, 0.0, 0.0)
        let origin = longest[0]
        for (a, b) in zip(longest, longest.dropFirst()) {
            let (ax, ay) = (a.longitude - origin.longitude, a.latitude - origin.latitude)
            let (bx, by) = (b.longitude - origin.longitude, b.latitude - origin.latitude)
            let cross = ax * by - bx * ay
            area += cross
            x += (ax + bx) * cross
            y += (ay + by) * cross
        }
        guard abs(area) > 1e-14 else { return longest[longest.count / 2] }
        return (origin.longitude + x / (3 * area), origin.latitude + y / (3 * area))
    }
}

/// A box of degrees. If `west` is greater than `east`, it extends across the 180th meridian.
package struct PlaceBounds: Hashable, Sendable {
    package var west, south, east, north: Double

    /// Creates a box; `nil` if a number is out of range, or if `north` is less than `south`.
    package init?(west: Double, south: Double, east: Double, north: Double) {
        guard (-180...180).contains(west), (-180...180).contains(east), (-90...90).contains(south),
            (-90...90).contains(north), south <= north
        else { return nil }
        (self.west, self.south, self.east, self.north) = (west, south, east, north)
    }

    init(_ point: PlaceShape.Point) {
        (west, east) = (point.longitude, point.longitude)
        (south, north) = (point.latitude, point.latitude)
    }

    /// The width in degrees.
    package var width: Double { west <= east ? east - west : east - west + 360 }

    /// The centre of the box.
    package var center: Coordinate {
        Coordinate(clampingLatitude: (south + north) / 2, wrappingLongitude: west + width / 2)
    }

    /// True if the coordinate is inside the box.
    package func contains(_ coordinate: Coordinate) -> Bool {
        (south...north).contains(coordinate.latitude)
            && (west <= east
                ? (west...east).contains(coordinate.longitude)
                : coordinate.longitude >= west || coordinate.longitude <= east)
    }

    /// Extends the box to contain another. Neither extends across the 180th meridian.
    mutating func join(_ other: Self) {
        west = min(west, other.west)
        east = max(east, other.east)
        south = min(south, other.south)
        north = max(north, other.north)
    }

    /// Returns the distance from a position to the box, in metres; 0 inside.
    func distance(to center: Coordinate) -> Double {
        MeanSphere.distance(
            from: center.degrees,
            to: (min(max(center.latitude, south), north), min(max(center.longitude, west), east)))
    }

    /// The degrees west, south, east, north, to about a metre.
    var text: String {
        [west, south, east, north].map { "\(($0 * 1e5).rounded() / 1e5)" }.joined(separator: ",")
    }
}
