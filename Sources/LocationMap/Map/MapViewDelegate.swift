public import LocationClient
public import LocationModel

/// Provides views and receives a map's events (MapKit's `MKMapViewDelegate`). All methods are optional.
@MainActor
public protocol MapViewDelegate: AnyObject {
    // The visible region.

    /// The visible region is about to change, by the program or by a person.
    func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool)
    /// The visible region has changed, and has come to rest.
    func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool)
    /// The visible region has changed; called again and again while it moves.
    func mapViewDidChangeVisibleRegion(_ mapView: MapView)

    // Annotations.

    /// The view of an annotation, which should come from ``MapView/dequeueReusableAnnotationView(withIdentifier:for:)``;
    /// `nil` for the map's own.
    ///
    /// The map asks for every annotation once, to learn how large its view is and what it may collide with, and again when the
    /// annotation comes into sight, if the view has been used for another one meanwhile. (MapKit asks for those near what is
    /// visible.)
    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView?
    /// Views have been put onto the map.
    func mapView(_ mapView: MapView, didAdd views: [AnnotationView])
    /// An annotation's view is selected.
    func mapView(_ mapView: MapView, didSelect view: AnnotationView)
    /// An annotation's view is no longer selected.
    func mapView(_ mapView: MapView, didDeselect view: AnnotationView)
    /// A button in a callout was pressed.
    func mapView(
        _ mapView: MapView, annotationView view: AnnotationView,
        calloutAccessoryControlTapped control: CalloutAccessory)
    /// A drag has come into another state. At the end the annotation has its new place already.
    func mapView(
        _ mapView: MapView, annotationView view: AnnotationView, didChange newState: AnnotationView.DragState,
        fromOldState oldState: AnnotationView.DragState)
    /// The annotation that stands for several; `nil` for the map's own.
    func mapView(
        _ mapView: MapView, clusterAnnotationForMemberAnnotations memberAnnotations: [any Annotation]
    ) -> ClusterAnnotation?

    // Overlays.

    /// Returns the renderer of an overlay; `nil` for the map's own, which is blue.
    func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer?

    // The user.

    /// The map begins to show where the user is.
    func mapViewWillStartLocatingUser(_ mapView: MapView)
    /// The map no longer shows where the user is.
    func mapViewDidStopLocatingUser(_ mapView: MapView)
    /// There is a new location, or news of its accuracy: up to 30 times a second.
    func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation)
    /// The location service cannot be reached, or does not serve this program. The map tries again.
    func mapView(_ mapView: MapView, didFailToLocateUserWithError error: LocationError)
    /// The tracking mode has changed, by the program or by a person.
    func mapView(_ mapView: MapView, didChange mode: UserTracking.Mode, animated: Bool)

    // The person at the page. MapKit leaves these to gesture recognizers.

    /// A person chose another map type.
    func mapView(_ mapView: MapView, didChange mapType: MapType)
    /// A person chose one of ``MapView/menuItems`` at a place.
    func mapView(_ mapView: MapView, didChoose menuItem: String, at coordinate: Coordinate)
}

extension MapViewDelegate {
    /// Does nothing.
    public func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {}
    /// Does nothing.
    public func mapViewDidChangeVisibleRegion(_ mapView: MapView) {}
    /// The map's own.
    public func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? { nil }
    /// Does nothing.
    public func mapView(_ mapView: MapView, didAdd views: [AnnotationView]) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didSelect view: AnnotationView) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didDeselect view: AnnotationView) {}
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
    /// The map's own.
    public func mapView(
        _ mapView: MapView, clusterAnnotationForMemberAnnotations memberAnnotations: [any Annotation]
    ) -> ClusterAnnotation? { nil }
    /// The map's own.
    public func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer? { nil }
    /// Does nothing.
    public func mapViewWillStartLocatingUser(_ mapView: MapView) {}
    /// Does nothing.
    public func mapViewDidStopLocatingUser(_ mapView: MapView) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didFailToLocateUserWithError error: LocationError) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didChange mode: UserTracking.Mode, animated: Bool) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didChange mapType: MapType) {}
    /// Does nothing.
    public func mapView(_ mapView: MapView, didChoose menuItem: String, at coordinate: Coordinate) {}
}
