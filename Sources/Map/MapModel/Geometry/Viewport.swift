import Glibc
import LocationModel

/// The size of the visible map in CSS pixels, and the conversion between zoom and scale.
///
/// Zoom is MapLibre's: at 0 the world is 512 pixels wide, at each further level twice as wide (MapLibre style
/// specification, "zoom"). Fractions are allowed.
public struct Viewport: Hashable, Sendable {
    /// The width in pixels, above 0.
    public var width: Double
    /// The height in pixels, above 0.
    public var height: Double

    /// Creates a view of `width` by `height` pixels; less than one counts as one.
    public init(width: Double, height: Double) {
        self.width = max(1, width)
        self.height = max(1, height)
    }

    /// The width of the world at zoom 0, in pixels.
    public static let worldWidthAtZoomZero = 512.0

    /// Returns the number of map points in a pixel at `zoom`.
    public static func mapPointsPerPixel(atZoom zoom: Double) -> Double {
        MapSize.world.width / (worldWidthAtZoomZero * exp2(zoom))
    }

    /// Returns the zoom at which a pixel is `mapPoints` map points wide.
    public static func zoom(mapPointsPerPixel mapPoints: Double) -> Double {
        log2(MapSize.world.width / (worldWidthAtZoomZero * mapPoints))
    }

    /// Returns the length of a pixel at `zoom` and `latitude` degrees, in metres.
    public static func metersPerPixel(atZoom zoom: Double, latitude: Double) -> Double {
        mapPointsPerPixel(atZoom: zoom) * Coordinate.metersPerMapPoint(atLatitude: latitude)
    }

    /// Returns the visible rectangle around `center`, without pitch and with north up.
    public func mapRect(center: MapPoint, zoom: Double) -> MapRect {
        let scale = Self.mapPointsPerPixel(atZoom: zoom)
        return MapRect(center: center, size: MapSize(width: width * scale, height: height * scale))
    }

    /// Returns the smallest upright rectangle that contains the visible part of the map around `center`, rotated by
    /// `heading` degrees and tilted by `pitch` degrees: towards the horizon up to four heights of the view.
    public func mapRect(center: MapPoint, zoom: Double, heading: Double, pitch: Double) -> MapRect {
        guard heading != 0 || pitch != 0 else { return mapRect(center: center, zoom: zoom) }
        let perspective = Perspective(self, center: center, zoom: zoom, heading: heading, pitch: pitch)
        let corners = [0, width].flatMap { x in [0, height].map { y in perspective.mapPoint(atX: x, y: y) } }
        return MapRect(containing: corners)
    }

    /// Returns the largest zoom within `limits` at which `rect` is fully visible with `padding` pixels free at each
    /// edge.
    public func zoom(fitting rect: MapRect, padding: Double = 0, limits: ClosedRange<Double> = 0...22) -> Double {
        let free = (width: max(1, width - 2 * padding), height: max(1, height - 2 * padding))
        let scale = max(rect.width / free.width, rect.height / free.height)
        guard !rect.isNull, scale > 0 else { return limits.upperBound }
        return min(max(Self.zoom(mapPointsPerPixel: scale), limits.lowerBound), limits.upperBound)
    }
}
