/// The visible annotation views and clusters at a zoom, by MapKit's rules. Laid out once a zoom step for the whole
/// world, so that moving the map regroups nothing.
///
/// As MapKit documents:
/// - Views with the same clustering identifier that collide become one cluster, whatever their priorities; without an
///   identifier they never do.
/// - Of two other views that collide, the one with the lower display priority is hidden; a required one never is.
/// - The collision mode gives a view's shape: its rectangle, the circle inside it, or none.
///
/// Rules that MapKit's documentation does not state:
/// - A cluster has the position of its member with the highest display priority (among equals, one chosen by its
///   number), and keeps it while others join or leave.
/// - Clusters are formed first; then clusters and single views compete for places. Of equal priority clusters go first,
///   then views in an arbitrary but constant order. A view joins or yields to visible views only, never to a hidden
///   one; when a cluster is hidden, so are its members.
/// - A view that collides with one of its own identifier and with another one joins the former.
/// - Annotations without an identifier within half a view of each other always collide: only the one with the highest
///   priority competes for a place, even if it does not get one.
/// - A cluster also takes in views and clusters of its identifier that come within ``clusterMargin`` of it. Where
///   annotations are dense, clusters are therefore few and apart, instead of pairs that fill the screen.
/// - Collisions are tested with north up and without pitch; nothing regroups when the map rotates.
/// - All clusters of an identifier have the same size for collisions, that of ``ClusterAppearance``.
///
/// A new layout takes linear time in the number of annotations. An edit evaluates only the affected views, about one
/// other view on average. The largest view determines how far neighbours are searched: views of a thousand pixels slow
/// everything down.
///
/// A layout is a value: a page with another zoom copies it and sets its own.
public struct AnnotationLayout: Sendable {
    private var store = ItemStore()
    private var grid: LayoutGrid
    /// The number of annotations at the last new layout, for which the grid was made.
    private var countLaidOut = 0

    /// Creates a layout without annotations, at the step of `zoom`.
    public init(zoom: Double) {
        grid = LayoutGrid(store, step: ZoomStep(zoom))
    }

    /// The number of annotations.
    public var count: Int { store.count }

    /// The zoom step of the layout.
    public var step: ZoomStep { grid.step }

    /// The annotation `id`, if it exists, with its point wrapped into the world.
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

    /// Applies the edits in order and updates the layout once.
    ///
    /// The result is the same as that of a new layout of the final annotations. Many edits at once cause a new layout,
    /// which is cheaper.
    public mutating func apply(_ edits: some Collection<Edit>) -> Regrouping {
        guard !edits.isEmpty else { return .none }
        let reach = (store.viewReach, store.clusterReach)
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
        if reach != (store.viewReach, store.clusterReach) || store.count > 2 * countLaidOut + 64 { layOutAnew() }
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

    /// Lays out for `zoom`; returns `nil` if its step is the current one.
    public mutating func setZoom(_ zoom: Double) -> Regrouping? {
        let step = grid.step.next(for: zoom)
        guard step != grid.step else { return nil }
        let former = self
        layOutAnew(at: step)
        return Regrouping(from: former)
    }

    /// Sets the size and priority of the clusters of `identifier`, with a new layout if they change.
    public mutating func setAppearance(_ appearance: ClusterAppearance, ofClusters identifier: String) -> Regrouping {
        guard store.appearance(of: identifier) != appearance else { return .none }
        let former = self
        store.setAppearance(appearance, of: identifier)
        layOutAnew()
        return Regrouping(from: former)
    }

    /// Repeats the layout with the same result. For benchmarks.
    package mutating func layOutAnew() { layOutAnew(at: grid.step) }

    private mutating func layOutAnew(at step: ZoomStep) {
        store.sortByPlace()
        grid = LayoutGrid(store, step: step)
        countLaidOut = store.count
    }
}

// MARK: - Queries

extension AnnotationLayout {
    /// The number of views on a page above which it has none outside the visible region.
    public static let viewLimit = 200

    /// The distance from a cluster's view, in pixels, within which it takes in views of its identifier.
    public static let clusterMargin: Float = 24

    /// The views that show an annotation in `rect`, which may extend across the 180th meridian; then those within
    /// `margin` map points around it, by display priority, up to `limit` views in all. The choice among equals is
    /// constant.
    ///
    /// The views for `rect` are complete, whatever their number: an annotation in it has its own view, is in the
    /// cluster of one, or is hidden by its display priority. A cluster may be outside `rect` while a member is inside.
    public func views(
        in rect: MapRect, margin: MapSize = MapSize(width: 0, height: 0), limit: Int = viewLimit
    ) -> [PlacedView] {
        let edges = [rect.minX, rect.minY, rect.maxX, rect.maxY, margin.width, margin.height]
        guard edges.allSatisfy({ abs($0) < 1e15 }) else { return [] }
        return grid.views(in: rect, margin: margin, limit: limit, store)
    }

    /// The view that shows the annotation `id`; `nil` if it is hidden or does not exist.
    public func view(showing id: AnnotationID) -> ViewID? {
        store.slot(of: id).flatMap { grid.view(showing: $0, store) }
    }

    /// The annotations in `view`, by number; empty if it is not on the map.
    public func members(of view: ViewID) -> [AnnotationID] {
        guard let slot = store.slot(of: view.representative) else { return [] }
        var members: [AnnotationID] = []
        grid.forEachMember(ofViewRepresentedBy: slot) { members.append(store.records[Int($0)].id) }
        return members.sorted { $0.rawValue < $1.rawValue }
    }

    /// The smallest rectangle that contains all annotations in `view`; it may extend across the 180th meridian. Null if
    /// the view is not on the map, and without size if all its annotations have the same position, so that no zoom
    /// separates them.
    public func mapRect(of view: ViewID) -> MapRect {
        guard let slot = store.slot(of: view.representative) else { return .null }
        let center = store.records[Int(slot)].point
        var points: [MapPoint] = []
        grid.forEachMember(ofViewRepresentedBy: slot) {
            points.append(store.records[Int($0)].point.nearest(to: center))
        }
        return MapRect(containing: points)
    }
}
