/// The number of an annotation in a layout. The program that lays out gives it; it stays the annotation's own.
public struct AnnotationID: RawRepresentable, Hashable, Sendable {
    /// Any number.
    public let rawValue: UInt32

    /// The annotation with number `rawValue`.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// What a layout needs to know of an annotation and its view.
public struct LayoutItem: Hashable, Sendable {
    /// Which annotation this is.
    public var id: AnnotationID
    /// Where it stands.
    public var point: MapPoint
    /// The size of its view.
    public var frame: ViewFrame
    /// Annotations with the same identifier become a cluster when their views collide; without one it never does
    /// (MapKit's `clusteringIdentifier`).
    public var clusteringIdentifier: String?
    /// Which of two colliding views is shown.
    public var displayPriority: FeatureDisplayPriority
    /// A selected annotation stands alone: it joins no cluster, is never hidden and hides nothing.
    public var isSelected: Bool

    /// An annotation at `point`.
    public init(
        id: AnnotationID, point: MapPoint, frame: ViewFrame, clusteringIdentifier: String? = nil,
        displayPriority: FeatureDisplayPriority = .required, isSelected: Bool = false
    ) {
        self.id = id
        self.point = point
        self.frame = frame
        self.clusteringIdentifier = clusteringIdentifier
        self.displayPriority = displayPriority
        self.isSelected = isSelected
    }
}

/// How the clusters of one clustering identifier look to a layout.
public struct ClusterAppearance: Hashable, Sendable {
    /// The size of their views.
    public var frame: ViewFrame
    /// Their priority among other views; `nil` for the highest of their members.
    public var displayPriority: FeatureDisplayPriority?

    /// Clusters with views of size `frame`.
    public init(frame: ViewFrame, displayPriority: FeatureDisplayPriority? = nil) {
        self.frame = frame
        self.displayPriority = displayPriority
    }
}
