import LocationClient
public import LocationModel
public import MapModel
import PageServing

// The visible region.

extension MapView {
    /// The camera: the position from which the map is seen. Default: above the whole world, with north up. While an animated move
    /// lasts it is that of its end. Setting it moves the map at once.
    public var camera: MapCamera {
        get { cameraState.camera }
        set { setCamera(newValue, animated: false) }
    }

    /// Moves the map to `camera`.
    public func setCamera(_ camera: MapCamera, animated: Bool) { show(.camera(camera), animated: animated) }

    /// The coordinate at the centre of the visible region. Setting it moves the map at once.
    public var centerCoordinate: Coordinate {
        get { cameraState.target.center.coordinate }
        set { setCenter(newValue, animated: false) }
    }

    /// Moves the map so that `coordinate` is at the centre, at the present zoom.
    public func setCenter(_ coordinate: Coordinate, animated: Bool) {
        // The camera's distance would give another zoom at another latitude; the zoom is kept.
        let camera = MapCamera(
            center: coordinate, zoom: cameraState.target.zoom, pitch: camera.pitch, heading: camera.heading,
            in: cameraState.viewport)
        setCamera(camera, animated: animated)
    }

    /// The visible region, without pitch and with north up. Setting it shows all of the region at once; the longer side
    /// of the map shows more.
    public var region: CoordinateRegion {
        get { CoordinateRegion(cameraState.northUpRect) }
        set { setRegion(newValue, animated: false) }
    }

    /// Shows all of `region`, on pages of every size, until the user moves the map.
    public func setRegion(_ region: CoordinateRegion, animated: Bool) {
        show(.rect(MapRect(region), padding: 0), animated: animated)
    }

    /// Returns the visible region that results from setting `region`.
    public func regionThatFits(_ region: CoordinateRegion) -> CoordinateRegion {
        CoordinateRegion(mapRectThatFits(MapRect(region)))
    }

    /// The visible rectangle; on a rotated or tilted map the smallest upright one around the visible part.
    public var visibleMapRect: MapRect {
        get { cameraState.visibleRect(from: cameraState.target) }
        set { setVisibleMapRect(newValue, animated: false) }
    }

    /// Shows all of `rect`, with `edgePadding` pixels free on each side. Default 0.
    public func setVisibleMapRect(_ rect: MapRect, edgePadding: Double = 0, animated: Bool) {
        show(.rect(rect, padding: edgePadding), animated: animated)
    }

    /// Adds `annotations` that the map lacks, and shows all of them.
    public func showAnnotations(_ annotations: [any Annotation], animated: Bool) {
        addAnnotations(annotations.filter { !annotationTable.contains($0) })
        show(annotations, animated: animated)
    }

    func show(_ annotations: [any Annotation], animated: Bool) {
        var points = annotations.map { MapPoint($0.coordinate) }
        guard let first = points.first else { return }
        // All points are taken on the side of the world of the first, so that two at the 180th meridian are close.
        points = points.map { $0.nearest(to: first) }
        setVisibleMapRect(MapRect(containing: points), edgePadding: 64, animated: animated)
    }

    /// Returns `rect`, extended to the visible rectangle that results from showing all of it with `edgePadding` pixels free
    /// on each side. Default 0.
    public func mapRectThatFits(_ rect: MapRect, edgePadding: Double = 0) -> MapRect {
        let viewpoint = cameraState.viewpoint(for: .rect(rect, padding: edgePadding))
        return cameraState.viewport.mapRect(center: viewpoint.center, zoom: viewpoint.zoom)
    }

    /// Returns the coordinate that is seen at `point`, measured from the upper left corner of the map's page; above the horizon one
    /// towards it.
    public func convert(_ point: ViewPoint, toCoordinateFrom view: MapView? = nil) -> Coordinate {
        cameraState.perspective.mapPoint(atX: point.x, y: point.y).coordinate
    }

