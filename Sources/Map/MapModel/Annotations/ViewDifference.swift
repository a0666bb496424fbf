/// The changes that turn one set of visible views into another.
public struct ViewDifference: Hashable, Sendable {
    /// A view to add.
    public struct Arrival: Hashable, Sendable {
        /// The view to add.
        public var view: PlacedView
        /// The view that showed its representative before, from which the new view splits off; `nil` if the view
        /// appears in place.
        public var origin: PlacedView?
    }

    /// A view to remove.
    public struct Departure: Hashable, Sendable {
        /// The view to remove.
        public var view: PlacedView
        /// The view that shows its representative now, which the old view joins; `nil` if the view disappears in place.
        public var destination: PlacedView?
    }

    /// The views to add.
    public var added: [Arrival] = []
    /// The views to remove.
    public var removed: [Departure] = []
    /// The views to move.
    public var moved: [PlacedView] = []
    /// The views whose members changed.
    public var changed: [PlacedView] = []

    /// True if there are no changes.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && moved.isEmpty && changed.isEmpty }

    /// Creates the changes from `old` to `new`. `new` are views of `layout`, and `regrouping` is the change of that
    /// layout. A view that is both moved and changed is in both lists.
    public init(
        from old: [PlacedView], to new: [PlacedView], layout: AnnotationLayout, regrouping: Regrouping = .none
    ) {
        let oldViews = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
        let newViews = Dictionary(new.map { ($0.id, $0) }) { first, _ in first }
        let oldRepresentatives = Dictionary(old.map { ($0.id.representative, $0) }) { first, _ in first }
        for view in new {
            guard let known = oldViews[view.id] else {
                // When a view of one annotation becomes a cluster with the same representative, or the reverse, its origin is
                // itself.
                let origin =
                    oldRepresentatives[view.id.representative]
                    ?? regrouping.formerRepresentative(of: view.id.representative).flatMap { oldRepresentatives[$0] }
                added.append(Arrival(view: view, origin: origin))
                continue
            }
            if known.point != view.point { moved.append(view) }
            var placed = known
            placed.point = view.point
            if placed != view { changed.append(view) }
        }
        for view in old where newViews[view.id] == nil {
            let destination = layout.view(showing: view.id.representative).flatMap { newViews[$0] }
            removed.append(Departure(view: view, destination: destination))
        }
    }
}
