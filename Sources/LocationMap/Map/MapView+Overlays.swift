import MapModel

// Overlays.

extension MapView {
    /// The overlays on the map, in the order in which they are drawn.
    public var overlays: [any Overlay] { overlayTable.entries.map(\.overlay) }

    /// Puts an overlay onto the map, above the others of its level.
    public func addOverlay(_ overlay: any Overlay, level: OverlayLevel = .aboveLabels) {
        insertOverlay(overlay, at: overlayTable.entries.count, level: level)
    }

    /// Puts overlays onto the map, above the others of their level.
    public func addOverlays(_ overlays: [any Overlay], level: OverlayLevel = .aboveLabels) {
        for overlay in overlays { addOverlay(overlay, level: level) }
    }

    /// Puts an overlay onto the map, below the one that is at `index` now.
    public func insertOverlay(_ overlay: any Overlay, at index: Int, level: OverlayLevel = .aboveLabels) {
        overlayTable.insert(overlay, level: level, at: index)
        changed(.overlays)
    }

    /// Lets two overlays change places.
    public func exchangeOverlay(at first: Int, withOverlayAt second: Int) {
        overlayTable.exchange(first, second)
        changed(.overlays)
    }

    /// Takes an overlay off the map.
    public func removeOverlay(_ overlay: any Overlay) { removeOverlays([overlay]) }

    /// Takes overlays off the map.
    public func removeOverlays(_ overlays: [any Overlay]) {
        for overlay in overlays { overlayTable.remove(overlay) }
        changed(.overlays)
    }

    /// Returns the renderer of an overlay, once a page shows it.
    public func renderer(for overlay: any Overlay) -> OverlayRenderer? {
        overlayTable.index(of: overlay).flatMap { overlayTable.entries[$0].renderer }
    }

    func makeRenderer(for overlay: any Overlay) -> OverlayRenderer {
        if let renderer = delegate?.mapView(self, rendererFor: overlay) { return renderer }
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
