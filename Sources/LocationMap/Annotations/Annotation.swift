public import LocationModel

/// Something at a place on the map (MapKit's `MKAnnotation`). How it looks says an ``AnnotationView``.
///
/// A class of the program's own conforms with its own properties; ``PointAnnotation`` is one to begin with. An annotation
/// that changes while it is on a map calls ``annotationDidChange()``, in place of the key-value observing that MapKit does.
@MainActor
public protocol Annotation: AnyObject {
    /// The position.
    var coordinate: Coordinate { get }
    /// Its name, as plain text: at its marker and in its callout.
    var title: String? { get }
    /// The second line of a callout, as plain text.
    var subtitle: String? { get }
}

extension Annotation {
    /// None.
    public var title: String? { nil }
    /// None.
    public var subtitle: String? { nil }

    /// Shows what has changed on every map that the annotation is on.
    public func annotationDidChange() { MapView.annotationDidChange(self) }
}

/// An annotation that a person can move, where its view is ``AnnotationView/isDraggable``.
@MainActor
public protocol MovableAnnotation: Annotation {
    /// The position.
    var coordinate: Coordinate { get set }
}

/// An annotation with a place, a title and a subtitle (MapKit's `MKPointAnnotation`). Subclass it to give it more.
@MainActor
open class PointAnnotation: MovableAnnotation {
    /// The position.
    public var coordinate: Coordinate { didSet { if coordinate != oldValue { annotationDidChange() } } }
    /// Its name.
    public var title: String? { didSet { if title != oldValue { annotationDidChange() } } }
    /// The second line of a callout.
    public var subtitle: String? { didSet { if subtitle != oldValue { annotationDidChange() } } }

    /// An annotation at `coordinate`.
    public init(coordinate: Coordinate, title: String? = nil, subtitle: String? = nil) {
        self.coordinate = coordinate
        self.title = title
        self.subtitle = subtitle
    }
}
