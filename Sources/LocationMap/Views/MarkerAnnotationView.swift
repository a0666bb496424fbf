public import MapModel

/// A balloon with a sign in it (MapKit's `MKMarkerAnnotationView`). What an annotation has when nothing else is said.
open class MarkerAnnotationView: AnnotationView {
    /// The colour of the balloon; by default red, and of a cluster grey.
    public var markerTintColor: Color? { didSet { changed() } }
    /// The colour of the sign in it; by default white.
    public var glyphTintColor: Color? { didSet { changed() } }
    /// Up to three letters in place of the pin in the balloon.
    public var glyphText: String? { didSet { changed() } }
    /// An image in place of the pin in the balloon, 20 by 20 pixels: its shape is shown, in `glyphTintColor`.
    public var glyphImage: MapImage? { didSet { changed() } }
    /// The visibility of the title below the balloon. Default adaptive.
    public var titleVisibility = FeatureVisibility.adaptive { didSet { changed() } }
    /// The visibility of the subtitle below the title. Default adaptive.
    public var subtitleVisibility = FeatureVisibility.adaptive { didSet { changed() } }
    /// True if it grows out of its point when it is new.
    public var animatesWhenAdded = false { didSet { changed() } }

    /// A marker of `annotation`, which gives way to more important views.
    public required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
        // Markers hide one another, as MapKit's do.
        displayPriority = .defaultHigh
        collisionMode = .circle
        // The tip points at the position.
        centerOffset = ViewPoint(x: 0, y: -Self.balloon.height / 2)
    }

    private static let balloon = ViewSize(width: 32, height: 38)

    open override var size: ViewSize { Self.balloon }

    override func describe(in view: inout WireView, images: ImageStore) {
        let members = (annotation as? ClusterAnnotation)?.memberAnnotations.count
        view.kind = .marker
        view.tint = (markerTintColor ?? (members == nil ? .red : .gray)).wire
        view.glyphTint = (glyphTintColor ?? .white).wire
        view.glyph = (glyphText ?? members.map { MapView.shortCount($0) }).map { String($0.prefix(4)) }
        view.glyphImage = glyphImage.map { images.address(of: $0) }
        view.titleVisibility = titleVisibility
        view.subtitleVisibility = subtitleVisibility
        view.animates = animatesWhenAdded
    }
}

/// A pin with a coloured head (MapKit's `MKPinAnnotationView`).
open class PinAnnotationView: AnnotationView {
    /// The colour of the head; by default red.
    public var pinTintColor: Color = PinAnnotationView.redPinColor { didSet { changed() } }
    /// True if it drops onto the map when it is new.
    public var animatesDrop = false { didSet { changed() } }

    /// For destinations.
    public static let redPinColor = Color.red
    /// For starting points.
    public static let greenPinColor = Color.green
    /// For what the user has put on the map.
    public static let purplePinColor = Color.purple

    /// A pin of `annotation`, with its tip at the position.
    public required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
        centerOffset = ViewPoint(x: 0, y: -Self.pin.height / 2)
    }

    private static let pin = ViewSize(width: 24, height: 36)

    open override var size: ViewSize { Self.pin }

    override func describe(in view: inout WireView, images: ImageStore) {
        view.kind = .pin
        view.tint = pinTintColor.wire
        view.animates = animatesDrop
    }
}
