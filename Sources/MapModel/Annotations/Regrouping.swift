/// The previous representatives of annotations after a change of the layout, so that views can split off from those that showed
/// them. After a change of zoom it holds the previous layout: release it when the page has been updated.
public struct Regrouping: Sendable {
    /// The changes recorded by edits.
    private var recorded: [AnnotationID: AnnotationID]
    /// The previous layout, after a new layout.
    private var former: [AnnotationLayout]

    /// No changes.
    public static let none = Regrouping(recorded: [:], former: [])

    init(recorded: [AnnotationID: AnnotationID]) { self.init(recorded: recorded, former: []) }

    init(from former: AnnotationLayout) { self.init(recorded: [:], former: [former]) }

    private init(recorded: [AnnotationID: AnnotationID], former: [AnnotationLayout]) {
        self.recorded = recorded
        self.former = former
    }

    /// The representative of the view that showed `id` before, if there was one. For annotations that represent a view now and did
    /// not before.
    public func formerRepresentative(of id: AnnotationID) -> AnnotationID? {
        recorded[id] ?? former.first?.view(showing: id)?.representative
    }

    /// This change followed by another.
    public func followed(by later: Regrouping) -> Regrouping {
        guard former.isEmpty else { return self }
        return Regrouping(recorded: recorded.merging(later.recorded) { first, _ in first }, former: later.former)
    }
}
