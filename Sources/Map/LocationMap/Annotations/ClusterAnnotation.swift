public import LocationModel
import MapModel

/// The annotation of a cluster, in place of several annotations whose views collide (MapKit's `MKClusterAnnotation`).
@MainActor
public final class ClusterAnnotation: Annotation {
    /// The annotations in the cluster, the one with the highest display priority first.
    public let memberAnnotations: [any Annotation]
    /// The position of the cluster.
    public internal(set) var coordinate: Coordinate
    /// The title; by default the number of members, such as “67 places”. (MapKit's is the title of one of them.)
    public var title: String? { didSet { annotationDidChange() } }
    /// The second line of the callout; `nil`, the default, for none.
    public var subtitle: String? { didSet { annotationDidChange() } }

    /// Creates a cluster of `memberAnnotations`, of which there must be at least one.
    public init(memberAnnotations: [any Annotation]) {
        self.memberAnnotations = memberAnnotations
        title = Self.title(ofMembers: memberAnnotations.count)
        let rect = MapRect(containing: memberAnnotations.map { MapPoint($0.coordinate) })
        coordinate = rect.isNull ? Coordinate(clampingLatitude: 0, wrappingLongitude: 0) : rect.center.coordinate
    }

    /// Returns the default title, with the digits of `count` in groups of three.
    static func title(ofMembers count: Int) -> String {
        func grouped(_ count: Int) -> String {
            count < 1000 ? "\(count)" : grouped(count / 1000) + "," + String("\(1000 + count % 1000)".dropFirst())
        }
        return grouped(count) + (count == 1 ? " place" : " places")
    }
}
