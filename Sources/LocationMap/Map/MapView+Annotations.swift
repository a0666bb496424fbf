import Logging
public import MapModel

// Annotations and their views.

extension MapView {
    /// The annotations on the map, in the order in which they were added. The user and clusters are not among them.
    public var annotations: [any Annotation] {
        annotationTable.registry.annotations
    }

    /// Puts an annotation onto the map. One that is there already stays.
    public func addAnnotation(_ annotation: any Annotation) { addAnnotations([annotation]) }

    /// Puts annotations onto the map: one or a hundred thousand.
    public func addAnnotations(_ annotations: [any Annotation]) { annotationTable.add(annotations) }

    /// Takes an annotation off the map.
    public func removeAnnotation(_ annotation: any Annotation) { removeAnnotations([annotation]) }

    /// Takes annotations off the map.
    public func removeAnnotations(_ annotations: [any Annotation]) { annotationTable.remove(annotations) }

    /// The annotations in `mapRect`, the user and clusters not among them.
    public func annotations(in mapRect: MapRect) -> [any Annotation] {
        annotationTable.registry.annotations(in: mapRect)
    }

    /// The view of an annotation or a cluster while it is on the pages; `nil` while it is hidden, in a cluster, out of sight, or
    /// there is no page.
    public func view(for annotation: any Annotation) -> AnnotationView? { annotationTable.view(for: annotation) }

    // MARK: Reuse

    /// Has the map make views of `type` when one with `identifier` is wanted; `nil` for none any more.
    ///
    /// With ``MapViewDefaultAnnotationViewReuseIdentifier`` or ``MapViewDefaultClusterAnnotationViewReuseIdentifier`` these are
    /// also the views of all annotations or clusters for which the delegate gives none.
    public func register(
        _ type: AnnotationView.Type?, forAnnotationViewWithReuseIdentifier identifier: String
    ) {
        annotationTable.reuse.register(type, identifier)
    }

    /// A view with `identifier` that is no longer used, after ``AnnotationView/prepareForReuse()``; `nil` when there is none.
    public func dequeueReusableAnnotationView(withIdentifier identifier: String) -> AnnotationView? {
        annotationTable.reuse.dequeue(identifier)
    }

    /// A view with `identifier` for `annotation`: one that is no longer used, or a new one of the registered class.
    ///
    /// Without a registered class, which is a mistake in the program, it is a ``MarkerAnnotationView``.
    public func dequeueReusableAnnotationView(
        withIdentifier identifier: String, for annotation: any Annotation
    ) -> AnnotationView {
        if let view = annotationTable.reuse.dequeue(identifier, for: annotation) { return view }
        hub.logger.error("No class of annotation views is registered for the identifier \(identifier)")
        return MarkerAnnotationView(annotation: annotation, reuseIdentifier: identifier)
    }

    // MARK: Selection

    /// The selection: at most one annotation, a cluster or the user.
    public var selectedAnnotations: [any Annotation] { annotationTable.selection.map { [$0.annotation] } ?? [] }

    /// Selects an annotation of the map, and shows its callout if it has one. The map does not move.
    public func selectAnnotation(_ annotation: any Annotation, animated: Bool) {
        annotationTable.select(annotation, animated: animated)
    }

    /// Ends the selection of an annotation; of whatever is selected, if it is `nil`.
    public func deselectAnnotation(_ annotation: (any Annotation)?, animated: Bool) {
        guard annotation == nil || annotation === annotationTable.selection?.annotation else { return }
        annotationTable.deselect()
    }

    /// A number in at most four characters, as on a cluster: 999, 1k, 12k, 3M.
    static func shortCount(_ count: Int) -> String {
        switch count {
        case ..<1000: "\(count)"
        case ..<1_000_000: "\(count / 1000)k"
        default: "\(count / 1_000_000)M"
        }
    }
}
