import Glibc

/// The relation between the ground and the points of a view, for a camera that is rotated and tilted.
///
/// The camera is ``MapCamera/distanceInViewHeights`` heights of the view away from its centre, as MapLibre's is.
public struct Perspective {
    private let viewport: Viewport
    private let center: MapPoint
    /// Map points in a pixel at the centre.
    private let scale: Double
    private let heading: (sin: Double, cos: Double)
    private let pitch: (sin: Double, cos: Double)
    /// The distance of the camera in pixels.
    private let distance: Double

    /// The perspective of a view around `center`, rotated by `heading` degrees and tilted by `pitch` degrees.
    public init(_ viewport: Viewport, center: MapPoint, zoom: Double, heading: Double = 0, pitch: Double = 0) {
        self.viewport = viewport
        self.center = center
        scale = Viewport.mapPointsPerPixel(atZoom: zoom)
        self.heading = (sin(heading * .pi / 180), cos(heading * .pi / 180))
        self.pitch = (sin(pitch * .pi / 180), cos(pitch * .pi / 180))
        distance = MapCamera.distanceInViewHeights * viewport.height
    }

    /// Returns the point of the ground that is seen at a point of the view, in pixels from its upper left corner: towards the
    /// horizon, and above it, at most four heights of the view away.
    public func mapPoint(atX x: Double, y: Double) -> MapPoint {
        // The intersection of the ground with the ray through the point.
        let up = viewport.height / 2 - y
        let toHorizon = distance * pitch.cos - up * pitch.sin
        let limit = 4 * viewport.height
        let forward = toHorizon > 0 ? min(up * distance / toHorizon, limit) : limit
        let depth = (distance + forward * pitch.sin) / distance
        let right = (x - viewport.width / 2) * depth
        return MapPoint(
            x: center.x + (right * heading.cos + forward * heading.sin) * scale,
            y: center.y + (right * heading.sin - forward * heading.cos) * scale)
    }

    /// Returns the point of the view, in pixels from its upper left corner, at which a point of the ground is seen, also outside
    /// of the view; `nil` for one behind the camera.
    public func viewPoint(of point: MapPoint) -> (x: Double, y: Double)? {
        let nearest = point.nearest(to: center)
        let (east, south) = ((nearest.x - center.x) / scale, (nearest.y - center.y) / scale)
        let right = east * heading.cos + south * heading.sin
        let forward = east * heading.sin - south * heading.cos
        let depth = (distance + forward * pitch.sin) / distance
        guard depth > 0 else { return nil }
        return (viewport.width / 2 + right / depth, viewport.height / 2 - forward * pitch.cos / depth)
    }
}
