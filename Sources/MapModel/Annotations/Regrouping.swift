/// Which annotation's view showed an annotation before a layout changed, so that a page can let views come out of the ones
/// that showed them. After a change of zoom it holds the whole layout from before: let it go when the page has been told.
public struct Regrouping: Sendable {
    /// What edits have recorded.
    private var recorded: [AnnotationID: AnnotationID]
    /// The whole layout from before, where it has been made anew.
    private var former: [AnnotationLayout]

    /// Nothing has changed.
    public static let none = Regrouping(recorded: [:], former: [])

    init(recorded: [AnnotationID: AnnotationID]) { self.init(recorded: recorded, former: []) }

    init(from former: AnnotationLayout) { self.init(recorded: [:], former: [former]) }

    private init(recorded: [AnnotationID: AnnotationID], former: [AnnotationLayout]) {
        self.recorded = recorded
        self.former = former
    }

    /// The leader of the view that showed `id` before, if one did. Asked of annotations that lead a view now and did not
    /// before.
    public func formerLeader(of id: AnnotationID) -> AnnotationID? {
        recorded[id] ?? former.first?.view(showing: id)?.leader
    }

    /// Both changes as one, this one first.
    public func followed(by later: Regrouping) -> Regrouping {
        guard former.isEmpty else { return self }
        return Regrouping(recorded: recorded.merging(later.recorded) { first, _ in first }, former: later.former)
    }
}
