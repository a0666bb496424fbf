/// A control on the map, or on the bar below it. It works on the map that it belongs to; the page draws it.
@MainActor
public class MapControl {
    /// The kind of control.
    enum Kind: String, Encodable { case compass, scale, tracking, zoom, mapType, fullScreen, pitch, search }

    /// The placement on the map.
    public enum Placement: String, Hashable, Sendable, Encodable {
        case topLeading, top, topTrailing, bottomLeading, bottom, bottomTrailing
        /// On a bar along the lower edge, as a toolbar's.
        case bar
    }

    /// The map it works on.
    public private(set) weak var mapView: MapView?
    /// The placement on the map.
    public var placement: Placement { didSet { mapView?.controlsChanged() } }
    let kind: Kind

    fileprivate init(_ kind: Kind, mapView: MapView?, placement: Placement) {
        self.kind = kind
        self.mapView = mapView
        self.placement = placement
    }

    var visibility: FeatureVisibility { .visible }
    var unit: ScaleView.Unit? { nil }
}

/// A compass (MapKit's `MKCompassButton`): shows where north is; a click turns the map north.
public final class CompassButton: MapControl {
    /// True if it is there always, or only while the map is turned.
    public var compassVisibility = FeatureVisibility.adaptive { didSet { mapView?.controlsChanged() } }

    /// The compass of `mapView`, to be given to ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topTrailing) {
        super.init(.compass, mapView: mapView, placement: placement)
    }

    override var visibility: FeatureVisibility { compassVisibility }
}

/// A bar that says how long a distance is on the map (MapKit's `MKScaleView`).
public final class ScaleView: MapControl {
    /// The unit.
    public enum Unit: String, Hashable, Sendable, Encodable {
        /// Metres and kilometres.
        case metric
        /// Feet and miles.
        case imperial
    }

    /// True if it is there always, or only while the map is zoomed.
    public var scaleVisibility = FeatureVisibility.adaptive { didSet { mapView?.controlsChanged() } }
    /// The unit; `nil`, the default, leaves it to the language of the reader's browser.
    public var lengthUnit: Unit? { didSet { mapView?.controlsChanged() } }

    /// The scale of `mapView`, to be given to ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .bottomLeading) {
        super.init(.scale, mapView: mapView, placement: placement)
    }

    override var visibility: FeatureVisibility { scaleVisibility }
    override var unit: Unit? { lengthUnit }
}

/// A button that goes through the tracking modes (MapKit's `MKUserTrackingButton`), as `UserTracking` says.
public final class UserTrackingButton: MapControl {
    /// The button of `mapView`, to be given to ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topTrailing) {
        super.init(.tracking, mapView: mapView, placement: placement)
    }
}

/// Two buttons that zoom (MapKit's `MKZoomControl`).
public final class ZoomControl: MapControl {
    /// The buttons of `mapView`, to be given to ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .bottomTrailing) {
        super.init(.zoom, mapView: mapView, placement: placement)
    }
}

/// A button that tilts the map (MapKit's `MKPitchControl`).
public final class PitchControl: MapControl {
    /// The button of `mapView`, to be given to ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topTrailing) {
        super.init(.pitch, mapView: mapView, placement: placement)
    }
}

/// A choice of the map types.
public final class MapTypeControl: MapControl {
    /// The choice of `mapView`, to be given to ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topTrailing) {
        super.init(.mapType, mapView: mapView, placement: placement)
    }
}

/// A field to search for places in, with suggestions while one types. What is found is shown by the page; the program is told
/// nothing of it.
public final class SearchField: MapControl {
    /// The field of `mapView`, to be given to ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topLeading) {
        super.init(.search, mapView: mapView, placement: placement)
    }
}

/// A button that shows the map on the whole screen.
public final class FullScreenControl: MapControl {
    /// The button of `mapView`, to be given to ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topTrailing) {
        super.init(.fullScreen, mapView: mapView, placement: placement)
    }
}
