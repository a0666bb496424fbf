public import LocationModel
public import MapModel

/// An area, line or picture on the map (MapKit's `MKOverlay`). An ``OverlayRenderer`` draws it.
@MainActor
public protocol Overlay: AnyObject {
    /// The coordinate at the centre.
    var coordinate: Coordinate { get }
    /// The smallest rectangle that contains the overlay.
    var boundingMapRect: MapRect { get }
    /// The name, as plain text; `nil`, the default, for none.
    var title: String? { get }
    /// The subtitle, as plain text; `nil`, the default, for none.
    var subtitle: String? { get }
}

extension Overlay {
    /// The centre of ``boundingMapRect``.
    public var coordinate: Coordinate { boundingMapRect.center.coordinate }
    /// No title.
    public var title: String? { nil }
    /// No subtitle.
    public var subtitle: String? { nil }
}

/// The position of an overlay among the layers of the map (MapKit's `MKOverlayLevel`).
public enum OverlayLevel: String, Hashable, Sendable, Encodable {
    /// Above land and roads, below the labels.
    case aboveRoads
    /// Above the labels.
    case aboveLabels
}

/// The base class of the shapes (MapKit's `MKShape`).
@MainActor
open class Shape: Overlay {
    /// The name, as plain text; `nil`, the default, for none.
    public var title: String?
    /// The subtitle, as plain text; `nil`, the default, for none.
    public var subtitle: String?
    /// The course of the line along its length; `nil`, the default, for none. With one, a click on the line shows its name, its
    /// length and a diagram. Set it before the shape is on a map.
    public var profile: LineProfile?

    /// True if users may remove the line in the page's list of tracks, which has it for that, also without a ``profile``; the
    /// delegate receives ``MapViewDelegate/mapView(_:userDidRemove:)``. Default `false`. Set it before the overlay is added to a
    /// map.
    public var isRemovableByUser = false

    init() {}

    /// The smallest rectangle that contains the shape.
    open var boundingMapRect: MapRect { .null }
    /// The geometry that the page draws.
    var geometry: WireGeometry { .lines([]) }
}

extension WireGeometry {
    init(_ line: LineGeometry) { self = .lines(line.lines.map(\.positions)) }

    init(_ area: AreaGeometry) {
        self = .polygons(area.polygons.map { [$0.exterior.ring] + $0.interiors.map(\.ring) })
    }
}

extension [MapPoint] {
    var positions: [WirePosition] { map { WirePosition($0) } }

    /// Rings end where they begin (RFC 7946, 3.1.6).
    fileprivate var ring: [WirePosition] { positions + (first.map { [WirePosition($0)] } ?? []) }
}

extension WirePosition {
    init(_ coordinate: Coordinate) { self.init(longitude: coordinate.longitude, latitude: coordinate.latitude) }

    init(_ point: MapPoint) { self.init(longitude: point.continuousLongitude, latitude: point.latitude) }

    /// The coordinate, wrapped into the world.
    var coordinate: Coordinate { Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude) }
}
