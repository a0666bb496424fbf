import LocationModel
import MapModel

/// A part of a declared map as a value, which is compared with that of the declaration before.
struct MapElement {
    /// The appearance of a marker.
    struct MarkerLook: Hashable {
        var tint: Color?
        var monogram: String?
        var image: MapImage?
        var titleVisibility = FeatureVisibility.adaptive
    }

    /// The appearance of an overlay. Without a stroke and a fill it is that of ``MapView/defaultRenderer(for:)``.
    struct Pen: Hashable {
        var stroke: Color?
        var style = StrokeStyle()
        var fill: Color?
        var level = OverlayLevel.aboveLabels
    }

    /// The geometry of an overlay.
    enum Outline: Hashable {
        case line([Coordinate], isGeodesic: Bool)
        case area([Coordinate])
        case circle(center: Coordinate, radius: Double)
        /// An overlay of the program's.
        case object(OverlayReference)
    }

    /// An overlay, compared by identity.
    struct OverlayReference: Hashable {
        let overlay: any Overlay

        static func == (left: Self, right: Self) -> Bool { left.overlay === right.overlay }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(overlay)) }
    }

    enum Content: Hashable {
        case annotation(title: String, coordinate: Coordinate, MarkerLook?)
        case overlay(Outline, Pen)
        case user
    }

    /// The value and its tag. Equal ones need no change.
    struct Value: Hashable {
        var content: Content
        var tag: AnyHashable?
    }

    /// The identity across updates.
    enum Key: Hashable {
        case tag(AnyHashable, isMarker: Bool)
        case marker(String)
        case view(String)
        case overlay(Outline)
        case user
    }

    var value: Value
    /// Makes the view of an annotation that is no marker.
    var makeView: (@MainActor () -> AnnotationView)?

    init(_ content: Content, makeView: (@MainActor () -> AnnotationView)? = nil) {
        value = Value(content: content)
        self.makeView = makeView
    }

    var tag: AnyHashable? {
        get { value.tag }
        set { value.tag = newValue }
    }

    var key: Key {
        switch value.content {
        case .overlay(let outline, _): .overlay(outline)
        case .user: .user
        case .annotation(let title, _, let look):
            tag.map { .tag($0, isMarker: look != nil) } ?? (look == nil ? .view(title) : .marker(title))
        }
    }

    /// The appearance of a marker; `nil` for anything else.
    var markerLook: MarkerLook? {
        get { if case .annotation(_, _, let look) = value.content { look } else { nil } }
        set {
            guard let newValue, case .annotation(let title, let coordinate, .some) = value.content else { return }
            value.content = .annotation(title: title, coordinate: coordinate, newValue)
        }
    }

    /// The appearance of an overlay; `nil` for anything else.
    var pen: Pen? {
        get { if case .overlay(_, let pen) = value.content { pen } else { nil } }
        set {
            guard let newValue, case .overlay(let outline, _) = value.content else { return }
            value.content = .overlay(outline, newValue)
        }
    }
}
