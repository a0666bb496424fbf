public import MapModel

/// A balloon with a glyph (MapKit's `MKMarkerAnnotationView`). The default view of annotations.
open class MarkerAnnotationView: AnnotationView {
    /// The colour of the balloon; `nil`, the default, for red, or gray for a cluster. The two are darker than
    /// `Color.red` and `Color.gray`, for a white glyph.
    public var markerTintColor: Color? { didSet { changed() } }
    /// The colour of the glyph; `nil`, the default, for white, or black on a bright balloon, so that the contrast is at
    /// least 4.5 to 1.
    public var glyphTintColor: Color? { didSet { changed() } }
    /// The text in the balloon, up to three letters; `nil`, the default, for a pin.
    public var glyphText: String? { didSet { changed() } }
    /// The image in the balloon, 20 by 20 pixels, of which the shape is shown in ``glyphTintColor``; `nil`, the
    /// default, for a pin.
    public var glyphImage: MapImage? { didSet { changed() } }
    /// The visibility of the title below the balloon. Default adaptive: shown where there is room, unless it is a
    /// cluster's “67 places” below a balloon with 67.
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
    // A contrast of 4.5 to white and of 3 to the land, light or dark, leaves little choice of luminance.
    static let red = Color(red: 0.886, green: 0.173, blue: 0.157)
    static let gray = Color(red: 0.463, green: 0.463, blue: 0.482)

    open override var size: ViewSize { Self.balloon }

    override func describe(in view: inout WireView, images: ImageStore) {
        let members = (annotation as? ClusterAnnotation)?.memberAnnotations.count
        view.kind = .marker
        let tint = markerTintColor ?? (members == nil ? Self.red : Self.gray)
        view.tint = tint.wire
        view.glyphTint = (glyphTintColor ?? tint.text).wire
        view.glyph = (glyphText ?? members.map { MapView.shortCount($0) }).map { String($0.prefix(4)) }
        view.glyphImage = glyphImage.map { images.address(of: $0) }
        let isRepeated =
            glyphText == nil
            && members.map { view.glyph == "\($0)" && view.title == ClusterAnnotation.title(ofMembers: $0) } ?? false
        view.titleVisibility = titleVisibility == .adaptive && isRepeated ? .hidden : titleVisibility
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
    /// The colour for starting points. Darker than `Color.green`, for contrast to the map.
    public static let greenPinColor = Color(red: 0.141, green: 0.541, blue: 0.239)
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
