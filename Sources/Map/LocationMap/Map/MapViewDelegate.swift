public import LocationClient
public import LocationModel

/// The object that provides views and receives the map's events (MapKit's `MKMapViewDelegate`). All methods are
/// optional, and are called on the main actor. Their signatures are MapKit's: a method with another type of result or parameter
/// compiles, since all are optional, and is never called.
@MainActor
public protocol MapViewDelegate: AnyObject {
    // The visible region.

    /// The visible region is about to change. Called once for each gesture of the user, for each move by the program, and
    /// for each continuous movement while the map follows the user.
    func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool)
    /// The visible region has changed and is at rest. Called once after each
    /// ``mapView(_:regionWillChangeAnimated:)``.
    func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool)
    /// The visible region has changed. Called repeatedly during a move.
    func mapViewDidChangeVisibleRegion(_ mapView: MapView)

    // Tiles.

    /// A page starts to load tiles. Of several pages the first that starts counts, and the last that finishes.
    func mapViewWillStartLoadingMap(_ mapView: MapView)
    /// All tiles of the visible region are loaded.
    func mapViewDidFinishLoadingMap(_ mapView: MapView)
    /// Loading has ended, and a tile is missing. Called in place of ``mapViewDidFinishLoadingMap(_:)``, with the first error
    /// since loading started: that of a tile source, or a ``MapLoadingError``.
    func mapViewDidFailLoadingMap(_ mapView: MapView, withError error: any Error)
    /// A page starts to draw tiles that it lacked.
    func mapViewWillStartRenderingMap(_ mapView: MapView)
    /// The tiles are drawn; `fullyRendered` is true if none is missing.
    func mapViewDidFinishRenderingMap(_ mapView: MapView, fullyRendered: Bool)

    // Annotations.

    /// Returns the view of an annotation; `nil` for the default view.
    ///
    /// Take the view from ``MapView/dequeueReusableAnnotationView(withIdentifier:for:)``. The map calls this once for
    /// every annotation, to measure its view, and again when an annotation becomes visible whose view was reused
    /// meanwhile. (MapKit calls it for annotations near the visible region.)
    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView?
    /// Views were added to the map.
    func mapView(_ mapView: MapView, didAdd views: [AnnotationView])
    /// A view was selected.
    func mapView(_ mapView: MapView, didSelect view: AnnotationView)
    /// A view was deselected.
    func mapView(_ mapView: MapView, didDeselect view: AnnotationView)
    /// An annotation was selected, whether it has a view or not. Called after ``mapView(_:didSelect:)-(_,AnnotationView)``.
    func mapView(_ mapView: MapView, didSelect annotation: any Annotation)
    /// An annotation was deselected. Called after ``mapView(_:didDeselect:)-(_,AnnotationView)``.
    func mapView(_ mapView: MapView, didDeselect annotation: any Annotation)
    /// The user clicked a button in a callout.
    func mapView(
        _ mapView: MapView, annotationView view: AnnotationView,
        calloutAccessoryControlTapped control: CalloutAccessory)
    /// The state of a drag has changed. At its end the annotation has its new coordinate already.
    func mapView(
        _ mapView: MapView, annotationView view: AnnotationView, didChange newState: AnnotationView.DragState,
        fromOldState oldState: AnnotationView.DragState)
    /// Returns the annotation for a cluster of `memberAnnotations`; by default a ``ClusterAnnotation`` of them.
    func mapView(
        _ mapView: MapView, clusterAnnotationForMemberAnnotations memberAnnotations: [any Annotation]
    ) -> ClusterAnnotation

    // Overlays.

    /// Returns the renderer of an overlay; by default ``MapView/defaultRenderer(for:)``, which is blue.
    func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer
    /// Renderers were added to the map: those of the overlays that a page is about to show for the first time.
    func mapView(_ mapView: MapView, didAdd renderers: [OverlayRenderer])

    // The user's location.

    /// The map starts to show the user's location.
    func mapViewWillStartLocatingUser(_ mapView: MapView)
    /// The map has stopped showing the user's location.
    func mapViewDidStopLocatingUser(_ mapView: MapView)
    /// The user's location or its accuracy has changed: up to ten times a second.
    func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation)
    /// The location service is unavailable or refuses this program, with a `LocationError`. The map tries again every few
    /// seconds.
    func mapView(_ mapView: MapView, didFailToLocateUserWithError error: any Error)
    /// The tracking mode has changed, by the program or by the user.
    func mapView(_ mapView: MapView, didChange mode: UserTracking.Mode, animated: Bool)

    // Interaction with the page. In MapKit gesture recognizers report it.

    /// The user chose another map type.
    func mapView(_ mapView: MapView, didChange mapType: MapType)
    /// The user removed a line from the map whose ``Shape/isRemovableByUser`` is true. The map has removed the overlay.
    func mapView(_ mapView: MapView, userDidRemove overlay: any Overlay)
    /// The user clicked the map at a coordinate, beside all annotations and lines.
    func mapView(_ mapView: MapView, didTapAt coordinate: Coordinate)
    /// The user chose one of ``MapView/menuItems`` at a coordinate.
    func mapView(_ mapView: MapView, didChoose menuItem: String, at coordinate: Coordinate)
}

