public import MapModel

/// The view of an annotation on the map (MapKit's `MKAnnotationView`): an image, or the drawing of a subclass.
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

    /// The shape of a view that collides with others.
    public typealias CollisionMode = MapModel.CollisionMode

    /// The identifier by which it is found when a view is used again.
    public let reuseIdentifier: String?
    /// The annotation that it shows; `nil` while it waits to be used again.
    public var annotation: (any Annotation)? { didSet { changed() } }

    /// The image that it shows; without one nothing is to be seen.
    public var image: MapImage? { didSet { changed(image?.size != oldValue?.size ? .layout : .look) } }
    /// From the annotation's position to the middle of the view, in pixels, downwards.
    public var centerOffset = ViewPoint.zero { didSet { changed(.layout) } }
    /// True if it can be selected and its callout used.
    public var isEnabled = true { didSet { changed() } }
    /// The opacity, from 0 (transparent) to 1 (opaque). Default 1.
    public var alpha = 1.0 { didSet { changed() } }
    /// The rotation on the screen, in degrees clockwise. Default 0.
    public var rotation = 0.0 { didSet { changed() } }
    /// True if it lies on the ground and turns and tilts with the map, instead of standing upright.
    public var isFlat = false { didSet { changed() } }

    var callout = AnnotationViewCallout() { didSet { changed() } }
    var collision = CollisionBehavior() { didSet { changed(.layout) } }

    /// True if a person can move the annotation, which then is one that can be moved (``MovableAnnotation``).
    public var isDraggable = false { didSet { changed() } }
    /// The state of a drag.
    public internal(set) var dragState = DragState.none

    /// True if it is selected. The map sets this; a subclass overrides ``setSelected(_:animated:)`` to look different.
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
}

// The callout.

extension AnnotationView {
    /// True if the view has a callout when it is selected, given that there is something to show in it. Default false.
    public var canShowCallout: Bool {
        get { callout.isEnabled }
        set { callout.isEnabled = newValue }
    }

    /// The distance of the callout from the top of the view, in pixels, downwards. Default 0.
    public var calloutOffset: ViewPoint {
        get { callout.offset }
        set { callout.offset = newValue }
    }

    /// The accessory at the left of the callout's title. Default `nil`.
    public var leftCalloutAccessory: CalloutAccessory? {
        get { callout.left }
        set { callout.left = newValue }
    }

    /// The accessory at the right of the callout's title. Default `nil`.
    public var rightCalloutAccessory: CalloutAccessory? {
        get { callout.right }
        set { callout.right = newValue }
    }

    /// The accessory in place of the subtitle. Default `nil`.
    public var detailCalloutAccessory: CalloutAccessory? {
        get { callout.detail }
        set { callout.detail = newValue }
    }
}

// Collisions and the order of drawing.

extension AnnotationView {
    /// Views of annotations with the same identifier become one for all of them when they collide. Default `nil`: they
    /// never do.
    public var clusteringIdentifier: String? {
        get { collision.clusteringIdentifier }
        set { collision.clusteringIdentifier = newValue }
    }

    /// The priority that decides which of two views that collide and do not become one is shown. Default `required`.
    public var displayPriority: FeatureDisplayPriority {
        get { collision.displayPriority }
        set { collision.displayPriority = newValue }
    }

    /// The shape that collides. Default `rectangle`.
    public var collisionMode: CollisionMode {
        get { collision.mode }
        set { collision.mode = newValue }
    }

    /// The priority that decides which of two views is drawn on top: of the same priority the more southern is.
    public var zPriority: AnnotationViewZPriority {
        get { collision.zPriority }
        set { collision.zPriority = newValue }
    }

    /// The priority in place of ``zPriority`` while the view is selected.
    public var selectedZPriority: AnnotationViewZPriority {
        get { collision.selectedZPriority }
        set { collision.selectedZPriority = newValue }
    }

    private var frame: ViewFrame {
        ViewFrame(
            width: Float(size.width), height: Float(size.height), centerOffsetX: Float(centerOffset.x),
            centerOffsetY: Float(centerOffset.y), collisionMode: collisionMode)
    }

    /// Sets what the layout of an annotation depends on.
    func describe(in item: inout LayoutItem) {
        item.frame = frame
        item.clusteringIdentifier = clusteringIdentifier
        item.displayPriority = displayPriority
        item.zPriority = collision.zPriority(isSelected: isSelected)
        item.isSelected = isSelected
    }

    /// The appearance of the clusters that have such views.
    var clusterAppearance: ClusterAppearance {
        ClusterAppearance(
            frame: frame, displayPriority: displayPriority == .required ? nil : displayPriority, zPriority: zPriority)
    }
}
