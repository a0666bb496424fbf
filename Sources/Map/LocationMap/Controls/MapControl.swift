/// A control on the map, or in the bar below it. The page draws it. Subclasses are the controls that exist; a control
/// belongs to one map.
@MainActor
public class MapControl {
    /// The kind of control.
    enum Kind: String, Encodable { case compass, scale, tracking, zoom, mapType, fullScreen, pitch, search }

    /// The placement of a control on the map.
    public enum Placement: String, Hashable, Sendable, Encodable {
        case topLeading, top, topTrailing, bottomLeading, bottom, bottomTrailing
        /// In a toolbar along the lower edge.
        case bar
    }

    /// The map that the control belongs to.
    public private(set) weak var mapView: MapView?
    /// The placement on the map.
    public var placement: Placement { didSet { mapView?.controlsChanged() } }
    /// The background, border and corners. Default those of the page's style.
    public var layer = ControlLayer() { didSet { if layer != oldValue { mapView?.controlsChanged() } } }
    let kind: Kind

    init(_ kind: Kind, mapView: MapView?, placement: Placement) {
        self.kind = kind
        self.mapView = mapView
        self.placement = placement
    }

    var visibility: FeatureVisibility { .visible }
    var unit: ScaleView.Unit? { nil }
    var alignment: ScaleView.Alignment? { nil }
    /// True for a search field whose rows are the program's.
    var hasOwnRows: Bool { false }
    /// The words in an empty search field; `nil` for the page's.
    var prompt: String? { nil }
}

/// A compass that points north (MapKit's `MKCompassButton`). A click rotates the map north up.
public final class CompassButton: MapControl {
    /// The visibility of the compass. Default adaptive: visible while the map is rotated.
    public var compassVisibility = FeatureVisibility.adaptive { didSet { mapView?.controlsChanged() } }

    /// Creates a compass for ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topTrailing) {
        super.init(.compass, mapView: mapView, placement: placement)
    }

    override var visibility: FeatureVisibility { compassVisibility }
}

/// A bar with the length of a distance on the map (MapKit's `MKScaleView`).
public final class ScaleView: MapControl {
    /// A system of units.
    public enum Unit: String, Hashable, Sendable, Encodable {
        /// Metres and kilometres.
        case metric
        /// Feet and miles.
        case imperial
    }

    /// The side of the bar at which the text is.
    public enum Alignment: String, Hashable, Sendable, Encodable {
        /// The side where lines of text begin.
        case leading
        /// The side where lines of text end.
        case trailing
    }

    /// The alignment of the text above the bar. Default leading.
    public var legendAlignment = Alignment.leading { didSet { mapView?.controlsChanged() } }
    /// The visibility of the scale. Default adaptive: visible while the map is zoomed.
    public var scaleVisibility = FeatureVisibility.adaptive { didSet { mapView?.controlsChanged() } }
    /// The units; `nil`, the default, follows the language of the browser.
    public var lengthUnit: Unit? { didSet { mapView?.controlsChanged() } }

    /// Creates a scale for ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .bottomLeading) {
        super.init(.scale, mapView: mapView, placement: placement)
    }

    override var visibility: FeatureVisibility { scaleVisibility }
    override var unit: Unit? { lengthUnit }
    override var alignment: Alignment? { legendAlignment == .leading ? nil : legendAlignment }
}

/// A button that cycles through the tracking modes (MapKit's `MKUserTrackingButton`), as `UserTracking` defines.
public final class UserTrackingButton: MapControl {
    /// Creates a tracking button for ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topTrailing) {
        super.init(.tracking, mapView: mapView, placement: placement)
    }
}

/// A pair of buttons that zoom in and out (MapKit's `MKZoomControl`).
public final class ZoomControl: MapControl {
    /// Creates zoom buttons for ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .bottomTrailing) {
        super.init(.zoom, mapView: mapView, placement: placement)
    }
}

/// A button that tilts the map (MapKit's `MKPitchControl`).
public final class PitchControl: MapControl {
    /// Creates a pitch button for ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topTrailing) {
        super.init(.pitch, mapView: mapView, placement: placement)
    }
}

/// A menu of the map types.
public final class MapTypeControl: MapControl {
    /// Creates a menu of map types for ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topTrailing) {
        super.init(.mapType, mapView: mapView, placement: placement)
    }
}

/// A button that shows the map in full screen.
public final class FullScreenControl: MapControl {
    /// Creates a full-screen button for ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topTrailing) {
        super.init(.fullScreen, mapView: mapView, placement: placement)
    }
}
