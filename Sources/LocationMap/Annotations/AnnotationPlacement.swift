import MapModel

/// The layout of a map's annotations, the edits that it does not have yet, and the views that it has placed on the pages.
struct AnnotationPlacement {
    private var layout = AnnotationLayout(zoom: 0)
    private var edits: [AnnotationID: AnnotationLayout.Edit] = [:]
    private var placed: [PlacedView] = []
    private var clusterAppearances: [String: ClusterAppearance] = [:]
    /// The changes of groups that the placed views do not show yet.
    private var regrouping = Regrouping.none
    /// False if the last edits may have changed views that are placed.
    private(set) var isSettled = true

    /// Places an item anew with the next ``settle()``.
    mutating func set(_ item: LayoutItem) { edits[item.id] = .set(item) }

    /// Removes an item with the next ``settle()``.
    mutating func remove(_ id: AnnotationID) { edits[id] = .remove(id) }

    /// Applies the edits.
    mutating func settle() {
        isSettled = edits.isEmpty
        regrouping = regrouping.followed(by: layout.apply(Array(edits.values)))
        edits = [:]
    }

    mutating func setZoom(_ zoom: Double) {
        if let zoomed = layout.setZoom(zoom) { regrouping = regrouping.followed(by: zoomed) }
    }

    /// Gives the clusters of an identifier another appearance.
    mutating func setAppearance(_ appearance: ClusterAppearance, ofClusters identifier: String) {
        guard clusterAppearances[identifier] != appearance else { return }
        clusterAppearances[identifier] = appearance
        isSettled = false
        regrouping = regrouping.followed(by: layout.setAppearance(appearance, ofClusters: identifier))
    }

    /// The views that pages show of a rectangle, and their difference from those of the last call.
    mutating func place(in rect: MapRect) -> (views: [PlacedView], difference: ViewDifference) {
        // A screen more on each side, so that moving shows what is there already.
        let new = layout.views(in: rect, margin: rect.size)
        let difference = ViewDifference(from: placed, to: new, layout: layout, regrouping: regrouping)
        placed = new
        regrouping = .none
        return (new, difference)
    }

    /// The members of a cluster, the one of the highest rank first.
    func members(of id: ViewID) -> [AnnotationID] {
        [id.representative] + layout.members(of: id).filter { $0 != id.representative }
    }
}
