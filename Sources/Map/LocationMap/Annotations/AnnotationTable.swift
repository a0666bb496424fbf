import LocationModel
import MapModel

/// The annotations of a map, their views, and the part of them that pages show.
///
/// ``AnnotationLayout`` decides which annotations are shown and which form clusters, and needs the sizes of all views
/// for that. The table requests each view from the delegate once, keeps its measures, and keeps the view itself only
/// while it is shown.
@MainActor
final class AnnotationTable {
    /// A view on the pages.
    struct Shown {
        let view: AnnotationView
        var wire: WireView
    }

    /// The limit for measured views that are kept because they may soon be shown.
    private static let maximumSpareViews = AnnotationLayout.viewLimit
    /// The limit for the members of a cluster that a callout lists.
    private static let maximumChoices = 100

    weak var map: MapView?
    var reuse = ViewReuse()

    private(set) var registry = AnnotationRegistry()
    private var placement = AnnotationPlacement()
    /// The annotations whose views have not been made yet.
    private var unmeasured: Set<AnnotationID> = []
    var shown: [ViewID: Shown] = [:]
    private var spareViews: Set<AnnotationID> = []
    /// The views whose appearance has changed.
    private var restyled: Set<ViewID> = []

    var selection: Selection?
    var drag: Drag?

    // MARK: Annotations

    func contains(_ annotation: any Annotation) -> Bool { registry.id(of: annotation) != nil }

    func add(_ annotations: some Sequence<any Annotation>) {
        for annotation in annotations {
            if let id = registry.add(annotation) { unmeasured.insert(id) }
        }
        map?.changed(.views)
    }

    func remove(_ annotations: some Sequence<any Annotation>) {
        for annotation in annotations {
            guard let (id, entry) = registry.remove(annotation) else { continue }
            if selection?.annotation === annotation { deselect() }
            if unmeasured.remove(id) == nil { placement.remove(id) }
            // A view on the pages is enqueued with the next change; any other view now.
            if spareViews.remove(id) != nil, let view = entry.view { reuse.enqueue(view) }
        }
        map?.changed(.views)
    }

    func annotationDidChange(_ annotation: any Annotation) {
        if let id = registry.id(of: annotation) {
            registry[id]?.item.point = MapPoint(annotation.coordinate)
            if !unmeasured.contains(id), let item = registry[id]?.item { placement.set(item) }
            restyle(.annotation(id))
            map?.changed(.views)
        } else if annotation is ClusterAnnotation,
            let cluster = shown.first(where: { $0.value.view.annotation === annotation })
        {
            restyle(cluster.key)
            map?.changed(.views)
        } else if annotation === map?.userLocation {
            map?.user.titleDidChange()
        }
    }

    // MARK: Views

    func view(for annotation: any Annotation) -> AnnotationView? {
        if let id = registry.id(of: annotation) { return shown[.annotation(id)]?.view }
        return shown.values.first { $0.view.annotation === annotation }?.view
    }

    /// Returns the view of an annotation, whether it is shown or kept to be shown at once.
    func currentView(of annotation: any Annotation) -> AnnotationView? {
        registry.id(of: annotation).flatMap { registry[$0]?.view }
    }

    /// Returns the view that the page calls `name`.
    func shown(named name: String) -> (id: ViewID, shown: Shown)? {
        guard let number = name.utf8.count < 12 ? UInt32(name.dropFirst()) : nil else { return nil }
        let annotation = AnnotationID(rawValue: number)
        let id: ViewID
        switch name.first {
        case "a": id = .annotation(annotation)
        case "c": id = .cluster(annotation)
        default: return nil
        }
        return shown[id].map { (id, $0) }
    }

    func id(showing view: AnnotationView) -> ViewID? {
        guard let annotation = view.annotation else { return nil }
        if let id = registry.id(of: annotation) { return .annotation(id) }
        return shown.first { $0.value.view === view }?.key
    }

