import LocationClient
public import LocationModel
public import MapModel

// The visible region.

extension MapView {
    static let zoomLimits = 0.0...22.0

    /// Where the map is looked at from. Setting it moves the map at once.
    public var camera: MapCamera {
        get { camera(at: target) }
        set { setCamera(newValue, animated: false) }
    }

    /// Looks from `camera`.
    public func setCamera(_ camera: MapCamera, animated: Bool) { go(to: .camera(camera), animated: animated) }

    /// The middle of what is visible.
    public var centerCoordinate: Coordinate {
        get { target.center.coordinate }
        set { setCenter(newValue, animated: false) }
    }

    /// Shows `coordinate` in the middle, as closely as now.
    public func setCenter(_ coordinate: Coordinate, animated: Bool) {
        var camera = camera
        // The camera's distance means another zoom elsewhere; the zoom is what stays.
        camera = MapCamera(
            center: coordinate, zoom: target.zoom, pitch: camera.pitch, heading: camera.heading, in: viewport)
        setCamera(camera, animated: animated)
    }

    /// The visible region, as seen from above with north up. Setting it shows all of the region, and so more on the longer side.
    public var region: CoordinateRegion {
        get { CoordinateRegion(viewport.mapRect(center: target.center, zoom: target.zoom)) }
        set { setRegion(newValue, animated: false) }
    }

    /// Shows all of `region`, on pages of every size until a person moves the map.
    public func setRegion(_ region: CoordinateRegion, animated: Bool) {
        go(to: .rect(MapRect(region), padding: 0), animated: animated)
    }

    /// The region that is visible after `region` was set.
    public func regionThatFits(_ region: CoordinateRegion) -> CoordinateRegion {
        let look = look(for: .rect(MapRect(region), padding: 0))
        return CoordinateRegion(viewport.mapRect(center: look.center, zoom: look.zoom))
    }

    /// The visible rectangle; if the map is turned or tilted, the smallest upright one around it.
    public var visibleMapRect: MapRect {
        get {
            viewport.mapRect(
                center: target.center, zoom: target.zoom, heading: target.heading, pitch: target.pitch)
        }
        set { setVisibleMapRect(newValue, animated: false) }
    }

