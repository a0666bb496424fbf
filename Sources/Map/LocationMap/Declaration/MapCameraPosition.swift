public import LocationModel
public import MapModel

/// The position of a declared ``Map``'s camera (`MapCameraPosition` of MapKit for SwiftUI).
public indirect enum MapCameraPosition: Hashable, Sendable {
    /// Shows all of the content, also when that changes, until the user moves the map. Without content the map stays.
    case automatic
    /// Shows all of a region.
    case region(CoordinateRegion)
    /// Shows all of a rectangle.
    case rect(MapRect)
    /// Looks from a camera.
    case camera(MapCamera)
    /// Shows a place that a search has found, in its extent.
    case item(MapItem)
    /// Follows the user, who is prompted as ``MapView/showsUserLocation`` does; until the first location it shows `fallback`.
    case userLocation(followsHeading: Bool = false, fallback: MapCameraPosition)
}

extension MapCamera {
    /// Creates a camera `distance` metres from `centerCoordinate` (`MapCamera` of MapKit for SwiftUI).
    ///
    /// - Parameters:
    ///   - heading: The direction at the top, in degrees clockwise from true north. Default 0.
    ///   - pitch: The tilt from straight down, in degrees, 0 to 85. Default 0.
    public init(centerCoordinate: Coordinate, distance: Double, heading: Double = 0, pitch: Double = 0) {
        self.init(lookingAtCenter: centerCoordinate, fromDistance: distance, pitch: pitch, heading: heading)
    }
}
