public import LocationModel
import MapModel

/// The annotation of a cluster, in place of several annotations whose views collide (MapKit's `MKClusterAnnotation`).
@MainActor
public final class ClusterAnnotation: Annotation {
    /// The annotations in the cluster, the one with the highest display priority first.
    public let memberAnnotations: [any Annotation]
    /// The position of the cluster.
    public internal(set) var coordinate: Coordinate
    /// The title; by default that of the first member.
    public var title: String? { didSet { annotationDidChange() } }
    /// The second line of the callout; by default the number of the other members.
    public var subtitle: String? { didSet { annotationDidChange() } }

    /// Creates a cluster of `memberAnnotations`, of which there must be at least one.
    public init(memberAnnotations: [any Annotation]) {
        self.memberAnnotations = memberAnnotations
        title = memberAnnotations.lazy.compactMap(\.title).first
        subtitle = memberAnnotations.count > 1 ? "+\(memberAnnotations.count - 1) more" : nil
        let rect = MapRect(containing: memberAnnotations.map { MapPoint($0.coordinate) })
        coordinate = rect.isNull ? Coordinate(clampingLatitude: 0, wrappingLongitude: 0) : rect.center.coordinate
    }
}
