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

    let position: MapCameraPosition
    let elements: [MapElement]
    private(set) var style: MapStyle?
    private(set) var controls: [DeclaredControl]?
    private(set) var selection: Selection?

    /// Declares a map.
    ///
    /// - Parameters:
    ///   - position: The camera's position. The map moves when it is another one than before; until then the user's own moves
    ///     stay. Default ``MapCameraPosition/automatic``.
    ///   - content: What is on the map. Later overlays are drawn above earlier ones.
    public init(position: MapCameraPosition = .automatic, @MapContentBuilder content: () -> MapContentGroup) {
        self.position = position
        elements = content().elements
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
