import Logging
public import MapModel
import PageServing

// Annotations and their views.

extension MapView {
    /// The annotations on the map, in the order of their addition, without the user's location and clusters.
    public var annotations: [any Annotation] {
        annotationTable.registry.annotations
    }

    /// Adds an annotation to the map. Has no effect if it is present.
    public func addAnnotation(_ annotation: any Annotation) { addAnnotations([annotation]) }

    /// Adds annotations to the map. Suitable for a hundred thousand at once.
    public func addAnnotations(_ annotations: [any Annotation]) { annotationTable.add(annotations) }

    /// Removes an annotation from the map. Has no effect if it is absent.
    public func removeAnnotation(_ annotation: any Annotation) { removeAnnotations([annotation]) }

    /// Removes annotations from the map.
    public func removeAnnotations(_ annotations: [any Annotation]) { annotationTable.remove(annotations) }

    /// Returns the annotations in `mapRect`, without the user's location and clusters.
    public func annotations(in mapRect: MapRect) -> [any Annotation] {
        annotationTable.registry.annotations(in: mapRect)
    }

    /// Returns the view of an annotation or cluster that is shown on the pages; `nil` if it is hidden, in a cluster or
    /// outside the visible region, or if no page is open.
    public func view(for annotation: any Annotation) -> AnnotationView? { annotationTable.view(for: annotation) }

    // MARK: Reuse

    /// Registers the class of views for an identifier; `nil` removes the registration.
    ///
    /// With ``MapViewDefaultAnnotationViewReuseIdentifier`` or ``MapViewDefaultClusterAnnotationViewReuseIdentifier``
    /// it sets the class of all views that the delegate does not provide.
    public func register(
        _ type: AnnotationView.Type?, forAnnotationViewWithReuseIdentifier identifier: String
    ) {
        annotationTable.reuse.register(type, identifier)
    }

    /// Returns a reusable view with `identifier`, after ``AnnotationView/prepareForReuse()``; `nil` if there is none.
    public func dequeueReusableAnnotationView(withIdentifier identifier: String) -> AnnotationView? {
        annotationTable.reuse.dequeue(identifier)
    }

    /// Returns a reusable view with `identifier` for `annotation`, or a new one of the registered class.
    ///
    /// Without a registered class, a mistake in the program, it is a ``MarkerAnnotationView``.
    public func dequeueReusableAnnotationView(
        withIdentifier identifier: String, for annotation: any Annotation
    ) -> AnnotationView {
        if let view = annotationTable.reuse.dequeue(identifier, for: annotation) { return view }
        hub.logger.error("No class of annotation views is registered for the identifier \(identifier)")
        return MarkerAnnotationView(annotation: annotation, reuseIdentifier: identifier)
    }

    // MARK: Selection

    /// The selected annotation, cluster or user location, as an array of at most one.
    public var selectedAnnotations: [any Annotation] { annotationTable.selection.map { [$0.annotation] } ?? [] }

    /// Selects an annotation of the map, and shows its callout if it has one. The map does not move.
    public func selectAnnotation(_ annotation: any Annotation, animated: Bool) {
        annotationTable.select(annotation, animated: animated)
    }

    /// Deselects an annotation; `nil` deselects the selected one.
    public func deselectAnnotation(_ annotation: (any Annotation)?, animated: Bool) {
        guard annotation == nil || annotation === annotationTable.selection?.annotation else { return }
        annotationTable.deselect()
    }

    /// Returns a count in at most four characters, as on a cluster: 999, 1k, 12k, 3M.
    static func shortCount(_ count: Int) -> String {
        switch count {
        case ..<1000: "\(count)"
        case ..<1_000_000: "\(count / 1000)k"
        default: "\(count / 1_000_000)M"
        }
    }
}
