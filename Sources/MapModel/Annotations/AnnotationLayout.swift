/// Which annotations' views are shown at a zoom, and which form clusters: MapKit's rules, laid out once a zoom step for the
/// whole world, so that moving the map regroups nothing.
///
/// As MapKit documents:
/// - Views with the same clustering identifier that collide become one cluster, whatever their priorities; without an
///   identifier they never do.
/// - Of two other views that collide, the one with the lower display priority is hidden; a required one never is.
/// - The collision mode gives a view's shape: its rectangle, the circle inside it, or none.
///
/// Where MapKit's documentation is silent:
/// - A cluster stands where its member with the highest display priority does (among equals, one that is chosen by its
///   number), and keeps standing there while others join or leave.
/// - Clusters are made first; then clusters and single views compete for places. Of equal priority clusters go first, then
///   views in an order that is arbitrary but always the same. A view may join or be hidden by one that is shown only, never
///   by one that is hidden itself; when it is hidden, so are its members.
/// - A view that collides with both one of its own identifier and another one joins the former.
/// - Annotations without an identifier that stand within half a view of each other collide for certain: only the one
///   with the highest priority competes for a place, even if it does not get one.
/// - Views collide as with north up and no pitch; nothing regroups when the map turns.
/// - All clusters of an identifier have the same size for collisions, that of ``ClusterAppearance``.
///
/// Cost: laying out anew is linear in the number of annotations. An edit looks only at what it is in the way of, about one
/// other view on average. The largest view sets how far all of them search for neighbours: views of a thousand pixels make
/// all slower.
///
/// A layout is a value: a page with another zoom takes a copy and sets that.
public struct AnnotationLayout: Sendable {
    private var store = ItemStore()
    private var grid: LayoutGrid
    /// How many annotations there were when all was laid out anew: the grid is made for about so many.
    private var countLaidOut = 0

    /// A layout of no annotations for `zoom`.
    public init(zoom: Double) {
        grid = LayoutGrid(store, step: ZoomStep(zoom))
    }

    /// How many annotations there are.
    public var count: Int { store.count }

    /// The zoom that is laid out.
    public var step: ZoomStep { grid.step }

    /// The annotation `id`, if it is there, with its point inside the world.
    public func item(_ id: AnnotationID) -> LayoutItem? {
        store.slot(of: id).map { store.item(at: $0) }
    }
}

// MARK: - Changes

extension AnnotationLayout {
    /// A change of one annotation.
    public enum Edit: Hashable, Sendable {
        /// Adds an annotation, or changes the one with the same number.
        case set(LayoutItem)
        /// Removes the annotation with this number; nothing happens if there is none.
        case remove(AnnotationID)
    }

    /// Makes the edits one after the other, with one change of the layout at the end.
    ///
    /// The result is the same as with a new layout of the annotations that are there then. Many edits at once are laid out
    /// anew: it is cheaper.
    public mutating func apply(_ edits: some Collection<Edit>) -> Regrouping {
        guard !edits.isEmpty else { return .none }
        let needed = (store.halfWidth, store.halfHeight)
        guard edits.count <= 64 + store.count / 16 else {
            let former = self
            store.reserveCapacity(store.count + edits.count)
            for edit in edits { make(edit) }
            layOutAnew()
            return former.count == 0 ? .none : Regrouping(from: former)
        }
        grid.beginEdit()
        for edit in edits { makeInGrid(edit) }
        let origins = grid.settle(store)
        if needed != (store.halfWidth, store.halfHeight) || store.count > 2 * countLaidOut + 64 { layOutAnew() }
        return Regrouping(recorded: origins)
    }

    private mutating func make(_ edit: Edit) {
        switch edit {
        case .set(let item): _ = store.set(store.record(for: item))
        case .remove(let id): store.remove(id)
        }
    }

    private mutating func makeInGrid(_ edit: Edit) {
        switch edit {
        case .set(let item):
            let record = store.record(for: item)
            if let slot = store.slot(of: item.id) {
                guard store.records[Int(slot)] != record else { return }
                grid.remove(slot, store)
            }
            grid.add(store.set(record), store)
        case .remove(let id):
            guard let slot = store.slot(of: id) else { return }
            grid.remove(slot, store)
            store.remove(id)
        }
    }

    /// Lays out for `zoom`, if that is another step than the present one; `nil` if it is not.
    public mutating func setZoom(_ zoom: Double) -> Regrouping? {
        let step = grid.step.next(for: zoom)
        guard step != grid.step else { return nil }
        let former = self
        layOutAnew(at: step)
        return Regrouping(from: former)
    }

    /// Sets the size and priority of the clusters of `identifier`. Lays out anew if that is a change.
    public mutating func setAppearance(_ appearance: ClusterAppearance, ofClusters identifier: String) -> Regrouping {
        guard store.appearance(of: identifier) != appearance else { return .none }
        let former = self
        store.setAppearance(appearance, of: identifier)
        layOutAnew()
        return Regrouping(from: former)
    }

    /// Lays out all annotations again, with the same result: what a change of zoom costs.
    package mutating func layOutAnew() { layOutAnew(at: grid.step) }

    private mutating func layOutAnew(at step: ZoomStep) {
        store.sortByPlace()
        grid = LayoutGrid(store, step: step)
        countLaidOut = store.count
    }
}

// MARK: - What is shown

extension AnnotationLayout {
    /// How many views a page holds at most.
    public static let viewLimit = 200

    /// The views that stand in `rect`, which may reach over the 180th meridian, or within `margin` map points around it.
    ///
    /// At most `limit`: those in `rect` first, among these by display priority. Among equals it is always the same ones.
    public func views(
        in rect: MapRect, margin: MapSize = MapSize(width: 0, height: 0), limit: Int = viewLimit
    ) -> [PlacedView] {
        let edges = [rect.minX, rect.minY, rect.maxX, rect.maxY, margin.width, margin.height]
        guard edges.allSatisfy({ abs($0) < 1e15 }) else { return [] }
        return grid.views(in: rect, margin: margin, limit: limit, store)
    }

    /// The view that shows the annotation `id`; `nil` if it is hidden or not there.
    public func view(showing id: AnnotationID) -> ViewID? {
        store.slot(of: id).flatMap { grid.view(showing: $0, store) }
    }

    /// The annotations that `view` shows, by number; none if it is not on the map.
    public func members(of view: ViewID) -> [AnnotationID] {
        guard let slot = store.slot(of: view.leader) else { return [] }
        var members: [AnnotationID] = []
        grid.forEachMember(ofViewLedBy: slot) { members.append(store.records[Int($0)].id) }
        return members.sorted { $0.rawValue < $1.rawValue }
    }

    /// The smallest rectangle with all annotations that `view` shows; it may reach over the 180th meridian. Null if the
    /// view is not on the map. Of no size if its annotations all stand at the same place: no zoom takes them apart.
    public func mapRect(of view: ViewID) -> MapRect {
        guard let slot = store.slot(of: view.leader) else { return .null }
        let center = store.records[Int(slot)].point
        var points: [MapPoint] = []
        grid.forEachMember(ofViewLedBy: slot) { points.append(store.records[Int($0)].point.nearest(to: center)) }
        return MapRect(containing: points)
    }
}