    func viewDidChange(_ view: AnnotationView, _ change: AnnotationView.Change) {
        guard let id = id(showing: view) else { return }
        if change == .layout, case .annotation(let annotation) = id, registry[annotation]?.view === view {
            measure(annotation, by: view)
        }
        restyle(id)
        map?.changed(.views)
    }

    /// Handles a change of the camera or of the map's size.
    func viewpointDidChange() { map?.changed(.views) }

    private func restyle(_ id: ViewID) {
        if shown[id] != nil { restyled.insert(id) }
    }

    private func measure(_ id: AnnotationID, by view: AnnotationView) {
        guard var item = registry[id]?.item else { return }
        view.describe(in: &item)
        guard item != registry[id]?.item || unmeasured.contains(id) else { return }
        registry[id]?.item = item
        unmeasured.remove(id)
        placement.set(item)
    }

    /// Returns the view of an annotation: its present view, else the delegate's, else the default.
    func makeView(of id: AnnotationID) -> AnnotationView? {
        guard let entry = registry[id] else { return nil }
        if let view = entry.view { return view }
        guard let view = makeView(of: entry.annotation, MapViewDefaultAnnotationViewReuseIdentifier) else { return nil }
        registry[id]?.view = view
        measure(id, by: view)
        return view
    }

    func makeView(of annotation: any Annotation, _ identifier: String) -> AnnotationView? {
        guard let map else { return nil }
        let view =
            (annotation as? DeclaredAnnotation)?.makeView(on: map)
            ?? map.delegate?.mapView(map, viewFor: annotation) ?? reuse.dequeue(identifier, for: annotation)
            // No class is registered for it.
            ?? MarkerAnnotationView(annotation: annotation, reuseIdentifier: nil)
        if view.annotation !== annotation { view.annotation = annotation }
        view.map = map
        return view
    }

    private func letGo(_ id: AnnotationID) {
        guard let view = registry[id]?.view else { return }
        registry[id]?.view = nil
        reuse.enqueue(view)
    }

    // MARK: Updates of the pages

    /// Lays out the pending changes, and returns the difference for the pages.
    func update() -> WireViewChanges {
        guard let map else { return WireViewChanges() }
        measureNew()
        placement.settle()
        placement.setZoom(map.cameraState.viewpoint.zoom)
        let rect = map.cameraState.visibleRect(from: map.cameraState.viewpoint)
        var changes = WireViewChanges()
        var added: [AnnotationView] = []
        // A new kind of cluster, or a changed view, brings another size, which requires another layout.
        for _ in 0..<3 {
            let (views, difference) = placement.place(in: rect)
            show(difference, &changes, &added)
            placement.settle()
            measureClusters(views)
            if placement.isSettled { break }
        }
        for id in restyled { refresh(id, &changes) }
        restyled = []
        dropSpareViews()
        if let selection, !isSelectable(selection) { deselect() }
        if !added.isEmpty { map.delegate?.mapView(map, didAdd: added) }
        return changes
    }

    private func measureNew() {
        for id in unmeasured {
            guard let view = makeView(of: id) else { continue }
            measure(id, by: view)
            if spareViews.count < Self.maximumSpareViews {
                spareViews.insert(id)
            } else {
                letGo(id)
            }
        }
        unmeasured = []
    }

    private func measureClusters(_ views: [PlacedView]) {
        var seen: Set<String> = []
        for placed in views {
            guard case .cluster = placed.id, let identifier = placed.clusteringIdentifier,
                seen.insert(identifier).inserted, let view = shown[placed.id]?.view
            else { continue }
            placement.setAppearance(view.clusterAppearance, ofClusters: identifier)
        }
    }

