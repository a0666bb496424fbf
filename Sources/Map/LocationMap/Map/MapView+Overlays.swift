import MapModel

// Overlays.

extension MapView {
    /// The overlays on the map, in drawing order.
    public var overlays: [any Overlay] { overlayTable.entries.map(\.overlay) }

    /// Adds an overlay, above the others of its level.
    public func addOverlay(_ overlay: any Overlay, level: OverlayLevel = .aboveLabels) {
        insertOverlay(overlay, at: overlayTable.entries.count, level: level)
    }

    /// Adds overlays, above the others of their level.
    public func addOverlays(_ overlays: [any Overlay], level: OverlayLevel = .aboveLabels) {
        for overlay in overlays { addOverlay(overlay, level: level) }
    }

    /// Inserts an overlay at `index` of ``overlays``, below the one that is there now.
    public func insertOverlay(_ overlay: any Overlay, at index: Int, level: OverlayLevel = .aboveLabels) {
        overlayTable.insert(overlay, level: level, at: index)
        changed(.overlays)
    }

    /// Exchanges the drawing order of the overlays at two indices.
    public func exchangeOverlay(at first: Int, withOverlayAt second: Int) {
        overlayTable.exchange(first, second)
        changed(.overlays)
    }

    /// Brings overlays into an order, and adds those that are absent, each above the one before it. The overlays of others stay
    /// above the same one of these.
    func arrangeOverlays(_ overlays: [any Overlay], level: (any Overlay) -> OverlayLevel) {
        if overlayTable.arrange(overlays, level: level) { changed(.overlays) }
    }

    /// Removes an overlay. Has no effect if it is absent.
    public func removeOverlay(_ overlay: any Overlay) { removeOverlays([overlay]) }

    /// Removes overlays.
    public func removeOverlays(_ overlays: [any Overlay]) {
        for overlay in overlays { overlayTable.remove(overlay) }
        changed(.overlays)
    }

    /// Returns the renderer of an overlay; `nil` until a page shows it.
    public func renderer(for overlay: any Overlay) -> OverlayRenderer? {
        overlayTable.index(of: overlay).flatMap { overlayTable.entries[$0].renderer }
    }

    /// Asks the delegate for the renderers that are missing, and tells it that they were added. The delegate may read and change
    /// the overlays meanwhile.
    func addMissingRenderers() {
        while true {
            var added: [OverlayRenderer] = []
            for overlay in overlayTable.overlaysWithoutRenderer {
                let renderer =
                    declared.renderer(for: overlay, on: self) ?? delegate?.mapView(self, rendererFor: overlay)
                    ?? defaultRenderer(for: overlay)
                guard overlayTable.setRenderer(renderer, of: overlay) else { continue }
                renderer.map = self
                added.append(renderer)
            }
            if added.isEmpty { return }
            delegate?.mapView(self, didAdd: added)
        }
    }

    /// Returns a new renderer of the kind that an overlay has without a delegate: shapes are blue, areas are filled with a fifth of
    /// that, tiles are themselves, and an overlay of the program's own is not drawn.
    public func defaultRenderer(for overlay: any Overlay) -> OverlayRenderer {
        if overlay is TileOverlay { return TileOverlayRenderer(overlay: overlay) }
        guard overlay is Shape else { return OverlayRenderer(overlay: overlay) }
        let renderer = OverlayPathRenderer(overlay: overlay)
        renderer.strokeColor = .blue
        renderer.lineWidth = overlay is Polyline || overlay is MultiPolyline ? 4 : 2
        if !(overlay is Polyline || overlay is MultiPolyline) {
            renderer.fillColor = Color.blue.withAlpha(0.2)
        }
        return renderer
    }
}
