public import FoundationEssentials

/// A decoder of GeoJSON (RFC 7946; MapKit's `MKGeoJSONDecoder`) to annotations and overlays.
///
/// ```swift
/// func show(_ objects: [any GeoJSONObject]) {
///     for object in objects {
///         if let feature = object as? GeoJSONFeature { show(feature.geometry) }
///         if let annotation = object as? any Annotation { map.addAnnotation(annotation) }
///         if let overlay = object as? any Overlay { map.addOverlay(overlay) }
///     }
/// }
/// ```
///
/// Documents are read strictly: positions are longitude and latitude in degrees (WGS 84), rings are closed, and an object has no
/// two members of the same name. Either order of a ring's corners is accepted. Heights, `bbox` and foreign members are ignored,
/// and a geometry with empty `coordinates` is left out.
public struct GeoJSONDecoder: Sendable {
    /// The greatest size of a document, 64 MiB.
    public static let maximumSize = 64 << 20

    /// Creates a decoder.
    public init() {}

    /// Decodes a document: the features of a collection or a single feature, as ``GeoJSONFeature``; or a geometry on its own, as
    /// ``GeoJSONFeature/geometry`` has it.
    ///
    /// - Throws: ``GeoJSONError``, which names the place in the document.
    @MainActor
    public func decode(_ data: Data) throws(GeoJSONError) -> [any GeoJSONObject] {
        switch try GeoJSONReader.read(data) {
        case .features(let features): features.map { GeoJSONFeature($0) }
        case .geometry(let geometries): geometries.flatMap(\.objects)
        }
    }
}

/// An error in a GeoJSON document.
public struct GeoJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the document, from 1.
    public let line: Int
    /// The path of the value, such as `features[2].geometry.coordinates[0]`; empty for the document itself.
    public let path: String
    /// The reason, without a full stop.
    public let reason: String

    /// A sentence for people. It contains no positions.
    public var description: String {
        "Line \(line) of the GeoJSON document\(path.isEmpty ? "" : ", \(path)"): \(reason)."
    }
}
