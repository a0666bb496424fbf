public import LocationModel
public import MapModel

/// An area or a line on the map (MapKit's `MKOverlay`). How it looks says an ``OverlayRenderer``.
@MainActor
public protocol Overlay: AnyObject {
    /// Its middle.
    var coordinate: Coordinate { get }
    /// The rectangle that holds all of it.
    var boundingMapRect: MapRect { get }
    /// Its name, as plain text.
    var title: String? { get }
    /// Its subtitle, as plain text.
    var subtitle: String? { get }
}

extension Overlay {
    /// The middle of the rectangle that holds it.
    public var coordinate: Coordinate { boundingMapRect.center.coordinate }
    /// None.
    public var title: String? { nil }
    /// None.
    public var subtitle: String? { nil }
}

/// Between what of the map an overlay is drawn (MapKit's `MKOverlayLevel`).
public enum OverlayLevel: String, Hashable, Sendable, Encodable {
    /// Above roads and areas, below the labels.
    case aboveRoads
    /// Above the labels.
    case aboveLabels
}

/// The base class of this library's shapes (MapKit's `MKShape`).
@MainActor
open class Shape: Overlay {
    /// Its name.
    public var title: String?
    /// Its subtitle.
    public var subtitle: String?

    init() {}

    /// The rectangle that holds all of it.
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

    /// The position, one turn of the world or more away perhaps.
    var coordinate: Coordinate { Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude) }
}
