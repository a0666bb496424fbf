/// The changes that turn one set of visible views into another.
public struct ViewDifference: Hashable, Sendable {
    /// A view to add.
    public struct Arrival: Hashable, Sendable {
        /// The view.
        public var view: PlacedView
        /// The view that has shown its representative so far, from which the new view splits off. `nil` if it simply appears.
        public var origin: PlacedView?
    }

    /// A view to remove.
    public struct Departure: Hashable, Sendable {
        /// The view.
        public var view: PlacedView
        /// The view that shows its representative from now on, which the old view joins. `nil` if it simply disappears.
        public var destination: PlacedView?
    }

    /// Views to add.
    public var added: [Arrival] = []
    /// Views to remove.
    public var removed: [Departure] = []
    /// Views to move.
    public var moved: [PlacedView] = []
    /// Views with other members, selection or drawing order.
    public var changed: [PlacedView] = []

    /// True if there are no changes.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && moved.isEmpty && changed.isEmpty }

    /// The changes from `old` to `new`, views of `layout`, which resulted from the layout of `old` by `regrouping`. A
    /// view that is both moved and changed is listed in both.
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