extension MapViewDelegate {
    /// Does nothing.
    public func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {}
    /// Does nothing.
    public func mapViewDidChangeVisibleRegion(_ mapView: MapView) {}
    /// Does nothing.
    public func mapViewWillStartLoadingMap(_ mapView: MapView) {}
    /// Does nothing.
    public func mapViewDidFinishLoadingMap(_ mapView: MapView) {}
    /// Does nothing.
    public func mapViewDidFailLoadingMap(_ mapView: MapView, withError error: any Error) {}
    /// Does nothing.
    public func mapViewWillStartRenderingMap(_ mapView: MapView) {}
    /// Does nothing.
    public func mapViewDidFinishRenderingMap(_ mapView: MapView, fullyRendered: Bool) {}
    /// Returns `nil`: the default view.
    public func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? { nil }
    /// Does nothing.
    public func mapView(_ mapView: MapView, didAdd views: [AnnotationView]) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didSelect view: AnnotationView) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didDeselect view: AnnotationView) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didSelect annotation: any Annotation) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didDeselect annotation: any Annotation) {}
    /// Does nothing.
    public func mapView(
        _ mapView: MapView, annotationView view: AnnotationView,
        calloutAccessoryControlTapped control: CalloutAccessory
    ) {}
    /// Does nothing.
    public func mapView(
        _ mapView: MapView, annotationView view: AnnotationView, didChange newState: AnnotationView.DragState,
        fromOldState oldState: AnnotationView.DragState
    ) {}
    /// Returns a ``ClusterAnnotation`` of the annotations.
    public func mapView(
        _ mapView: MapView, clusterAnnotationForMemberAnnotations memberAnnotations: [any Annotation]
    ) -> ClusterAnnotation { ClusterAnnotation(memberAnnotations: memberAnnotations) }
    /// Returns the default renderer.
    public func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer {
        mapView.defaultRenderer(for: overlay)
    }
    /// Does nothing.
    public func mapView(_ mapView: MapView, didAdd renderers: [OverlayRenderer]) {}
    /// Does nothing.
    public func mapViewWillStartLocatingUser(_ mapView: MapView) {}
    /// Does nothing.
    public func mapViewDidStopLocatingUser(_ mapView: MapView) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didFailToLocateUserWithError error: any Error) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didChange mode: UserTracking.Mode, animated: Bool) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didChange mapType: MapType) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, userDidRemove overlay: any Overlay) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didTapAt coordinate: Coordinate) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didChoose menuItem: String, at coordinate: Coordinate) {}
}
