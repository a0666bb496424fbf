import LocationModel
import MapModel

/// The content of a map that comes from its declaration, and the changes to the next declaration.
///
/// A part of the new declaration is matched with one of the old that is equal, else with one of the same key, which it changes in
/// place. The remaining old parts are removed, and the remaining new ones are added.
@MainActor
final class DeclaredMap {
    /// A part of the declaration, with its object on the map.
    private struct Part {
        let element: MapElement
        var annotation: DeclaredAnnotation?
        var overlay: (any Overlay)?
    }

    private var parts: [Part] = []
    private var pens: [ObjectIdentifier: MapElement.Pen] = [:]
    private var position: MapCameraPosition?
    /// The rectangle of the content that was shown last.
    private var framedRect: MapRect?
    private var controls: [MapControl] = []
    private var declaredControls: [DeclaredControl]?
    private var showsUser = false
    private var selection: Map.Selection?
    private var bounds: MapCameraBounds?
    private var interactionModes: MapInteractionModes?
    private var handlers = Map.Handlers()
    /// True while a declaration is applied, so that its own selection is not reported.
    private var isUpdating = false
    /// The closure whose declaration is shown again after changes; `nil` if a value was shown last.
    private(set) var declare: (@MainActor () -> Map)?
    /// The number of ``declare``.
    private(set) var generation = 0

    /// Replaces the closure that makes the declaration.
    func observe(_ declare: (@MainActor () -> Map)?) {
        generation += 1
        self.declare = declare
    }

    /// Shows `declaration` on `map` in place of the last one.
    func show(_ declaration: Map, on map: MapView) {
        isUpdating = true
        defer { isUpdating = false }
        showContent(declaration.elements, on: map)
        if let style = declaration.style {
            if map.mapType != style.type { map.mapType = style.type }
            if map.pointOfInterestFilter != style.pointsOfInterest {
                map.pointOfInterestFilter = style.pointsOfInterest
            }
        }
        if declaration.controls != declaredControls { show(declaration.controls, on: map) }
        handlers = declaration.handlers
        limit(map, by: declaration.camera)
        let declared = declaration.camera.position
        let newPosition = declaration.camera.isInitial ? position ?? declared : declared
        let follows = if case .userLocation = newPosition { true } else { false }
        let needsUser = follows || declaration.elements.contains { $0.key == .user }
        if needsUser, !showsUser { map.showsUserLocation = true }
        move(map, to: newPosition)
        if showsUser, !needsUser { map.showsUserLocation = false }
        showsUser = needsUser
        selection = declaration.selection
        if let selection { select(selection.tag, on: map) }
    }

    // MARK: Content

    private func showContent(_ elements: [MapElement], on map: MapView) {
        let (kept, left) = match(elements)
        map.removeAnnotations(left.compactMap(\.annotation))
        let overlays = left.compactMap(\.overlay)
        for overlay in overlays { pens[ObjectIdentifier(overlay)] = nil }
        if !overlays.isEmpty { map.removeOverlays(overlays) }
        parts = zip(kept, elements).map { part, element in
            part.map { update($0, to: element, on: map) } ?? make(element)
        }
        let added = zip(kept, parts).compactMap { $0 == nil ? $1.annotation : nil }
        if !added.isEmpty { map.addAnnotations(added) }
        map.arrangeOverlays(parts.compactMap(\.overlay)) { pens[ObjectIdentifier($0)]?.level ?? .aboveLabels }
    }

    /// Returns the old part for each element, if there is one, and the old parts that are left.
    private func match(_ elements: [MapElement]) -> (kept: [Part?], left: [Part]) {
        // Each list is in reverse, so that the first of equal parts is taken first.
        var equal = Dictionary(grouping: parts.indices.reversed()) { parts[$0].element.value }
        var kept = elements.map { equal[$0.value]?.popLast() }
        var similar = Dictionary(grouping: equal.values.flatMap(\.self).sorted(by: >)) { parts[$0].element.key }
        for (index, element) in elements.enumerated() where kept[index] == nil {
            kept[index] = similar[element.key]?.popLast()
        }
        return (kept.map { $0.map { parts[$0] } }, similar.values.flatMap(\.self).map { parts[$0] })
    }

