// Controls: compass, scale, tracking button and others.

extension MapView {
    /// True if the map has a compass of its own, which is visible while the map is rotated. Default true. For other settings
    /// add a ``CompassButton``, which takes its place.
    public var showsCompass: Bool {
        get { ownControls.contains(.compass) }
        set { show(newValue, .compass) }
    }

    /// True if the map has a scale of its own, which is visible while the map is zoomed. Default false. For other settings
    /// add a ``ScaleView``, which takes its place.
    public var showsScale: Bool {
        get { ownControls.contains(.scale) }
        set { show(newValue, .scale) }
    }

    /// True if the map has zoom buttons of its own. Default false. A ``ZoomControl`` that is added takes their place.
    public var showsZoomControls: Bool {
        get { ownControls.contains(.zoom) }
        set { show(newValue, .zoom) }
    }

    /// True if the map has a pitch button of its own. Default false. A ``PitchControl`` that is added takes its place.
    public var showsPitchControl: Bool {
        get { ownControls.contains(.pitch) }
        set { show(newValue, .pitch) }
    }

    /// True if the map has a tracking button of its own. Default false. A ``UserTrackingButton`` that is added takes its
    /// place.
    public var showsUserTrackingButton: Bool {
        get { ownControls.contains(.tracking) }
        set { show(newValue, .tracking) }
    }

    /// Adds a control to the map or to the bar below it, also beside others of its kind. Of ``SearchField`` there is one: it
    /// replaces that which was added before. The map's own control of the kind gives way: ``showsCompass`` and its siblings
    /// govern only that.
    public func addControl(_ control: MapControl) {
        controls.removeAll { $0 === control || $0.kind == .search && control.kind == .search }
        controls.append(control)
        controlsChanged()
    }

    /// Removes a control that was added. The map's own one of its kind returns if its property is true.
    public func removeControl(_ control: MapControl) {
        controls.removeAll { $0 === control }
        controlsChanged()
    }

    func controlsChanged() { changed([.controls, .map]) }

    /// The controls as the page shows them.
    var wireControls: [WireControl] {
        let added = Set(controls.map(\.kind))
        // The order in which the page places them.
        let own = [MapControl.Kind.compass, .tracking, .pitch, .zoom, .scale]
            .filter { ownControls.contains($0) && !added.contains($0) }
        return (own.map { $0.control(for: nil) } + controls).enumerated().compactMap { order, control in
            guard control.visibility != .hidden else { return nil }
            return WireControl(
                kind: control.kind, placement: control.placement, visibility: control.visibility, unit: control.unit,
                alignment: control.alignment, hasOwnRows: control.hasOwnRows ? true : nil,
                placeholder: control.prompt, layer: control.layer.wire, order: order)
        }
    }

    /// The search field; `nil` without one.
    var searchField: SearchField? { controls.lazy.compactMap { $0 as? SearchField }.first }

    private func show(_ isShown: Bool, _ control: MapControl.Kind) {
        guard isShown != ownControls.contains(control) else { return }
        if isShown { ownControls.insert(control) } else { ownControls.remove(control) }
        controlsChanged()
    }
}

extension MapControl.Kind {
    /// Returns a control of this kind with its standard settings.
    @MainActor func control(for map: MapView?) -> MapControl {
        switch self {
        case .compass: CompassButton(mapView: map)
        case .scale: ScaleView(mapView: map)
        case .tracking: UserTrackingButton(mapView: map)
        case .zoom: ZoomControl(mapView: map)
        case .mapType: MapTypeControl(mapView: map)
        case .fullScreen: FullScreenControl(mapView: map)
        case .pitch: PitchControl(mapView: map)
        case .search: SearchField(mapView: map)
        }
    }
}
