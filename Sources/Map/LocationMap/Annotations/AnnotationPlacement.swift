import MapModel

/// The layout of a map's annotations, its pending edits, and the views placed on the pages.
struct AnnotationPlacement {
    private var layout = AnnotationLayout(zoom: 0)
    private var edits: [AnnotationID: AnnotationLayout.Edit] = [:]
    private var placed: [PlacedView] = []
    private var clusterAppearances: [String: ClusterAppearance] = [:]
    /// The changes of groups since the last placement.
    private var regrouping = Regrouping.none
    /// False if pending edits may change placed views.
    private(set) var isSettled = true

    /// Adds or replaces an item at the next ``settle()``.
    mutating func set(_ item: LayoutItem) { edits[item.id] = .set(item) }

    /// Removes an item at the next ``settle()``.
    mutating func remove(_ id: AnnotationID) { edits[id] = .remove(id) }

    /// Applies the pending edits.
    mutating func settle() {
        isSettled = edits.isEmpty
        regrouping = regrouping.followed(by: layout.apply(Array(edits.values)))
        edits = [:]
    }

    mutating func setZoom(_ zoom: Double) {
        if let zoomed = layout.setZoom(zoom) { regrouping = regrouping.followed(by: zoomed) }
    }

    /// Sets the appearance of an identifier's clusters.
    mutating func setAppearance(_ appearance: ClusterAppearance, ofClusters identifier: String) {
        guard clusterAppearances[identifier] != appearance else { return }
        clusterAppearances[identifier] = appearance
        isSettled = false
        regrouping = regrouping.followed(by: layout.setAppearance(appearance, ofClusters: identifier))
    }

    /// Places the views in a rectangle; returns them and the difference from the previous placement.
    mutating func place(in rect: MapRect) -> (views: [PlacedView], difference: ViewDifference) {
        // The margin of a screen on each side lets a moved map show views at once.
        let new = layout.views(in: rect, margin: rect.size)
        let difference = ViewDifference(from: placed, to: new, layout: layout, regrouping: regrouping)
        placed = new
        regrouping = .none
        return (new, difference)
    }

    /// Returns the members of a cluster, the one of the highest rank first.
    func members(of id: ViewID) -> [AnnotationID] {
        [id.representative] + layout.members(of: id).filter { $0 != id.representative }
    }
}
