/// The representatives of annotations before a change of the layout. With them, a new view appears to split off from
/// the one that showed it before.
///
/// After a change of zoom this holds the previous layout: release it once the page is updated.
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

    /// Returns the representative of the view that showed `id` before, or `nil` if there was none. For an annotation
    /// that represents a view now and did not before.
    public func formerRepresentative(of id: AnnotationID) -> AnnotationID? {
        recorded[id] ?? former.first?.view(showing: id)?.representative
    }

    /// Returns this change followed by another.
    public func followed(by later: Regrouping) -> Regrouping {
        guard former.isEmpty else { return self }
        return Regrouping(recorded: recorded.merging(later.recorded) { first, _ in first }, former: later.former)
    }
}
