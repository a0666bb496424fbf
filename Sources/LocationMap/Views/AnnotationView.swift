public import MapModel

/// How an annotation looks on the map (MapKit's `MKAnnotationView`): an image, or what a subclass makes of it.
///
/// A view is made by ``MapViewDelegate/mapView(_:viewFor:)`` or, without that, by the map itself, and used again for
/// another annotation when its own is out of sight. What it is set to shows on every page at once.
@MainActor
open class AnnotationView {
    /// The parts of a drag (MapKit's `MKAnnotationView.DragState`).
    public enum DragState: Hashable, Sendable {
        /// It is not dragged.
        case none
        /// It has been picked up.
        case starting
        /// It is being moved.
        case dragging
        /// The drag was broken off; the view goes back.
        case canceling
        /// It has been put down.
        case ending
    }

    /// How the shape that collides is taken from the view.
    public typealias CollisionMode = MapModel.CollisionMode

    /// The identifier by which it is found when a view is used again.
    public let reuseIdentifier: String?
    /// The annotation that it shows; `nil` while it waits to be used again.
    public var annotation: (any Annotation)? { didSet { changed() } }

    /// The image that it shows; without one nothing is to be seen.
    public var image: MapImage? { didSet { changed(image?.size != oldValue?.size ? .layout : .look) } }
    /// From the annotation's position to the middle of the view, in pixels, downwards.
    public var centerOffset = ViewPoint.zero { didSet { changed(.layout) } }
    /// Moves the callout away from the top of the view, in pixels, downwards.
    public var calloutOffset = ViewPoint.zero { didSet { changed() } }
    /// Whether it can be selected and its callout used.
    public var isEnabled = true { didSet { changed() } }
    /// From 0, not to be seen, to 1.
    public var alpha = 1.0 { didSet { changed() } }
    /// How far the view is turned on the screen, in degrees clockwise.
    public var rotation = 0.0 { didSet { changed() } }
    /// Whether it lies on the ground and turns and tilts with the map, instead of standing upright.
    public var isFlat = false { didSet { changed() } }

    /// Whether it has a callout when it is selected, given that there is something to show in it.
    public var canShowCallout = false { didSet { changed() } }
    /// At the left of the callout's title.
    public var leftCalloutAccessory: CalloutAccessory? { didSet { changed() } }
    /// At the right of the callout's title.
    public var rightCalloutAccessory: CalloutAccessory? { didSet { changed() } }
    /// In the place of the subtitle.
    public var detailCalloutAccessory: CalloutAccessory? { didSet { changed() } }

    /// Whether a person can move the annotation, which then is one that can be moved (``MovableAnnotation``).
    public var isDraggable = false { didSet { changed() } }
    /// The state of a drag.
    public internal(set) var dragState = DragState.none

    /// Views of annotations with the same identifier become one for all of them when they collide; without one they
    /// never do.
    public var clusteringIdentifier: String? { didSet { changed(.layout) } }
    /// Which of two views that collide and do not become one is shown.
    public var displayPriority: FeatureDisplayPriority { didSet { changed(.layout) } }
    /// The shape that is tested.
    public var collisionMode: CollisionMode { didSet { changed(.layout) } }
    /// Which of two views is drawn above the other: of the same priority the more southern is.
    public var zPriority = AnnotationViewZPriority.defaultUnselected { didSet { changed(.layout) } }
    /// Its priority in place of ``zPriority`` while it is selected.
    public var selectedZPriority = AnnotationViewZPriority.defaultSelected { didSet { changed(.layout) } }

    /// Whether it is selected. The map sets this; a subclass overrides ``setSelected(_:animated:)`` to look different.
    public internal(set) var isSelected = false

    /// The cluster that shows this view's annotation in the place of this view.
    public internal(set) weak var cluster: AnnotationView?

    /// The work that a change of a view causes.
    enum Change {
        /// It looks different.
        case look
        /// It may collide with others.
        case layout
    }

    weak var map: MapView?

    /// A view of `annotation`, which can be used again for others by its identifier.
    public required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        self.annotation = annotation
        self.reuseIdentifier = reuseIdentifier
        displayPriority = .required
        collisionMode = .rectangle
    }

    /// Called before the view is used for another annotation: puts back what the last one had set.
    ///
    /// The identifier, image and clustering identifier stay; what this class sets back are selection and drag.
    open func prepareForReuse() {
        isSelected = false
        dragState = .none
    }

    /// Called before the view is shown, when its annotation and all else has been set.
    open func prepareForDisplay() {}

    /// Selects the view, or ends that. A subclass that overrides it calls this first.
    open func setSelected(_ selected: Bool, animated: Bool) {
        isSelected = selected
        changed(.layout)
    }

    /// Changes the state of a drag. A subclass that overrides it calls this first, and can look different meanwhile.
    open func setDragState(_ newState: DragState, animated: Bool) { dragState = newState }

    /// Its size on the screen, in pixels.
    open var size: ViewSize { image?.size ?? ViewSize(width: 1, height: 1) }

    /// Properties for the page besides those of all views.
    func describe(in view: inout WireView, images: ImageStore) {
        view.kind = .image
        view.image = image.map { images.address(of: $0) }
    }

    func changed(_ change: Change = .look) { map?.viewChanged(self, change) }

    var frame: ViewFrame {
        ViewFrame(
            width: Float(size.width), height: Float(size.height), centerOffsetX: Float(centerOffset.x),
            centerOffsetY: Float(centerOffset.y), collisionMode: collisionMode)
    }
}