    /// Returns the point at which `coordinate` is seen, measured from the upper left corner of the map's page; it may lie outside.
    /// `nil` behind the camera of a tilted map.
    public func convert(_ coordinate: Coordinate, toPointTo view: MapView? = nil) -> ViewPoint? {
        cameraState.perspective.viewPoint(of: MapPoint(coordinate)).map { ViewPoint(x: $0.x, y: $0.y) }
    }

    // MARK: Moving

    /// Moves the map for the program.
    private func show(_ framing: CameraState.Framing, animated: Bool) {
        let viewpoint = cameraState.frame(framing)
        // As in MapKit, moving the map away from the user ends tracking.
        user.stopFollowing(animated: animated)
        move(to: viewpoint, animated: animated)
    }

    /// Moves a camera that has come outside its limits.
    func keepWithinLimits(animated: Bool) {
        let allowed = cameraState.constrained(cameraState.target)
        if allowed != cameraState.target { move(to: allowed, animated: animated) }
    }

    private func move(to viewpoint: CameraState.Viewpoint, animated: Bool) {
        let isAnimated = animated && !hub.isEmpty
        endPageMove()
        delegate?.mapView(self, regionWillChangeAnimated: isAnimated)
        arrive()
        cameraState.move(to: viewpoint, animated: isAnimated)
        if !isAnimated { annotationTable.viewpointDidChange() }
        updates.send(cameraState.wire(animated: isAnimated))
        if !isAnimated { didMove(isAtRest: true, animated: false) }
    }

    /// Ends the move in progress.
    private func arrive() {
        guard cameraState.arrive() else { return }
        annotationTable.viewpointDidChange()
        didMove(isAtRest: true, animated: true)
    }

    private func endPageMove() {
        if cameraState.endPageMove() { didMove(isAtRest: true, animated: true) }
    }

    private func didMove(isAtRest: Bool, animated: Bool) {
        delegate?.mapViewDidChangeVisibleRegion(self)
        if isAtRest { delegate?.mapView(self, regionDidChangeAnimated: animated) }
        declared.cameraDidChange(of: self, isAtRest: isAtRest)
    }

    // MARK: Cameras of pages

    /// Handles a new size of a page.
    func receive(viewport size: Viewport, from page: String) {
        let limits = cameraState.zoomLimits
        guard cameraState.resize(to: size, by: page) else { return }
        if cameraState.zoomLimits != limits { changed(.map) }
        // The framing is shown again in the new size.
        if let framing = cameraState.framing, !cameraState.isMoving, userTrackingMode == .none {
            move(to: cameraState.viewpoint(for: framing), animated: false)
        } else {
            annotationTable.viewpointDidChange()
            delegate?.mapViewDidChangeVisibleRegion(self)
            declared.cameraDidChange(of: self, isAtRest: true)
            keepWithinLimits(animated: false)
        }
    }

    /// Handles a camera reported by a page.
    func receive(_ camera: PageMessage.Camera, from page: String) {
        guard allows(camera.cause) else { return }
        switch cameraState.receive(camera, from: page) {
        case .ignored: return
        case .arrived: return arrive()
        case .accepted: break
        }
        let limits = cameraState.zoomLimits
        let isByPage = camera.cause != .program
        let isAnimated = camera.isMoving || cameraState.isMovedByPage
        if isByPage, !cameraState.isMovedByPage { delegate?.mapView(self, regionWillChangeAnimated: isAnimated) }
        cameraState.accept(camera)
        if cameraState.zoomLimits != limits { changed(.map) }
        annotationTable.viewpointDidChange()
        if camera.cause.isPerson { updates.send(cameraState.wire(animated: false, of: page)) }
        didMove(isAtRest: isByPage && !camera.isMoving, animated: isAnimated)
    }

    /// Handles the closing of a page.
    func pageDidLeave(_ page: String) {
        annotationTable.breakOffDrags(of: page)
        guard cameraState.deactivate(page, next: hub.pages.keys.first) else { return }
        arrive()
        endPageMove()
    }
}
