public import LocationModel

/// A declared ``Map`` with the object that converts between its coordinates and points of its page (`MapReader` of MapKit for
/// SwiftUI):
///
/// ```swift
/// map.show {
///     MapReader { proxy in
///         Map { Marker("Harbour", coordinate: harbour) }
///             .onTapGesture { point in if let place = proxy.convert(point) { print(place) } }
///     }
/// }
/// ```
@MainActor
public struct MapReader {
    let content: @MainActor (MapProxy) -> Map

    /// Declares a map for which `content` may keep the proxy.
    public init(content: @escaping @MainActor (MapProxy) -> Map) { self.content = content }
}

/// Converts between the coordinates of a map and points of its page (`MapProxy` of MapKit for SwiftUI).
@MainActor
public struct MapProxy {
    private weak var map: MapView?

    init(_ map: MapView) { self.map = map }

    /// Returns the coordinate that is seen at a point of the page, measured from its upper left corner; `nil` once the map has gone.
    public func convert(_ point: ViewPoint) -> Coordinate? { map?.convert(point) }

    /// Returns the point of the page at which a coordinate is seen; `nil` behind the camera of a tilted map, and once the map has
    /// gone.
    public func convert(_ coordinate: Coordinate) -> ViewPoint? { map?.convert(coordinate) }
}
