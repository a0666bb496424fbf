/// The registered classes of views, and the queues of reusable views.
@MainActor
struct ViewReuse {
    /// The greatest number of queued views for an identifier.
    private static let capacity = 256

    private var classes: [String: AnnotationView.Type] = [
        MapViewDefaultAnnotationViewReuseIdentifier: MarkerAnnotationView.self,
        MapViewDefaultClusterAnnotationViewReuseIdentifier: MarkerAnnotationView.self,
    ]
    private var waiting: [String: [AnnotationView]] = [:]

    mutating func register(_ type: AnnotationView.Type?, _ identifier: String) {
        classes[identifier] = type
        // Queued views of another class are discarded.
        waiting[identifier] = nil
    }

    /// Returns a queued view, prepared for reuse; `nil` if there is none.
    mutating func dequeue(_ identifier: String) -> AnnotationView? {
        guard let view = waiting[identifier]?.popLast() else { return nil }
        view.prepareForReuse()
        return view
    }

    /// Returns a queued view, or a new one of the registered class; `nil` if no class is registered.
    mutating func dequeue(_ identifier: String, for annotation: any Annotation) -> AnnotationView? {
        let view = dequeue(identifier) ?? classes[identifier]?.init(annotation: annotation, reuseIdentifier: identifier)
        // Also after the initializer, in which an override does not see the change.
        view?.annotation = annotation
        return view
    }

    /// Queues a view that is no longer shown.
    mutating func enqueue(_ view: AnnotationView) {
        view.map = nil
        view.cluster = nil
        view.annotation = nil
        guard let identifier = view.reuseIdentifier else { return }
        guard waiting[identifier, default: []].count < Self.capacity else { return }
        waiting[identifier, default: []].append(view)
    }
}

/// The reuse identifier of the default views of annotations, for
/// ``MapView/register(_:forAnnotationViewWithReuseIdentifier:)``.
public let MapViewDefaultAnnotationViewReuseIdentifier = "MapViewDefaultAnnotationView"
/// The reuse identifier of the default views of clusters, for
/// ``MapView/register(_:forAnnotationViewWithReuseIdentifier:)``.
public let MapViewDefaultClusterAnnotationViewReuseIdentifier = "MapViewDefaultClusterAnnotationView"
