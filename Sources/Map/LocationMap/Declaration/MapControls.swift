public import MapModel

/// A control of a declared ``Map``: one of ``MapCompass``, ``MapScaleView``, ``MapUserLocationButton``, ``MapPitchToggle`` and
/// ``MapZoomStepper``.
@MainActor
public protocol MapControlContent {
    /// The control as a value.
    var declaration: DeclaredControl { get }
}

/// A control of a declared ``Map`` as a value.
public struct DeclaredControl: MapControlContent, Hashable {
    let kind: MapControl.Kind
    var visibility = FeatureVisibility.adaptive

    /// The control itself.
    public var declaration: DeclaredControl { self }

    /// Makes the control for a map.
    @MainActor func control(for map: MapView) -> MapControl {
        let control = kind.control(for: map)
        (control as? CompassButton)?.compassVisibility = visibility
        (control as? ScaleView)?.scaleVisibility = visibility
        return control
    }
}

extension MapControlContent {
    /// Sets the visibility of a compass or a scale. Default adaptive: while the map is rotated or zoomed. Other controls are
    /// visible unless hidden.
    public func mapControlVisibility(_ visibility: FeatureVisibility) -> DeclaredControl {
        var control = declaration
        control.visibility = visibility
        return control
    }
}

/// A compass that points north.
public struct MapCompass: MapControlContent {
    /// Declares a compass.
    public init() {}
    /// The control as a value.
    public var declaration: DeclaredControl { DeclaredControl(kind: .compass) }
}

/// A bar with the length of a distance on the map.
public struct MapScaleView: MapControlContent {
    /// Declares a scale.
    public init() {}
    /// The control as a value.
    public var declaration: DeclaredControl { DeclaredControl(kind: .scale) }
}

/// A button that makes the map follow the user.
public struct MapUserLocationButton: MapControlContent {
    /// Declares a button.
    public init() {}
    /// The control as a value.
    public var declaration: DeclaredControl { DeclaredControl(kind: .tracking) }
}

/// A button that tilts the map.
public struct MapPitchToggle: MapControlContent {
    /// Declares a button.
    public init() {}
    /// The control as a value.
    public var declaration: DeclaredControl { DeclaredControl(kind: .pitch) }
}

/// Buttons that zoom in and out.
public struct MapZoomStepper: MapControlContent {
    /// Declares buttons.
    public init() {}
    /// The control as a value.
    public var declaration: DeclaredControl { DeclaredControl(kind: .zoom) }
}

/// The builder of a ``Map``'s controls: one after another, and `if`.
@MainActor
@resultBuilder
public enum MapControlsBuilder {
    /// Returns a control.
    public static func buildExpression(_ control: some MapControlContent) -> [DeclaredControl] { [control.declaration] }
    /// Returns several controls.
    public static func buildBlock(_ controls: [DeclaredControl]...) -> [DeclaredControl] { controls.flatMap(\.self) }
    /// Returns the controls of an `if` without `else`.
    public static func buildOptional(_ controls: [DeclaredControl]?) -> [DeclaredControl] { controls ?? [] }
    /// Returns the controls of the first branch.
    public static func buildEither(first controls: [DeclaredControl]) -> [DeclaredControl] { controls }
    /// Returns the controls of another branch.
    public static func buildEither(second controls: [DeclaredControl]) -> [DeclaredControl] { controls }
}