    /// Shows all of `rect` with `edgePadding` pixels free on each side.
    public func setVisibleMapRect(_ rect: MapRect, edgePadding: Double = 0, animated: Bool) {
        go(to: .rect(rect, padding: edgePadding), animated: animated)
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
    public func convert(_ point: ViewPoint, toCoordinateFromMapView look: Void = ()) -> Coordinate {
        let rect = viewport.mapRect(center: target.center, zoom: target.zoom)
        return MapPoint(
            x: rect.minX + point.x / viewport.width * rect.width, y: rect.minY + point.y / viewport.height * rect.height
        ).coordinate
    }

    // MARK: Moving

    /// Where the map is, or is on its way to.
    var target: Look { destination?.look ?? look }

    func camera(at look: Look) -> MapCamera {
        MapCamera(
            center: look.center.coordinate, zoom: look.zoom, pitch: look.pitch, heading: look.heading, in: viewport)
    }

    /// Moves the map by the program's will.
    private func go(to wish: Wish, animated: Bool) {
        self.wish = wish
        // As in MapKit: whoever moves the map away from the user no longer follows them.
        if tracking.mode != .none { handle(tracking.select(.none), animated: animated) }
        move(to: look(for: wish), animated: animated)
    }

    func move(to new: Look, animated: Bool) {
        let isAnimated = animated && !hub.isEmpty
        delegate?.mapView(self, regionWillChangeAnimated: isAnimated)
        arrive(tellingDelegate: destination != nil)
        if isAnimated {
            lastSequence += 1
            destination = (new, lastSequence)
        } else {
            look = new
            annotationTable.lookDidChange()
        }
        hub.broadcast(.camera, wireCamera(animated: isAnimated))
        cameraRevision = hub.revision
        if !isAnimated { didMove(isAtRest: true, animated: false) }
    }

    /// Ends a move that is under way.
    func arrive(tellingDelegate: Bool) {
        guard let destination else { return }
        look = destination.look
        self.destination = nil
        annotationTable.lookDidChange()
        if tellingDelegate { didMove(isAtRest: true, animated: true) }
    }

    func didMove(isAtRest: Bool, animated: Bool) {
        delegate?.mapViewDidChangeVisibleRegion(self)
        if isAtRest { delegate?.mapView(self, regionDidChangeAnimated: animated) }
    }

    /// Where to look from to see what is wished for.
    func look(for wish: Wish) -> Look {
        switch wish {
        case .camera(let camera):
            return Look(
                center: MapPoint(camera.centerCoordinate), zoom: camera.zoom(in: viewport, limits: Self.zoomLimits),
                heading: camera.heading, pitch: min(max(camera.pitch, 0), 60))
        case .rect(let rect, let padding):
            guard !rect.isNull else { return target }
            let zoom = viewport.zoom(fitting: rect, padding: padding, limits: Self.zoomLimits)
            // Nothing fills a place without extent; as close as that is of no use.
            return Look(center: rect.center, zoom: rect.isEmpty ? min(zoom, 16) : zoom, heading: 0, pitch: 0)
        }
    }

    func wireCamera(animated: Bool, of page: String? = nil) -> WireCamera {
        let look = animated ? target : look
        return WireCamera(
            center: WirePosition(look.center.wrapped), zoom: look.zoom, heading: look.heading, pitch: look.pitch,
            animated: animated, sequence: animated ? destination?.sequence : nil, page: page)
    }
}

// Cameras of pages.

extension MapView {
    /// A page has another size.
    func receive(viewport size: Viewport, from page: String) {
        if leader == nil { leader = page }
        guard leader == page, size != viewport else { return }
        viewport = size
        // The program's wish, for this size.
        if let wish, destination == nil, tracking.mode == .none {
            move(to: look(for: wish), animated: false)
        } else {
            annotationTable.lookDidChange()
            delegate?.mapViewDidChangeVisibleRegion(self)
        }
    }

    /// A page looks from elsewhere.
    func receive(_ camera: PageMessage.Camera, from page: String) {
        switch camera.cause {
        case .gesture, .control, .address:
            guard mayBeMoved(by: camera) else { return }
            leader = page
            wish = nil
        case .program, .tracking:
            guard leader == page else { return }
        }
        if let destination {
            // Of a move before this one, or of the program's own move that has arrived.
            if camera.cause == .program {
                guard camera.sequence == nil || camera.sequence == destination.sequence else { return }
                if !camera.isMoving { return arrive(tellingDelegate: true) }
            } else {
                self.destination = nil
            }
        }
        let isByHand = [.gesture, .control, .address].contains(camera.cause)
        if isByHand, !isBeingMoved { delegate?.mapView(self, regionWillChangeAnimated: camera.isMoving) }
        look = Look(
            center: MapPoint(camera.center.coordinate), zoom: camera.zoom, heading: camera.heading,
            pitch: camera.pitch)
        annotationTable.lookDidChange()
        if isByHand {
            let wasMoving = isBeingMoved
            isBeingMoved = camera.isMoving
            hub.broadcast(.camera, wireCamera(animated: false, of: page))
            didMove(isAtRest: !camera.isMoving, animated: wasMoving)
        } else {
            didMove(isAtRest: !camera.isMoving && camera.cause == .tracking, animated: true)
        }
    }

    /// A static map stays where it is, whatever a page says. While it may be zoomed it moves, too, towards the pointer.
    private func mayBeMoved(by camera: PageMessage.Camera) -> Bool {
        if camera.cause == .address { return followsAddress }
        return isZoomEnabled || isScrollEnabled || isRotateEnabled || isPitchEnabled
    }

    /// A page has gone.
    func pageDidLeave(_ page: String) {
        annotationTable.breakOffDrags(of: page)
        guard leader == page else { return }
        leader = hub.pages.keys.first
        isBeingMoved = false
        arrive(tellingDelegate: true)
    }
}