    private func make(_ element: MapElement) -> Part {
        switch element.value.content {
        case .annotation(let title, let coordinate, _):
            return Part(
                element: element, annotation: DeclaredAnnotation(element, title: title, coordinate: coordinate))
        case .overlay(let outline, let pen):
            let overlay = outline.makeOverlay()
            pens[ObjectIdentifier(overlay)] = pen
            return Part(element: element, overlay: overlay)
        case .user: return Part(element: element)
        }
    }

    private func update(_ part: Part, to element: MapElement, on map: MapView) -> Part {
        if let annotation = part.annotation, case .annotation(let title, let coordinate, _) = element.value.content {
            let view = map.annotationTable.currentView(of: annotation)
            annotation.update(to: element, title: title, coordinate: coordinate, view: view)
        }
        if let overlay = part.overlay, let pen = element.pen, pen != part.element.pen {
            pens[ObjectIdentifier(overlay)] = pen
            if let renderer = map.renderer(for: overlay) as? OverlayPathRenderer { apply(pen, to: renderer, on: map) }
            // It is added again on its new level, with the others.
            if pen.level != part.element.pen?.level { map.removeOverlay(overlay) }
        }
        return Part(element: element, annotation: part.annotation, overlay: part.overlay)
    }

    // MARK: Overlays

    /// Returns the renderer of a declared overlay that has a stroke or a fill; `nil` for others.
    func renderer(for overlay: any Overlay, on map: MapView) -> OverlayRenderer? {
        guard let pen = pens[ObjectIdentifier(overlay)], pen.isStyled else { return nil }
        let renderer = OverlayPathRenderer(overlay: overlay)
        apply(pen, to: renderer, on: map)
        return renderer
    }

    private func apply(_ pen: MapElement.Pen, to renderer: OverlayPathRenderer, on map: MapView) {
        let standard = pen.isStyled ? nil : map.defaultRenderer(for: renderer.overlay) as? OverlayPathRenderer
        renderer.strokeColor = standard?.strokeColor ?? pen.stroke
        renderer.lineWidth = standard?.lineWidth ?? pen.style.lineWidth
        renderer.lineDashPattern = pen.style.dash
        (renderer.lineCap, renderer.lineJoin) = (pen.style.lineCap, pen.style.lineJoin)
        renderer.fillColor = standard?.fillColor ?? pen.fill
    }

    // MARK: Camera and controls

    private func move(_ map: MapView, to new: MapCameraPosition) {
        let isFirst = position == nil
        let isNew = new != position
        position = new
        if case .automatic = new {
            let rect = contentRect
            // Once the user has moved the map, its framing has ended.
            guard isNew || (rect != framedRect && (framedRect == nil || map.cameraState.framing != nil)) else { return }
            frame(rect, on: map, animated: !isFirst)
        } else if isNew {
            go(to: new, on: map, animated: !isFirst)
        }
    }

    private func limit(_ map: MapView, by rules: Map.CameraRules) {
        if rules.bounds != bounds {
            bounds = rules.bounds
            map.cameraBoundary = bounds?.boundary
            map.cameraZoomRange = bounds?.zoomRange
        }
        if rules.interactionModes != interactionModes {
            interactionModes = rules.interactionModes
            let modes = interactionModes ?? .all
            map.isScrollEnabled = modes.contains(.pan)
            map.isZoomEnabled = modes.contains(.zoom)
            map.isPitchEnabled = modes.contains(.pitch)
            map.isRotateEnabled = modes.contains(.rotate)
        }
    }

    /// Reports a change of the camera.
    func cameraDidChange(of map: MapView, isAtRest: Bool) {
        guard handlers.cameraMoving != nil || isAtRest && handlers.cameraAtRest != nil else { return }
        let context = MapCameraUpdateContext(map)
        handlers.cameraMoving?(context)
        if isAtRest { handlers.cameraAtRest?(context) }
    }

