// Controls: compass, scale, tracking button and others.

extension MapView {
    /// True if the map has a compass, which is visible while the map is rotated. Default true. For other settings add a
    /// ``CompassButton``.
    public var showsCompass: Bool {
        get { shows(.compass) }
        set { show(newValue, .compass) { CompassButton(mapView: self) } }
    }

    /// True if the map has a scale, which is visible while the map is zoomed. Default false. For other settings add a
    /// ``ScaleView``.
    public var showsScale: Bool {
        get { shows(.scale) }
        set { show(newValue, .scale) { ScaleView(mapView: self) } }
    }

    /// True if the map has zoom buttons. Default false.
    public var showsZoomControls: Bool {
        get { shows(.zoom) }
        set { show(newValue, .zoom) { ZoomControl(mapView: self) } }
    }

    /// True if the map has a pitch button. Default false.
    public var showsPitchControl: Bool {
        get { shows(.pitch) }
        set { show(newValue, .pitch) { PitchControl(mapView: self) } }
    }

    /// True if the map has a tracking button. Default false.
    public var showsUserTrackingButton: Bool {
        get { shows(.tracking) }
        set { show(newValue, .tracking) { UserTrackingButton(mapView: self) } }
    }

    /// Adds a control to the map or to the bar below it. A control of the same kind is replaced.
    public func addControl(_ control: MapControl) {
        controls.removeAll { $0.kind == control.kind }
        controls.append(control)
        controlsChanged()
    }

    /// Removes a control.
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
                order: order)
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
