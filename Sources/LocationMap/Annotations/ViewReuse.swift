/// The classes that ``MapView`` makes views of, and the views that wait to be used again.
@MainActor
struct ViewReuse {
    /// More views of one identifier do not wait.
    private static let capacity = 256

    private var classes: [String: AnnotationView.Type] = [
        MapViewDefaultAnnotationViewReuseIdentifier: MarkerAnnotationView.self,
        MapViewDefaultClusterAnnotationViewReuseIdentifier: MarkerAnnotationView.self,
    ]
    private var waiting: [String: [AnnotationView]] = [:]

    mutating func register(_ type: AnnotationView.Type?, _ identifier: String) {
        classes[identifier] = type
        // Views of another class are no longer wanted.
        waiting[identifier] = nil
    }

    /// A view that waits, as new.
    mutating func dequeue(_ identifier: String) -> AnnotationView? {
        guard let view = waiting[identifier]?.popLast() else { return nil }
        view.prepareForReuse()
        return view
    }

    /// A view that waits, or a new one, if a class is registered.
    mutating func dequeue(_ identifier: String, for annotation: any Annotation) -> AnnotationView? {
        if let view = dequeue(identifier) {
            view.annotation = annotation
            return view
        }
        return classes[identifier]?.init(annotation: annotation, reuseIdentifier: identifier)
    }

    /// Has a view wait that is no longer shown.
    mutating func enqueue(_ view: AnnotationView) {
        view.map = nil
        view.cluster = nil
        view.annotation = nil
        guard let identifier = view.reuseIdentifier else { return }
        guard waiting[identifier, default: []].count < Self.capacity else { return }
        waiting[identifier, default: []].append(view)
    }
}

/// Names the class of views that annotations have when the delegate gives none.
public let MapViewDefaultAnnotationViewReuseIdentifier = "MapViewDefaultAnnotationView"
/// Names the class of views that clusters have when the delegate gives none.
public let MapViewDefaultClusterAnnotationViewReuseIdentifier = "MapViewDefaultClusterAnnotationView"
