/// A map as a declaration (the `Map` of MapKit for SwiftUI): its content, its camera, its style and its controls. A ``MapView``
/// shows it:
///
/// ```swift
/// let track = Polyline(coordinates: [harbour])
/// map.show {
///     Map(position: .userLocation(fallback: .automatic)) {
///         Marker("Harbour", coordinate: harbour).tint(.blue)
///         MapPolyline(track).stroke(.red, lineWidth: 3)
///         UserAnnotation()
///     }
///     .mapStyle(.hybrid)
///     .mapControls {
///         MapCompass()
///         MapScaleView()
///     }
/// }
/// ```
@MainActor
public struct Map {
    /// The selected tag, and the handler of the user's selection.
    struct Selection {
        var tag: AnyHashable?
        var onChange: @MainActor (AnyHashable?) -> Void
    }

    /// The camera's part of the declaration.
    struct CameraRules {
        var position: MapCameraPosition
        /// True if the position is that of the first declaration only.
        var isInitial = false
        /// The limits; `nil` to leave those of the ``MapView``.
        var bounds: MapCameraBounds?
        /// The interactions with the camera that the user has; `nil` to leave that of the ``MapView``.
        var interactionModes: MapInteractionModes?
    }

    /// The handlers of the user's actions.
    struct Handlers {
        var cameraAtRest: (@MainActor (MapCameraUpdateContext) -> Void)?
        var cameraMoving: (@MainActor (MapCameraUpdateContext) -> Void)?
        var tap: (@MainActor (ViewPoint) -> Void)?
    }

    let camera: CameraRules
    let elements: [MapElement]
    private(set) var handlers = Handlers()
    private(set) var style: MapStyle?
    private(set) var controls: [DeclaredControl]?
    private(set) var selection: Selection?

    /// Declares a map.
    ///
    /// - Parameters:
    ///   - position: The camera's position. The map moves when it is another one than before; until then the user's own moves
    ///     stay. Default ``MapCameraPosition/automatic``. In place of a binding it is a property of an `@Observable` object, which
    ///     ``onMapCameraChange(frequency:_:)`` keeps up to date where a program needs that.
    ///   - bounds: The limits of the camera; `nil`, the default, for those of the ``MapView``.
    ///   - interactionModes: What the user may do with the camera; `nil`, the default, for what the ``MapView`` permits.
    ///   - content: What is on the map. Later overlays are drawn above earlier ones.
    public init(
        position: MapCameraPosition = .automatic, bounds: MapCameraBounds? = nil,
        interactionModes: MapInteractionModes? = nil, @MapContentBuilder content: () -> MapContentGroup
    ) {
        camera = CameraRules(position: position, bounds: bounds, interactionModes: interactionModes)
        elements = content().elements
    }

    /// Declares a map whose camera is the user's after the first declaration; see
    /// ``init(position:bounds:interactionModes:content:)``.
    public init(
        initialPosition: MapCameraPosition, bounds: MapCameraBounds? = nil,
        interactionModes: MapInteractionModes? = nil, @MapContentBuilder content: () -> MapContentGroup
    ) {
        camera = CameraRules(
            position: initialPosition, isInitial: true, bounds: bounds, interactionModes: interactionModes)
        elements = content().elements
    }

    /// Calls `action` after the camera has moved: for the user, by tracking or by the program.
    ///
    /// - Parameters:
    ///   - frequency: At the end of each move, the default, or also during it.
    ///   - action: Called with the visible part of the map.
    public func onMapCameraChange(
        frequency: MapCameraUpdateFrequency = .onEnd, _ action: @escaping @MainActor (MapCameraUpdateContext) -> Void
    ) -> Map {
        var map = self
        switch frequency {
        case .onEnd: map.handlers.cameraAtRest = action
        case .continuous: map.handlers.cameraMoving = action
        }
        return map
    }

    /// Calls `action` when the user clicks the map beside all annotations and lines, with the point on the page; a ``MapReader``
    /// has its coordinate.
    public func onTapGesture(perform action: @escaping @MainActor (ViewPoint) -> Void) -> Map {
        var map = self
        map.handlers.tap = action
        return map
    }

    /// Sets the map's type and points of interest. Without it they are those of the ``MapView``.
    public func mapStyle(_ style: MapStyle) -> Map {
        var map = self
        map.style = style
        return map
    }

    /// Sets the controls, in place of the map's own compass. Without it they are those of the ``MapView``.
    public func mapControls(@MapControlsBuilder _ controls: () -> [DeclaredControl]) -> Map {
        var map = self
        map.controls = controls()
        return map
    }

    /// Selects the marker with a tag, and reports the user's selection.
    ///
    /// - Parameters:
    ///   - value: The tag (``MapContent/tag(_:)``) of the selected marker; `nil` for none.
    ///   - onChange: Called when the user selects another marker or none. The next declaration should select that one;
    ///     otherwise the selection is taken back.
    public func selection<Value: Hashable>(_ value: Value?, onChange: @escaping @MainActor (Value?) -> Void) -> Map {
        var map = self
        map.selection = Selection(tag: value.map { AnyHashable($0) }) { onChange($0?.base as? Value) }
        return map
    }
}
