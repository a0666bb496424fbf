/// The style of a declared ``Map`` (`MapStyle` of MapKit for SwiftUI).
public struct MapStyle: Hashable, Sendable {
    let type: MapType
    let pointsOfInterest: PointOfInterestFilter?

    /// Land, roads and labels, with all points of interest.
    public static let standard = MapStyle(type: .standard, pointsOfInterest: nil)
    /// Satellite images.
    public static let imagery = MapStyle(type: .satellite, pointsOfInterest: nil)
    /// Satellite images with roads and labels, with all points of interest.
    public static let hybrid = MapStyle(type: .hybrid, pointsOfInterest: nil)

    /// Returns land, roads and labels, with some points of interest.
    public static func standard(pointsOfInterest: PointOfInterestFilter) -> MapStyle {
        MapStyle(type: .standard, pointsOfInterest: pointsOfInterest)
    }

    /// Returns satellite images with roads and labels, with some points of interest.
    public static func hybrid(pointsOfInterest: PointOfInterestFilter) -> MapStyle {
        MapStyle(type: .hybrid, pointsOfInterest: pointsOfInterest)
    }
}
