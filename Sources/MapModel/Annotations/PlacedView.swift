/// A view on the map: that of one annotation or that of a cluster.
public enum ViewID: Hashable, Sendable {
    /// The view of one annotation.
    case annotation(AnnotationID)
    /// The view of several annotations, of which this one has the highest rank. As long as it does, and at other zooms
    /// too, the cluster that it leads has this number.
    case cluster(AnnotationID)

    /// The annotation, or the one that the cluster stands at.
    public var leader: AnnotationID {
        switch self {
        case .annotation(let id), .cluster(let id): id
        }
    }
}

/// A view that is to be shown.
public struct PlacedView: Hashable, Sendable {
    /// Which view this is.
    public var id: ViewID
    /// Where it stands: where its annotation does, or the cluster's leader.
    public var point: MapPoint
    /// How many annotations it shows; 1 for one that stands alone.
    public var memberCount: Int
    /// A number that differs when the members differ, whatever their order.
    public var membership: UInt64
    /// The identifier of the annotation or of all of the cluster's.
    public var clusteringIdentifier: String?
    /// How it is drawn among overlapping views.
    public var zPriority: AnnotationViewZPriority
    /// Whether its annotation is selected.
    public var isSelected: Bool
}

extension Sequence<PlacedView> {
    /// The order to draw views in, the topmost last, as MapKit draws them: by their z priority, among equals selected ones
    /// last, then the farther south the later.
    public func inDrawingOrder() -> [PlacedView] {
        sorted { left, right in
            if left.zPriority != right.zPriority { return left.zPriority < right.zPriority }
            if left.isSelected != right.isSelected { return right.isSelected }
            if left.point.y != right.point.y { return left.point.y < right.point.y }
            return left.id.leader.rawValue < right.id.leader.rawValue
        }
    }
}
