// Controls: compass, scale, tracking button and others.

extension MapView {
    /// True if there is a compass, which shows while the map is turned. For more to say, add a ``CompassButton``.
    public var showsCompass: Bool {
        get { shows(.compass) }
        set { show(newValue, .compass) { CompassButton(mapView: self) } }
    }

    /// True if there is a scale, which shows while the map is zoomed. For more to say, add a ``ScaleView``.
    public var showsScale: Bool {
        get { shows(.scale) }
        set { show(newValue, .scale) { ScaleView(mapView: self) } }
    }

    /// True if there are buttons that zoom.
    public var showsZoomControls: Bool {
        get { shows(.zoom) }
        set { show(newValue, .zoom) { ZoomControl(mapView: self) } }
    }

    /// True if there is a button that tilts the map.
    public var showsPitchControl: Bool {
        get { shows(.pitch) }
        set { show(newValue, .pitch) { PitchControl(mapView: self) } }
    }

    /// True if there is a button that follows the user.
    public var showsUserTrackingButton: Bool {
        get { shows(.tracking) }
        set { show(newValue, .tracking) { UserTrackingButton(mapView: self) } }
    }

    /// Puts a control onto the map, or onto the bar below it. There is one of each kind: another one gives way.
    public func addControl(_ control: MapControl) {
        controls.removeAll { $0.kind == control.kind }
        controls.append(control)
        controlsChanged()
    }

    /// Takes a control away.
    public func removeControl(_ control: MapControl) {
        controls.removeAll { $0 === control }
        controlsChanged()
    }

    func controlsChanged() { changed([.controls, .map]) }

    var wireControls: [WireControl] {
        controls.enumerated().compactMap { order, control in
            guard control.visibility != .hidden else { return nil }
            return WireControl(
                kind: control.kind, placement: control.placement, visibility: control.visibility, unit: control.unit,
                steps: control.kind == .scale ? WireScaleStep.all : nil, order: order)
        }
    }

    private func shows(_ kind: MapControl.Kind) -> Bool {
        controls.contains { $0.kind == kind && $0.visibility != .hidden }
    }

    private func show(_ isShown: Bool, _ kind: MapControl.Kind, _ make: () -> MapControl) {
        guard isShown != shows(kind) else { return }
        controls.removeAll { $0.kind == kind }
        if isShown { controls.append(make()) }
        controlsChanged()
    }
}
