public import LocationModel
import MapModel

/// The annotation that stands for several whose views collide (MapKit's `MKClusterAnnotation`).
@MainActor
public final class ClusterAnnotation: Annotation {
    /// Its annotations, the most important first.
    public let memberAnnotations: [any Annotation]
    /// The middle of them.
    public internal(set) var coordinate: Coordinate
    /// By default the title of the first.
    public var title: String? { didSet { annotationDidChange() } }
    /// By default how many more there are.
    public var subtitle: String? { didSet { annotationDidChange() } }

    /// A cluster of `memberAnnotations`, of which there is at least one.
    public init(memberAnnotations: [any Annotation]) {
        self.memberAnnotations = memberAnnotations
        title = memberAnnotations.lazy.compactMap(\.title).first
        subtitle = memberAnnotations.count > 1 ? "+\(memberAnnotations.count - 1) more" : nil
        let rect = MapRect(containing: memberAnnotations.map { MapPoint($0.coordinate) })
        coordinate = rect.isNull ? Coordinate(clampingLatitude: 0, wrappingLongitude: 0) : rect.center.coordinate
    }
}
