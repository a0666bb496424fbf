public import LocationModel

/// A place marked on the map (MapKit's `MKAnnotation`). An ``AnnotationView`` draws it.
///
/// A program's own class conforms to the protocol with properties of its own, or subclasses ``PointAnnotation``. When
/// an annotation on a map changes, it calls ``annotationDidChange()``; MapKit observes its keys instead. Main actor
/// only.
@MainActor
public protocol Annotation: AnyObject {
    /// The position.
    var coordinate: Coordinate { get }
    /// The name, as plain text, shown at the marker and in the callout; `nil`, the default, for none.
    var title: String? { get }
    /// The second line of the callout, as plain text; `nil`, the default, for none.
    var subtitle: String? { get }
}

extension Annotation {
    /// No title.
    public var title: String? { nil }
    /// No subtitle.
    public var subtitle: String? { nil }

    /// Shows the changed properties on every map with this annotation. Call it after a change.
    public func annotationDidChange() { MapView.annotationDidChange(self) }
}

/// An annotation that the user can drag to another place. Its view is ``AnnotationView/isDraggable``.
@MainActor
public protocol MovableAnnotation: Annotation {
    /// The position. The map sets it when a drag ends.
    var coordinate: Coordinate { get set }
}

/// An annotation with a position, a title and a subtitle (MapKit's `MKPointAnnotation`). Changes appear at once on
/// every map.
@MainActor
open class PointAnnotation: MovableAnnotation {
    /// The position.
    public var coordinate: Coordinate { didSet { if coordinate != oldValue { annotationDidChange() } } }
    /// The title, as plain text; `nil`, the default, for none.
    public var title: String? { didSet { if title != oldValue { annotationDidChange() } } }
    /// The second line of the callout, as plain text; `nil`, the default, for none.
    public var subtitle: String? { didSet { if subtitle != oldValue { annotationDidChange() } } }

    /// Creates an annotation at `coordinate`.
    public init(coordinate: Coordinate, title: String? = nil, subtitle: String? = nil) {
        self.coordinate = coordinate
        self.title = title
        self.subtitle = subtitle
    }

    /// Creates an annotation at 0°, 0°, as MapKit's does. Set its coordinate before it is added to a map.
    public init() { coordinate = Coordinate(latitude: 0, longitude: 0) }
}
