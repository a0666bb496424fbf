import LocationModel
import MapModel

// Selection and drags of views.

extension AnnotationTable {
    /// The selected annotation.
    struct Selection {
        let annotation: any Annotation
        /// The view, while it is on the pages.
        var view: AnnotationView?
        let isAnimated: Bool
    }

    /// A drag in progress.
    struct Drag {
        let page: String
        let id: ViewID
        let view: AnnotationView
    }

    // MARK: Selection

    var wireSelection: WireSelection? {
        guard let selection else { return nil }
        if selection.annotation === map?.userLocation {
            return WireSelection(id: "user", animated: selection.isAnimated, showsCallout: true)
        }
        guard let view = selection.view, let id = id(showing: view) else { return nil }
        let hasCallout = shown[id]?.wire.callout != nil
        return WireSelection(id: id.name, animated: selection.isAnimated, showsCallout: hasCallout)
    }

    func select(_ annotation: any Annotation, animated: Bool) {
        guard let map, selection?.annotation !== annotation else { return }
        guard contains(annotation) || annotation is ClusterAnnotation || annotation === map.userLocation else { return }
        endSelection()
        // An annotation in a cluster or outside the visible region gets its view at the next layout, where it stands
        // alone.
        let view = view(for: annotation) ?? viewOfHidden(annotation)
        selection = Selection(annotation: annotation, view: view, isAnimated: animated)
        view?.setSelected(true, animated: animated)
        map.changed([.views, .selected])
        if let view, view.annotation === annotation { map.delegate?.mapView(map, didSelect: view) }
        if selection?.annotation === annotation { map.delegate?.mapView(map, didSelect: annotation) }
        map.declared.selectionDidChange(to: selection?.annotation)
    }

    func deselect() {
        endSelection()
        map?.declared.selectionDidChange(to: selection?.annotation)
    }

    private func endSelection() {
        guard let map, let old = selection else { return }
        selection = nil
        old.view?.setSelected(false, animated: old.isAnimated)
        map.changed([.views, .selected])
        if let view = old.view { map.delegate?.mapView(map, didDeselect: view) }
        map.delegate?.mapView(map, didDeselect: old.annotation)
    }

    /// True if the selection is still on the map.
    func isSelectable(_ selection: Selection) -> Bool {
        if selection.annotation === map?.userLocation { return map?.showsUserLocation == true }
        return contains(selection.annotation) || view(for: selection.annotation) != nil
    }

    private func viewOfHidden(_ annotation: any Annotation) -> AnnotationView? {
        if let id = registry.id(of: annotation) { return makeView(of: id) }
        return annotation === map?.userLocation ? map?.user.view : nil
    }

    // MARK: Pages

    /// Handles a click on a view.
    func receiveSelection(of name: String) {
        guard let map else { return }
        if name == "user" {
            if map.showsUserLocation, map.userLocation.frame != nil { select(map.userLocation, animated: true) }
            return
        }
        if let member = selectedMember(named: name) { return select(member, animated: true) }
        guard let (_, shown) = shown(named: name), shown.view.isEnabled, let annotation = shown.view.annotation else {
            return
        }
        select(annotation, animated: true)
        if let cluster = annotation as? ClusterAnnotation, map.zoomsToSelectedCluster, !listsMembers(of: cluster) {
            deselect()
            map.show(cluster.memberAnnotations, animated: true)
        }
    }

    /// True if the callout of a selected cluster lists its members, because no zoom separates them.
    func listsMembers(of cluster: ClusterAnnotation) -> Bool {
        guard let map, map.zoomsToSelectedCluster else { return false }
        let first = MapPoint(cluster.memberAnnotations[0].coordinate)
        let rect = MapRect(containing: cluster.memberAnnotations.map { MapPoint($0.coordinate).nearest(to: first) })
        let pixel = Viewport.mapPointsPerPixel(atZoom: map.cameraState.zoomLimits.upperBound)
        return max(rect.width, rect.height) < Double(AnnotationLayout.clusterMargin) * pixel
    }

    /// Returns the member of the selected cluster that the page calls `name`.
    private func selectedMember(named name: String) -> (any Annotation)? {
        (selection?.annotation as? ClusterAnnotation)?.memberAnnotations.first { member in
            registry.id(of: member).map { ViewID.annotation($0).name } == name
        }
    }

    /// Handles the closing of a callout, or a click on the map beside it.
    func receiveDeselection(of name: String) {
        guard wireSelection?.id == name else { return }
        deselect()
    }

    /// Handles a click on a callout accessory.
    func receiveAccessory(_ side: CalloutSide, of name: String) {
        guard let map, let view = name == "user" ? map.user.view : shown(named: name)?.shown.view,
            let control = view.calloutAccessory(side), control.canBePressed, selection?.view === view
        else { return }
        map.delegate?.mapView(map, annotationView: view, calloutAccessoryControlTapped: control)
    }

    // MARK: Dragging

    func receiveDrag(_ state: PageMessage.DragState, of name: String, to position: WirePosition, from page: String) {
        switch state {
        case .start:
            guard drag == nil, let (id, shown) = shown(named: name), shown.view.isDraggable, shown.view.isEnabled,
                shown.view.annotation is any MovableAnnotation
            else { return }
            drag = Drag(page: page, id: id, view: shown.view)
            change(shown.view, to: .starting)
            change(shown.view, to: .dragging)
        case .move: return
        case .end:
            guard let drag = drag(of: name, page) else { return }
            (drag.view.annotation as? any MovableAnnotation)?.coordinate = position.coordinate
            // A program's own class may not report the change itself.
            drag.view.annotation?.annotationDidChange()
            finish(drag, .ending)
        case .cancel:
            guard let drag = drag(of: name, page) else { return }
            finish(drag, .canceling)
        }
    }

    /// Cancels the drags of a page that was closed: their views return.
    func breakOffDrags(of page: String) {
        guard let drag, drag.page == page else { return }
        finish(drag, .canceling)
    }

    private func drag(of name: String, _ page: String) -> Drag? {
        guard let drag, drag.page == page, drag.id.name == name else { return nil }
        return drag
    }

    private func finish(_ drag: Drag, _ state: AnnotationView.DragState) {
        self.drag = nil
        change(drag.view, to: state)
        change(drag.view, to: .none)
        // The position has changed on every page.
        shown[drag.id]?.wire.position = WirePosition(longitude: 0, latitude: 0)
        viewDidChange(drag.view, .look)
    }

    private func change(_ view: AnnotationView, to new: AnnotationView.DragState) {
        guard let map else { return }
        let old = view.dragState
        view.setDragState(new, animated: true)
        map.delegate?.mapView(map, annotationView: view, didChange: new, fromOldState: old)
    }
}
