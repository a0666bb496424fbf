public import MapModel

/// The view of an annotation on the map (MapKit's `MKAnnotationView`): an image, or what a subclass draws.
///
/// The delegate makes views in ``MapViewDelegate/mapView(_:viewFor:)``; without it the map does. A view is reused for
/// another annotation when its own leaves the visible region. Changed properties appear on every page at once. Main
/// actor only.
@MainActor
open class AnnotationView {
    /// The state of a drag (MapKit's `MKAnnotationView.DragState`).
    public enum DragState: Hashable, Sendable {
        /// No drag.
        case none
        /// The user picks the view up.
        case starting
        /// The user moves the view.
        case dragging
        /// The drag is cancelled; the view returns to its coordinate.
        case canceling
        /// The user puts the view down.
        case ending
    }

    /// The shape of a view for collisions.
    public typealias CollisionMode = MapModel.CollisionMode

    /// The identifier of the views among which this one is reused; `nil` if it is not reused.
    public let reuseIdentifier: String?
    /// The annotation; `nil` while the view waits to be reused. A subclass may override it to follow changes, also of a view
    /// that the map makes with a registered class.
    open var annotation: (any Annotation)? { didSet { changed() } }

    /// The image; `nil`, the default, shows nothing.
    public var image: MapImage? { didSet { changed(image?.size != oldValue?.size ? .layout : .look) } }
    /// The offset of the view's centre from the annotation's coordinate, in pixels, y downwards. Default 0.
    public var centerOffset = ViewPoint.zero { didSet { changed(.layout) } }
    /// True if the view can be selected and its callout used. Default true.
    public var isEnabled = true { didSet { changed() } }
    /// The opacity, from 0 (transparent) to 1 (opaque). Default 1.
    public var alpha = 1.0 { didSet { changed() } }
    /// The rotation on the screen, in degrees clockwise. Default 0.
    public var rotation = 0.0 { didSet { changed() } }
    /// True if the view lies on the ground and rotates and tilts with the map; false if it stands upright. Default
    /// false.
    public var isFlat = false { didSet { changed() } }

    /// True if a selected view shows a callout, provided that there is something to show. Default false.
    public var canShowCallout = false { didSet { changed() } }
    /// The offset of the callout from the top of the view, in pixels, y downwards. Default 0.
    public var calloutOffset = ViewPoint.zero { didSet { changed() } }
    /// The accessory to the left of the callout's title; `nil`, the default, for none.
    public var leftCalloutAccessoryView: CalloutAccessory? { didSet { changed() } }
    /// The accessory to the right of the callout's title; `nil`, the default, for none.
    public var rightCalloutAccessoryView: CalloutAccessory? { didSet { changed() } }
    /// The accessory in place of the subtitle; `nil`, the default, for none.
    public var detailCalloutAccessoryView: CalloutAccessory? { didSet { changed() } }

    /// The clustering identifier. Colliding views with the same identifier form a cluster, which also takes in those that
    /// come within 24 pixels of it; `nil`, the default, forms none.
    public var clusteringIdentifier: String? { didSet { changed(.layout) } }
    /// The display priority: of two colliding views that form no cluster, the one with the higher priority is shown.
    /// Required views, the default, are all shown: with more than a thousand in view, set ``clusteringIdentifier``.
    public var displayPriority = FeatureDisplayPriority.required { didSet { changed(.layout) } }
    /// The shape for collisions. Default rectangle.
    public var collisionMode = CollisionMode.rectangle { didSet { changed(.layout) } }
    /// The drawing priority: the view with the higher priority is on top; of equal ones the more southern.
    public var zPriority = AnnotationViewZPriority.defaultUnselected { didSet { changed(.layout) } }
    /// The drawing priority while the view is selected.
    public var selectedZPriority = AnnotationViewZPriority.defaultSelected { didSet { changed(.layout) } }

    /// True if the user can drag the view. Default false. The annotation must be a ``MovableAnnotation``.
    public var isDraggable = false { didSet { changed() } }
    /// The state of the drag.
    public internal(set) var dragState = DragState.none

    /// True if the view is selected. The map sets it; override ``setSelected(_:animated:)`` to draw a selected view
    /// differently.
    public internal(set) var isSelected = false

    /// The cluster view that stands for this one; `nil` if there is none.
    public internal(set) weak var cluster: AnnotationView?

    /// The kind of a change, by what it affects.
    enum Change {
        /// The appearance alone.
        case look
        /// The collisions with other views.
        case layout
    }

    weak var map: MapView?

    /// Creates a view of `annotation`, which is reused for others by `reuseIdentifier`.
    public required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
        self.annotation = annotation
        self.reuseIdentifier = reuseIdentifier
    }

    /// Prepares a view for another annotation. Override it to reset your own properties, and call the inherited method.
    ///
    /// Resets the selection and the drag; the image and the identifiers stay.
    open func prepareForReuse() {
        isSelected = false
        dragState = .none
    }

    /// Called before the view is shown, once its annotation and all properties are set.
    open func prepareForDisplay() {}

    /// Changes the selection. An override calls the inherited method first.
    open func setSelected(_ selected: Bool, animated: Bool) {
        isSelected = selected
        changed(.layout)
    }

    /// Changes the state of the drag. An override calls the inherited method first.
    open func setDragState(_ newState: DragState, animated: Bool) { dragState = newState }

    /// The size of the view, in pixels: that of its image.
    open var size: ViewSize { image?.size ?? ViewSize(width: 1, height: 1) }

    /// Sets the properties of a subclass in the view's form for pages.
    func describe(in view: inout WireView, images: ImageStore) {
        view.kind = .image
        view.image = image.map { images.address(of: $0) }
    }

    func changed(_ change: Change = .look) { map?.viewChanged(self, change) }
}

// The callout.

extension AnnotationView {
    func calloutAccessory(_ side: CalloutSide) -> CalloutAccessory? {
        switch side {
        case .left: leftCalloutAccessoryView
        case .right: rightCalloutAccessoryView
        case .detail: detailCalloutAccessoryView
        }
    }

    /// Returns the callout for an annotation, with its title and subtitle; `nil` if it is disabled or there is nothing to
    /// show.
    func wireCallout(for annotation: (any Annotation)?, _ images: ImageStore) -> WireCallout? {
        let detail = detailCalloutAccessoryView
        guard canShowCallout, annotation?.title?.isEmpty == false || detail != nil else { return nil }
        return WireCallout(
            title: annotation?.title, subtitle: detail == nil ? annotation?.subtitle : nil,
            left: leftCalloutAccessoryView?.wire(images), right: rightCalloutAccessoryView?.wire(images),
            detail: detail?.wire(images), offset: [calloutOffset.x, calloutOffset.y])
    }
}

// Collisions and drawing order.

extension AnnotationView {
    private var frame: ViewFrame {
        ViewFrame(
            width: Float(size.width), height: Float(size.height), centerOffsetX: Float(centerOffset.x),
            centerOffsetY: Float(centerOffset.y), collisionMode: collisionMode)
    }

    /// Sets the properties of a layout item that come from the view.
    func describe(in item: inout LayoutItem) {
        item.frame = frame
        item.clusteringIdentifier = clusteringIdentifier
        item.displayPriority = displayPriority
        item.isSelected = isSelected
    }

    /// The appearance of clusters with views like this one.
    var clusterAppearance: ClusterAppearance {
        ClusterAppearance(frame: frame, displayPriority: displayPriority == .required ? nil : displayPriority)
    }
}