    private func show(_ difference: ViewDifference, _ changes: inout WireViewChanges, _ added: inout [AnnotationView]) {
        for departure in difference.removed {
            let id = departure.view.id
            guard let gone = shown.removeValue(forKey: id) else { continue }
            if let index = changes.show.firstIndex(where: { $0.id == gone.wire.id }) {
                changes.show.remove(at: index)
            } else {
                let destination = departure.destination.map { WirePosition($0.point.wrapped) }
                changes.hide.append(WireViewChanges.Hidden(id: gone.wire.id, to: destination))
            }
            takeBack(gone.view, id)
        }
        for arrival in difference.added {
            guard let view = view(of: arrival.view), var wire = wire(view, arrival.view.id) else { continue }
            shown[arrival.view.id] = Shown(view: view, wire: wire)
            wire.from = arrival.origin.map { WirePosition($0.point.wrapped) }
            changes.show.append(wire)
            added.append(view)
        }
        for view in difference.moved { restyled.insert(view.id) }
        for placed in difference.changed {
            restyled.insert(placed.id)
            // A cluster with other members is another annotation, which needs a view of its own.
            guard case .cluster = placed.id, let old = shown[placed.id] else { continue }
            takeBack(old.view, placed.id)
            guard let view = view(of: placed) else { continue }
            shown[placed.id] = Shown(view: view, wire: old.wire)
        }
    }

    private func takeBack(_ view: AnnotationView, _ id: ViewID) {
        if selection?.view === view, view.annotation is ClusterAnnotation { deselect() }
        switch id {
        case .annotation(let annotation) where registry[annotation]?.view === view: letGo(annotation)
        default: reuse.enqueue(view)
        }
    }

    private func view(of placed: PlacedView) -> AnnotationView? {
        let view: AnnotationView?
        switch placed.id {
        case .annotation(let id):
            view = makeView(of: id)
            spareViews.remove(id)
        case .cluster: view = makeCluster(placed)
        }
        view?.prepareForDisplay()
        return view
    }

    private func makeCluster(_ placed: PlacedView) -> AnnotationView? {
        guard let map else { return nil }
        let annotations = placement.members(of: placed.id).compactMap { registry[$0]?.annotation }
        guard !annotations.isEmpty else { return nil }
        let cluster =
            map.delegate?.mapView(map, clusterAnnotationForMemberAnnotations: annotations)
            ?? ClusterAnnotation(memberAnnotations: annotations)
        cluster.coordinate = placed.point.coordinate
        return makeView(of: cluster, MapViewDefaultClusterAnnotationViewReuseIdentifier)
    }

    private func refresh(_ id: ViewID, _ changes: inout WireViewChanges) {
        guard let current = shown[id], let new = wire(current.view, id), new != current.wire else { return }
        shown[id]?.wire = new
        if let index = changes.show.firstIndex(where: { $0.id == new.id }) {
            let origin = changes.show[index].from
            changes.show[index] = new
            changes.show[index].from = origin
        } else {
            changes.change.append(new)
        }
    }

    private func dropSpareViews() {
        // As in MapKit, the views of a few annotations are kept.
        guard registry.count > Self.maximumSpareViews else { return }
        for id in spareViews { letGo(id) }
        spareViews = []
    }

    /// All views on the pages.
    var wireViews: [WireView] {
        shown.compactMap { id, shown in wire(shown.view, id) }
    }

    /// The form of a view for pages; `nil` once the map is released.
    private func wire(_ view: AnnotationView, _ id: ViewID) -> WireView? {
        guard let map else { return nil }
        var wire = view.wire(id, images: map.images)
        if view.isSelected, let cluster = view.annotation as? ClusterAnnotation,
            wire.callout != nil || listsMembers(of: cluster)
        {
            wire.callout = wire.callout ?? WireCallout(title: cluster.title, subtitle: cluster.subtitle)
            // In the order of their addition.
            let ids = cluster.memberAnnotations.compactMap { registry.id(of: $0) }.sorted { $0.rawValue < $1.rawValue }
            wire.choices = ids.prefix(Self.maximumChoices).map { id in
                let member = registry[id]?.annotation
                return WireChoice(
                    id: ViewID.annotation(id).name, title: member?.title ?? "Annotation", subtitle: member?.subtitle)
            }
        }
        return wire
    }
}