    /// Reports a click beside all annotations and lines.
    func receiveTap(at coordinate: Coordinate, on map: MapView) {
        guard let tap = handlers.tap, let point = map.convert(coordinate) else { return }
        tap(point)
    }

    private func go(to position: MapCameraPosition, on map: MapView, animated: Bool) {
        switch position {
        case .automatic: frame(contentRect, on: map, animated: animated)
        case .region(let region): map.setRegion(region, animated: animated)
        case .rect(let rect): map.setVisibleMapRect(rect, animated: animated)
        case .camera(let camera): map.setCamera(camera, animated: animated)
        case .item(let item):
            let region =
                item.region
                ?? CoordinateRegion(
                    center: item.coordinate, latitudinalMeters: Self.itemExtent, longitudinalMeters: Self.itemExtent)
            map.setRegion(region, animated: animated)
        case .userLocation(let followsHeading, let fallback):
            if map.userLocation.frame == nil { go(to: fallback, on: map, animated: animated) }
            map.setUserTrackingMode(followsHeading ? .followWithHeading : .follow, animated: animated)
        }
    }

    /// The extent that is shown around a place without one, in metres.
    private static let itemExtent = 1000.0

    private func frame(_ rect: MapRect, on map: MapView, animated: Bool) {
        guard !rect.isNull else { return }
        framedRect = rect
        map.setVisibleMapRect(rect, edgePadding: 64, animated: animated)
    }

    /// The smallest rectangle around all annotations and overlays.
    private var contentRect: MapRect {
        let rects = parts.compactMap { part in
            part.annotation.map { MapRect(containing: [MapPoint($0.coordinate)]) } ?? part.overlay?.boundingMapRect
        }.filter { !$0.isNull }
        guard let first = rects.first else { return .null }
        // All are taken on the side of the world of the first, so that two at the 180th meridian are close.
        return rects.reduce(.null) { whole, rect in
            whole.union(rect.offsetBy(dx: rect.center.nearest(to: first.center).x - rect.center.x, dy: 0))
        }
    }

    private func show(_ declared: [DeclaredControl]?, on map: MapView) {
        declaredControls = declared
        for control in controls { map.removeControl(control) }
        controls = (declared ?? []).filter { $0.visibility != .hidden }.map { $0.control(for: map) }
        // A map without declared controls has its compass.
        map.showsCompass = declared == nil
        for control in controls { map.addControl(control) }
    }

    // MARK: Selection

    private func select(_ tag: AnyHashable?, on map: MapView) {
        let selected = map.selectedAnnotations.first
        guard tag != (selected as? DeclaredAnnotation)?.tag else { return }
        if let annotation = parts.lazy.compactMap(\.annotation).first(where: { $0.tag == tag }), tag != nil {
            map.selectAnnotation(annotation, animated: true)
        } else if selected is DeclaredAnnotation {
            map.deselectAnnotation(nil, animated: true)
        }
    }

    /// Reports a selection that the declaration has not made.
    func selectionDidChange(to annotation: (any Annotation)?) {
        let tag = (annotation as? DeclaredAnnotation)?.tag
        guard !isUpdating, let selection, tag != selection.tag else { return }
        self.selection?.tag = tag
        selection.onChange(tag)
    }
}

extension MapElement.Pen {
    /// True if the declaration sets a colour.
    var isStyled: Bool { stroke != nil || fill != nil }
}

extension MapElement.Outline {
    /// Returns the overlay.
    @MainActor func makeOverlay() -> any Overlay {
        switch self {
        case .line(let line, let isGeodesic):
            isGeodesic ? GeodesicPolyline(coordinates: line) : Polyline(coordinates: line)
        case .area(let ring): Polygon(coordinates: ring)
        case .circle(let center, let radius): Circle(center: center, radius: radius)
        case .object(let reference): reference.overlay
        }
    }
}
