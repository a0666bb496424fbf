/// The number of an annotation in a layout. The program that lays out gives it; it stays the annotation's own.
public struct AnnotationID: RawRepresentable, Hashable, Sendable {
    /// Any number.
    public let rawValue: UInt32

    /// The annotation with number `rawValue`.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number, shuffled (MurmurHash3's `fmix32`, by A. Appleby): no two numbers become the same.
    var shuffled: UInt32 {
        var bits = rawValue &+ 0x9E37_79B9
        bits = (bits ^ (bits >> 16)) &* 0x85EB_CA6B
        bits = (bits ^ (bits >> 13)) &* 0xC2B2_AE35
        return bits ^ (bits >> 16)
    }
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
    /// Which of two overlapping views is drawn on top.
    public var zPriority: AnnotationViewZPriority
    /// A selected annotation stands alone: it joins no cluster, is never hidden and hides nothing.
    public var isSelected: Bool

    /// An annotation at `point`.
    public init(
        id: AnnotationID, point: MapPoint, frame: ViewFrame, clusteringIdentifier: String? = nil,
        displayPriority: FeatureDisplayPriority = .required, zPriority: AnnotationViewZPriority = .defaultUnselected,
        isSelected: Bool = false
    ) {
        self.id = id
        self.point = point
        self.frame = frame
        self.clusteringIdentifier = clusteringIdentifier
        self.displayPriority = displayPriority
        self.zPriority = zPriority
        self.isSelected = isSelected
    }
}

/// How the clusters of one clustering identifier look to a layout.
public struct ClusterAppearance: Hashable, Sendable {
    /// The size of their views.
    public var frame: ViewFrame
    /// Their priority among other views; `nil` for the highest of their members.
    public var displayPriority: FeatureDisplayPriority?
    /// Which of two overlapping views is drawn on top.
    public var zPriority: AnnotationViewZPriority

    /// Clusters with views of size `frame`.
    public init(
        frame: ViewFrame, displayPriority: FeatureDisplayPriority? = nil,
        zPriority: AnnotationViewZPriority = .defaultUnselected
    ) {
        self.frame = frame
        self.displayPriority = displayPriority
        self.zPriority = zPriority
    }

    /// Discs of 40 pixels.
    public static let standard = ClusterAppearance(frame: ViewFrame(width: 40, height: 40, collisionMode: .circle))
}
