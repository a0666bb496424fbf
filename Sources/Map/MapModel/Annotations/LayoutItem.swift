/// The number of an annotation in a layout, chosen by the caller and never changed.
public struct AnnotationID: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt32

    /// Creates an identifier from any number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number, scrambled by a bijective hash (MurmurHash3's `fmix32`, by A. Appleby).
    var shuffled: UInt32 {
        var bits = rawValue &+ 0x9E37_79B9
        bits = (bits ^ (bits >> 16)) &* 0x85EB_CA6B
        bits = (bits ^ (bits >> 13)) &* 0xC2B2_AE35
        return bits ^ (bits >> 16)
    }
}

/// The properties of an annotation and its view that its layout depends on.
public struct LayoutItem: Hashable, Sendable {
    /// The annotation's number.
    public var id: AnnotationID
    /// The annotation's position.
    public var point: MapPoint
    /// The size of its view in CSS pixels, and its offset from the position.
    public var frame: ViewFrame
    /// The clustering identifier (MapKit's `clusteringIdentifier`). Colliding views with the same identifier form a
    /// cluster; `nil`, the default, forms none.
    public var clusteringIdentifier: String?
    /// The display priority: of two colliding views the one with the higher priority is shown.
    public var displayPriority: FeatureDisplayPriority
    /// True if the annotation is selected: it joins no cluster, is never hidden and hides nothing.
    public var isSelected: Bool

    /// Creates an annotation at `point`.
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

/// The appearance of the clusters with one clustering identifier.
public struct ClusterAppearance: Hashable, Sendable {
    /// The size of their views.
    public var frame: ViewFrame
    /// Their display priority; `nil`, the default, for the highest one of their members.
    public var displayPriority: FeatureDisplayPriority?

    /// Creates an appearance with views of size `frame`.
    public init(frame: ViewFrame, displayPriority: FeatureDisplayPriority? = nil) {
        self.frame = frame
        self.displayPriority = displayPriority
    }

    /// Discs of 40 pixels.
    public static let standard = ClusterAppearance(frame: ViewFrame(width: 40, height: 40, collisionMode: .circle))
}
