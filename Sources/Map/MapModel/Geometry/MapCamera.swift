import Glibc
public import LocationModel

/// A virtual camera above the map (MapKit's `MKMapCamera`).
///
/// MapKit does not document its field of view. Here it is that of the renderer, so that distance and zoom agree:
/// MapLibre's vertical angle is 2·atan(1/3), about 36.87° (its `Transform`), which places the camera one and a half
/// heights of the view from the centre.
public struct MapCamera: Codable, Hashable, Sendable {
    /// The coordinate at the centre of the view.
    public var centerCoordinate: Coordinate
    /// The distance from the camera to ``centerCoordinate``, in metres, above 0.
    public var centerCoordinateDistance: Double
    /// The tilt of the camera from straight down, in degrees, 0 to 85.
    public var pitch: Double
    /// The direction at the top of the view, in degrees clockwise from true north. 0 is north.
    public var heading: Double

    static let distanceInViewHeights = 1.5

    /// Creates a camera at a distance of `fromDistance` metres from `centerCoordinate`, with `pitch` and `heading` in
    /// degrees.
    public init(lookingAtCenter centerCoordinate: Coordinate, fromDistance: Double, pitch: Double, heading: Double) {
        self.centerCoordinate = centerCoordinate
        self.centerCoordinateDistance = fromDistance
        self.pitch = pitch
        self.heading = heading
    }

    /// Creates the camera that shows `viewport` at `zoom`.
    package init(
        center: Coordinate, zoom: Double, pitch: Double = 0, heading: Double = 0, in viewport: Viewport
    ) {
        let scale = Viewport.metersPerPixel(atZoom: zoom, latitude: Self.onMap(center.latitude))
        self.init(
            lookingAtCenter: center, fromDistance: Self.distanceInViewHeights * viewport.height * scale, pitch: pitch,
            heading: heading)
    }

    /// The height of the camera above the ground, in metres. Setting it moves the camera along its line of sight.
    public var altitude: Double {
        get { centerCoordinateDistance * cos(pitch * .pi / 180) }
        set { centerCoordinateDistance = newValue / max(cos(pitch * .pi / 180), 0.01) }
    }

    /// Returns the zoom at which `viewport` shows the camera's view, clamped to `limits`.
    package func zoom(in viewport: Viewport, limits: ClosedRange<Double> = 0...22) -> Double {
        let metersPerPixel = max(centerCoordinateDistance, 0.001) / (Self.distanceInViewHeights * viewport.height)
        let mapPoints = metersPerPixel / Coordinate.metersPerMapPoint(atLatitude: Self.onMap(centerCoordinate.latitude))
        return min(max(Viewport.zoom(mapPointsPerPixel: mapPoints), limits.lowerBound), limits.upperBound)
    }

    private static func onMap(_ latitude: Double) -> Double {
        min(max(latitude, -MapSize.maximumLatitude), MapSize.maximumLatitude)
    }
}
