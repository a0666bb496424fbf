import LocationClient
public import LocationModel
public import MapModel

// The visible region.

extension MapView {
    /// The camera. Setting it moves the map at once.
    public var camera: MapCamera {
        get { cameraState.camera }
        set { setCamera(newValue, animated: false) }
    }

    /// Moves to `camera`.
    public func setCamera(_ camera: MapCamera, animated: Bool) { show(.camera(camera), animated: animated) }

    /// The middle of the visible region.
    public var centerCoordinate: Coordinate {
        get { cameraState.target.center.coordinate }
        set { setCenter(newValue, animated: false) }
    }

    /// Shows `coordinate` in the middle, at the present zoom.
    public func setCenter(_ coordinate: Coordinate, animated: Bool) {
        // The camera's distance means another zoom elsewhere; the zoom is what stays.
        let camera = MapCamera(
            center: coordinate, zoom: cameraState.target.zoom, pitch: camera.pitch, heading: camera.heading,
            in: cameraState.viewport)
        setCamera(camera, animated: animated)
    }

    /// The visible region, as seen from above with north up. Setting it shows all of the region, and so more on the longer side.
    public var region: CoordinateRegion {
        get { CoordinateRegion(cameraState.northUpRect) }
        set { setRegion(newValue, animated: false) }
    }

    /// Shows all of `region`, on pages of every size until a person moves the map.
    public func setRegion(_ region: CoordinateRegion, animated: Bool) {
        show(.rect(MapRect(region), padding: 0), animated: animated)
    }

    /// The region that is visible after `region` was set.
    public func regionThatFits(_ region: CoordinateRegion) -> CoordinateRegion {
        let viewpoint = cameraState.viewpoint(for: .rect(MapRect(region), padding: 0))
        return CoordinateRegion(cameraState.viewport.mapRect(center: viewpoint.center, zoom: viewpoint.zoom))
    }

    /// The visible rectangle; if the map is turned or tilted, the smallest upright one around it.
    public var visibleMapRect: MapRect {
        get { cameraState.visibleRect(from: cameraState.target) }
        set { setVisibleMapRect(newValue, animated: false) }
    }

    /// Shows all of `rect` with `edgePadding` pixels free on each side.
    public func setVisibleMapRect(_ rect: MapRect, edgePadding: Double = 0, animated: Bool) {
        show(.rect(rect, padding: edgePadding), animated: animated)
    }

    /// Puts `annotations` onto the map, if they are not there yet, and shows all of them.
    public func showAnnotations(_ annotations: [any Annotation], animated: Bool) {
        addAnnotations(annotations.filter { !annotationTable.contains($0) })
        show(annotations, animated: animated)
    }

    func show(_ annotations: [any Annotation], animated: Bool) {
        var points = annotations.map { MapPoint($0.coordinate) }
        guard let first = points.first else { return }
        // All on the side of the world where the first is, so that two at the 180th meridian are near each other.
        points = points.map { $0.nearest(to: first) }
        setVisibleMapRect(MapRect(containing: points), edgePadding: 64, animated: animated)
    }

    /// The place that is at a point of the map's page, from its upper left corner.
    public func convert(_ point: ViewPoint, toCoordinateFromMapView view: Void = ()) -> Coordinate {
        let (rect, viewport) = (cameraState.northUpRect, cameraState.viewport)
        return MapPoint(
            x: rect.minX + point.x / viewport.width * rect.width, y: rect.minY + point.y / viewport.height * rect.height
        ).coordinate
    }

    // MARK: Moving

    /// Moves the map because the program wants it.
    private func show(_ framing: CameraState.Framing, animated: Bool) {
        let viewpoint = cameraState.frame(framing)
        // As in MapKit: a program that moves the map away from the user no longer follows them.
        user.stopFollowing(animated: animated)
        move(to: viewpoint, animated: animated)
    }

    private func move(to viewpoint: CameraState.Viewpoint, animated: Bool) {
        let isAnimated = animated && !hub.isEmpty
        delegate?.mapView(self, regionWillChangeAnimated: isAnimated)
        arrive()
        cameraState.move(to: viewpoint, animated: isAnimated)
        if !isAnimated { annotationTable.viewpointDidChange() }
        updates.send(cameraState.wire(animated: isAnimated))
        if !isAnimated { didMove(isAtRest: true, animated: false) }
    }

    /// Ends a move that is under way.
    private func arrive() {
        guard cameraState.arrive() else { return }
        annotationTable.viewpointDidChange()
        didMove(isAtRest: true, animated: true)
    }

    private func didMove(isAtRest: Bool, animated: Bool) {
        delegate?.mapViewDidChangeVisibleRegion(self)
        if isAtRest { delegate?.mapView(self, regionDidChangeAnimated: animated) }
    }

    // MARK: Cameras of pages

    /// A page has another size.
    func receive(viewport size: Viewport, from page: String) {
        guard cameraState.resize(to: size, by: page) else { return }
        // The program's framing, in this size.
        if let framing = cameraState.framing, !cameraState.isMoving, userTrackingMode == .none {
            move(to: cameraState.viewpoint(for: framing), animated: false)
        } else {
            annotationTable.viewpointDidChange()
            delegate?.mapViewDidChangeVisibleRegion(self)
        }
    }

    /// A page's camera has moved.
    func receive(_ camera: PageMessage.Camera, from page: String) {
        guard interaction.allows(camera.cause) else { return }
        switch cameraState.receive(camera, from: page) {
        case .ignored: return
        case .arrived: return arrive()
        case .accepted: break
        }
        let isByPerson = camera.cause.isPerson
        let wasMovedByPerson = cameraState.isMovedByPerson
        if isByPerson, !wasMovedByPerson { delegate?.mapView(self, regionWillChangeAnimated: camera.isMoving) }
        cameraState.accept(camera)
        annotationTable.viewpointDidChange()
        if isByPerson {
            updates.send(cameraState.wire(animated: false, of: page))
            didMove(isAtRest: !camera.isMoving, animated: wasMovedByPerson)
        } else {
            didMove(isAtRest: !camera.isMoving && camera.cause == .tracking, animated: true)
        }
    }

    /// A page has gone.
    func pageDidLeave(_ page: String) {
        annotationTable.breakOffDrags(of: page)
        if cameraState.deactivate(page, next: hub.pages.keys.first) { arrive() }
    }
}
