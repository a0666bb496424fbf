import LocationModel
public import MapModel

// Limits of the visible region.

extension MapView {
    /// A range of distances between the camera and the coordinate at the centre (MapKit's
    /// `MKMapView.CameraZoomRange`).
    public struct CameraZoomRange: Hashable, Sendable {
        /// The least distance in metres, above 0; `nil` for the least that the map allows.
        public let minCenterCoordinateDistance: Double?
        /// The greatest distance in metres, above 0; `nil` for that of the whole world.
        public let maxCenterCoordinateDistance: Double?

        /// Creates a range of distances in metres, both `nil` by default. Returns `nil` if a distance is not above 0 or if
        /// the least is above the greatest.
        public init?(minCenterCoordinateDistance: Double? = nil, maxCenterCoordinateDistance: Double? = nil) {
            let (least, greatest) = (
                minCenterCoordinateDistance ?? .leastNonzeroMagnitude, maxCenterCoordinateDistance ?? .infinity
            )
            guard least > 0, least <= greatest else { return nil }
            self.minCenterCoordinateDistance = minCenterCoordinateDistance
            self.maxCenterCoordinateDistance = maxCenterCoordinateDistance
        }
    }

    /// An area that the centre of the map does not leave (MapKit's `MKMapView.CameraBoundary`).
    ///
    /// ```swift
    /// let town = CoordinateRegion(center: harbour, latitudinalMeters: 8000, longitudinalMeters: 8000)
    /// map.cameraBoundary = MapView.CameraBoundary(coordinateRegion: town)
    /// map.cameraZoomRange = MapView.CameraZoomRange(maxCenterCoordinateDistance: 30_000)
    /// ```
    public struct CameraBoundary: Hashable, Sendable {
        /// The area.
        public let mapRect: MapRect

        /// Creates a boundary around `mapRect`. Returns `nil` for a rectangle without area or extent.
        public init?(mapRect: MapRect) {
            guard !mapRect.isEmpty, mapRect.minX.isFinite, mapRect.minY.isFinite, mapRect.maxX.isFinite,
                mapRect.maxY.isFinite
            else { return nil }
            self.mapRect = mapRect
        }

        /// Creates a boundary around `coordinateRegion`. Returns `nil` for a region without area.
        public init?(coordinateRegion: CoordinateRegion) { self.init(mapRect: MapRect(coordinateRegion)) }

        /// The area as a region.
        public var region: CoordinateRegion { CoordinateRegion(mapRect) }

        /// Returns `point`, or the nearest point inside.
        func nearest(to point: MapPoint) -> MapPoint {
            let point = point.nearest(to: mapRect.center)
            return MapPoint(
                x: min(max(point.x, mapRect.minX), mapRect.maxX), y: min(max(point.y, mapRect.minY), mapRect.maxY))
        }

        /// West, south, east and north, of which east may be above 180.
        var wire: [Double] {
            let (northWest, southEast) = (
                MapPoint(x: mapRect.minX, y: mapRect.minY), MapPoint(x: mapRect.maxX, y: mapRect.maxY)
            )
            return [
                northWest.continuousLongitude, southEast.latitude, southEast.continuousLongitude, northWest.latitude,
            ]
        }
    }

    /// The range of the camera's distance, for the user, the program and tracking; `nil`, the default, for no restriction.
    /// A camera outside the range moves into it.
    ///
    /// The distance belongs to the page that the user last interacted with; higher pages are zoomed in less for it.
    public var cameraZoomRange: CameraZoomRange? {
        get { cameraState.zoomRange }
        set { setCameraZoomRange(newValue, animated: false) }
    }

    /// Sets ``cameraZoomRange``; `animated` concerns a camera that has to move.
    public func setCameraZoomRange(_ range: CameraZoomRange?, animated: Bool) {
        cameraState.zoomRange = range
        changed(.map)
        keepWithinLimits(animated: animated)
    }

    /// The area that the centre of the map does not leave, whether the user, the program or tracking moves it; `nil`, the
    /// default, for the whole world. A centre outside moves into it.
    public var cameraBoundary: CameraBoundary? {
        get { cameraState.boundary }
        set { setCameraBoundary(newValue, animated: false) }
    }

    /// Sets ``cameraBoundary``; `animated` concerns a camera that has to move.
    public func setCameraBoundary(_ boundary: CameraBoundary?, animated: Bool) {
        cameraState.boundary = boundary
        changed(.map)
        keepWithinLimits(animated: animated)
    }
}
