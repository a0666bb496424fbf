public import MapModel

/// Limits of a declared ``Map``'s camera (`MapCameraBounds` of MapKit for SwiftUI).
public struct MapCameraBounds: Hashable, Sendable {
    let boundary: MapView.CameraBoundary?
    let zoomRange: MapView.CameraZoomRange?

    /// Limits the distance of the camera, in metres; `nil` for no limit. A range that is empty sets none.
    public init(minimumDistance: Double? = nil, maximumDistance: Double? = nil) {
        self.init(boundary: nil, minimumDistance, maximumDistance)
    }

    /// Limits the centre to a region, and the distance of the camera, in metres; `nil` for no limit.
    public init(
        centerCoordinateBounds: CoordinateRegion, minimumDistance: Double? = nil, maximumDistance: Double? = nil
    ) {
        self.init(
            boundary: MapView.CameraBoundary(coordinateRegion: centerCoordinateBounds), minimumDistance,
            maximumDistance)
    }

    /// Limits the centre to a rectangle, and the distance of the camera, in metres; `nil` for no limit.
    public init(centerCoordinateBounds: MapRect, minimumDistance: Double? = nil, maximumDistance: Double? = nil) {
        self.init(boundary: MapView.CameraBoundary(mapRect: centerCoordinateBounds), minimumDistance, maximumDistance)
    }

    private init(boundary: MapView.CameraBoundary?, _ minimumDistance: Double?, _ maximumDistance: Double?) {
        self.boundary = boundary
        zoomRange =
            minimumDistance == nil && maximumDistance == nil
            ? nil
            : MapView.CameraZoomRange(
                minCenterCoordinateDistance: minimumDistance, maxCenterCoordinateDistance: maximumDistance)
    }
}

/// The interactions that the user has with a declared ``Map``'s camera (`MapInteractionModes` of MapKit for SwiftUI).
public struct MapInteractionModes: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Move the map.
    public static let pan = MapInteractionModes(rawValue: 1)
    /// Change the scale.
    public static let zoom = MapInteractionModes(rawValue: 2)
    /// Tilt the map.
    public static let pitch = MapInteractionModes(rawValue: 4)
    /// Rotate the map.
    public static let rotate = MapInteractionModes(rawValue: 8)
    /// All of it.
    public static let all: MapInteractionModes = [.pan, .zoom, .pitch, .rotate]
}

/// When a change of the camera is reported (`MapCameraUpdateFrequency` of MapKit for SwiftUI).
public enum MapCameraUpdateFrequency: Hashable, Sendable {
    /// At the end of each move.
    case onEnd
    /// During moves and at their end.
    case continuous
}

/// The visible part of a map after a change (`MapCameraUpdateContext` of MapKit for SwiftUI).
public struct MapCameraUpdateContext: Hashable, Sendable {
    /// The camera.
    public let camera: MapCamera
    /// The visible region, without pitch and with north up.
    public let region: CoordinateRegion
    /// The smallest upright rectangle around the visible part.
    public let rect: MapRect

    @MainActor init(_ map: MapView) { (camera, region, rect) = (map.camera, map.region, map.visibleMapRect) }
}
