/// What has to happen on a page that shows some views so that it shows others.
public struct ViewDifference: Hashable, Sendable {
    /// A view that comes.
    public struct Arrival: Hashable, Sendable {
        /// The view.
        public var view: PlacedView
        /// The view on the page that showed its leader until now: the new view splits from it. `nil` if it simply appears.
        public var origin: PlacedView?
    }

    /// A view that goes.
    public struct Departure: Hashable, Sendable {
        /// The view.
        public var view: PlacedView
        /// The view on the page that shows its leader from now on: the old view joins it. `nil` if it simply disappears.
        public var destination: PlacedView?
    }

    /// Views that come.
    public var added: [Arrival] = []
    /// Views that go.
    public var removed: [Departure] = []
    /// Views that stay, at another place.
    public var moved: [PlacedView] = []
    /// Views that stay, with other members, selection or drawing order.
    public var changed: [PlacedView] = []

    /// Whether nothing has to happen.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && moved.isEmpty && changed.isEmpty }

    /// What has to happen on a page that shows `old` so that it shows `new`, views of `layout`, which has come out of the
    /// one of `old` by `regrouping`. A view that is both moved and changed is listed in both.
    public init(
        from old: [PlacedView], to new: [PlacedView], layout: AnnotationLayout, regrouping: Regrouping = .none
    ) {
        let oldViews = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
        let newViews = Dictionary(new.map { ($0.id, $0) }) { first, _ in first }
        let oldLeaders = Dictionary(old.map { ($0.id.leader, $0) }) { first, _ in first }
        for view in new {
            guard let known = oldViews[view.id] else {
                // A view of one annotation that leads a cluster now, or the reverse, comes out of itself.
                let origin =
                    oldLeaders[view.id.leader] ?? regrouping.formerLeader(of: view.id.leader).flatMap { oldLeaders[$0] }
                added.append(Arrival(view: view, origin: origin))
                continue
            }
            if known.point != view.point { moved.append(view) }
            var placed = known
            placed.point = view.point
            if placed != view { changed.append(view) }
        }
        for view in old where newViews[view.id] == nil {
            let destination = layout.view(showing: view.id.leader).flatMap { newViews[$0] }
            removed.append(Departure(view: view, destination: destination))
        }
    }
}
