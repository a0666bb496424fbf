public import LocationModel

/// A line on a declared ``Map`` (`MapPolyline` of MapKit for SwiftUI). Without ``MapContent/stroke(_:lineWidth:dash:)`` it is
/// blue.
public struct MapPolyline: MapContent {
    /// The course of a line between its points.
    public enum ContourStyle: Hashable, Sendable {
        /// Straight on the map.
        case straight
        /// The shortest way on the ground.
        case geodesic
    }

    private let outline: MapElement.Outline

    /// Declares a line through `coordinates`. A longer one replaces it: for a growing track use a ``Polyline``.
    public init(coordinates: [Coordinate], contourStyle: ContourStyle = .straight) {
        outline = .line(coordinates, isGeodesic: contourStyle == .geodesic)
    }

    /// Declares a line that the program has made, and may extend.
    public init(_ polyline: Polyline) { outline = .object(MapElement.OverlayReference(overlay: polyline)) }

    /// Declares several lines as one.
    public init(_ lines: MultiPolyline) { outline = .object(MapElement.OverlayReference(overlay: lines)) }

    /// The line itself.
    public var body: MapContentGroup { MapContentGroup(outline) }
}

/// An area on a declared ``Map`` (`MapPolygon` of MapKit for SwiftUI).
public struct MapPolygon: MapContent {
    private let outline: MapElement.Outline

    /// Declares the area inside the ring of `coordinates`, which is closed automatically.
    public init(coordinates: [Coordinate]) { outline = .area(coordinates) }

    /// Declares an area that the program has made.
    public init(_ polygon: Polygon) { outline = .object(MapElement.OverlayReference(overlay: polygon)) }

    /// Declares several areas as one.
    public init(_ areas: MultiPolygon) { outline = .object(MapElement.OverlayReference(overlay: areas)) }

    /// The area itself.
    public var body: MapContentGroup { MapContentGroup(outline) }
}

/// A circle on a declared ``Map`` (`MapCircle` of MapKit for SwiftUI).
public struct MapCircle: MapContent {
    private let outline: MapElement.Outline

    /// Declares the area within `radius` metres of `center`, 0 to 20,000,000.
    public init(center: Coordinate, radius: Double) { outline = .circle(center: center, radius: radius) }

    /// Declares a circle that the program has made.
    public init(_ circle: Circle) { outline = .object(MapElement.OverlayReference(overlay: circle)) }

    /// The circle itself.
    public var body: MapContentGroup { MapContentGroup(outline) }
}

extension MapContentGroup {
    fileprivate init(_ outline: MapElement.Outline) { self.init([MapElement(.overlay(outline, MapElement.Pen()))]) }
}
