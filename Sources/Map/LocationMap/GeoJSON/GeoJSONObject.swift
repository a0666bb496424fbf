public import FoundationEssentials
import LocationModel

/// An object of a GeoJSON document (MapKit's `MKGeoJSONObject`): a ``GeoJSONFeature``, ``PointAnnotation``, ``Polyline``,
/// ``MultiPolyline``, ``Polygon`` or ``MultiPolygon``.
@MainActor
public protocol GeoJSONObject: AnyObject {}

extension PointAnnotation: GeoJSONObject {}
extension Polyline: GeoJSONObject {}
extension MultiPolyline: GeoJSONObject {}
extension Polygon: GeoJSONObject {}
extension MultiPolygon: GeoJSONObject {}

/// A feature of a GeoJSON document (MapKit's `MKGeoJSONFeature`): what is at a place, and its properties.
@MainActor
public final class GeoJSONFeature: GeoJSONObject {
    /// The identifier; a number as it is written. `nil` if there is none.
    public let identifier: String?
    /// The properties, as a JSON object to decode; `nil` if there are none.
    public let properties: Data?
    /// The annotations and overlays: several of a geometry collection, one ``PointAnnotation`` for each point of a MultiPoint,
    /// none of a null geometry.
    public let geometry: [any GeoJSONObject]

    init(_ draft: GeoJSONReader.Feature) {
        identifier = draft.identifier
        properties = draft.properties
        geometry = draft.geometry.flatMap(\.objects)
    }
}

extension GeoJSONReader.Geometry {
    /// The annotations or overlays of the geometry.
    @MainActor var objects: [any GeoJSONObject] {
        switch self {
        case .points(let points): points.map { PointAnnotation(coordinate: $0) }
        case .line(let line): [Polyline(coordinates: line)]
        case .lines(let lines): [MultiPolyline(lines.map { Polyline(coordinates: $0) })]
        case .area(let rings): [Self.polygon(rings)]
        case .areas(let areas): [MultiPolygon(areas.map(Self.polygon))]
        }
    }

    /// The first ring is the outer one.
    @MainActor private static func polygon(_ rings: [[Coordinate]]) -> Polygon {
        Polygon(coordinates: rings[0], interiorPolygons: rings.dropFirst().map { Polygon(coordinates: $0) })
    }
}
