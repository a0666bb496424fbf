/// The identity of a view on the map: of one annotation or of a cluster.
public enum ViewID: Hashable, Sendable {
    /// The view of one annotation.
    case annotation(AnnotationID)
    /// The view of several annotations, of which this one has the highest rank. The identity lasts, across zooms, as
    /// long as that annotation represents the cluster.
    case cluster(AnnotationID)

    /// The annotation, or the one that represents its cluster.
    public var representative: AnnotationID {
        switch self {
        case .annotation(let id), .cluster(let id): id
        }
    }
}

/// A visible view.
public struct PlacedView: Hashable, Sendable {
    /// The identity of the view.
    public var id: ViewID
    /// The position of its annotation, or of its cluster's representative.
    public var point: MapPoint
    /// The number of annotations in it; 1 for a single one.
    public var memberCount: Int
    /// A hash of the members, independent of their order.
    public var membership: UInt64
    /// The clustering identifier of its annotations; `nil` if there is none.
    public var clusteringIdentifier: String?
}
