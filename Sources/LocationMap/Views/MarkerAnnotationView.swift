public import MapModel

/// A balloon with a glyph (MapKit's `MKMarkerAnnotationView`). The default view of annotations.
open class MarkerAnnotationView: AnnotationView {
    /// The colour of the balloon; `nil`, the default, for red, or gray for a cluster.
    public var markerTintColor: Color? { didSet { changed() } }
    /// The colour of the glyph; `nil`, the default, for white.
    public var glyphTintColor: Color? { didSet { changed() } }
    /// The text in the balloon, up to three letters; `nil`, the default, for a pin.
    public var glyphText: String? { didSet { changed() } }
    /// The image in the balloon, 20 by 20 pixels, of which the shape is shown in ``glyphTintColor``; `nil`, the
    /// default, for a pin.
    public var glyphImage: MapImage? { didSet { changed() } }
    /// The visibility of the title below the balloon. Default adaptive.
    public var titleVisibility = FeatureVisibility.adaptive { didSet { changed() } }
    /// The visibility of the subtitle below the title. Default adaptive.
    public var subtitleVisibility = FeatureVisibility.adaptive { didSet { changed() } }
    /// True if a new marker grows out of its point. Default false.
    public var animatesWhenAdded = false { didSet { changed() } }

    /// Creates a marker of `annotation` with the display priority `defaultHigh`.
    public required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
        // Colliding markers hide one another, as MapKit's do.
        displayPriority = .defaultHigh
        collisionMode = .circle
        // The tip of the balloon is at the annotation's coordinate.
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
    /// The colour of the head. Default red.
    public var pinTintColor: Color = PinAnnotationView.redPinColor { didSet { changed() } }
    /// True if a new pin drops onto the map. Default false.
    public var animatesDrop = false { didSet { changed() } }

    /// The colour for destinations.
    public static let redPinColor = Color.red
    /// The colour for starting points.
    public static let greenPinColor = Color.green
    /// The colour for places that the user has marked.
    public static let purplePinColor = Color.purple

    /// Creates a pin of `annotation`, with its tip at the coordinate.
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
