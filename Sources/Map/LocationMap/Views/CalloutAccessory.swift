public import MapModel

/// An accessory beside a callout's title or below it: a button, an image or text.
public struct CalloutAccessory: Hashable, Sendable {
    /// A symbol for a button.
    public enum Symbol: String, Hashable, Sendable, CaseIterable {
        /// An i in a circle, as in UIKit's detail disclosure button.
        case info
        case close, add, directions, share, delete
    }

    enum Content: Hashable {
        case button
        case image
        case text
    }

    let content: Content
    /// The text; `nil` for a button or image without one.
    public var title: String?
    /// The symbol of a button; `nil` for none.
    public var symbol: Symbol?
    /// The image; `nil` for none.
    public var image: MapImage?
    /// The label for screen readers; `nil` for the title.
    public var accessibilityLabel: String?
    /// True if a button can be pressed. Default true.
    public var isEnabled = true
    /// The colour of a button; `nil`, the default, for that of the page.
    public var tint: Color?
    /// A number for the program's own use, such as to distinguish buttons. Default 0.
    public var tag = 0

    /// Returns a button. Clicks are reported to
    /// ``MapViewDelegate/mapView(_:annotationView:calloutAccessoryControlTapped:)``.
    public static func button(
        _ title: String? = nil, symbol: Symbol? = nil, image: MapImage? = nil, accessibilityLabel: String? = nil,
        tag: Int = 0
    ) -> CalloutAccessory {
        var accessory = CalloutAccessory(content: .button, title: title)
        accessory.symbol = symbol ?? (title == nil && image == nil ? .info : nil)
        accessory.image = image
        accessory.accessibilityLabel = accessibilityLabel
        accessory.tag = tag
        return accessory
    }

    /// A button with an i in a circle (UIKit's `UIButton(type: .detailDisclosure)`).
    public static let detailDisclosure = CalloutAccessory.button(symbol: .info, accessibilityLabel: "More information")

    /// Returns an image that cannot be clicked.
    public static func image(_ image: MapImage, accessibilityLabel: String) -> CalloutAccessory {
        var accessory = CalloutAccessory(content: .image, title: nil)
        accessory.image = image
        accessory.accessibilityLabel = accessibilityLabel
        return accessory
    }

    /// Returns a text, which may have several lines in a detail view.
    public static func text(_ text: String) -> CalloutAccessory { CalloutAccessory(content: .text, title: text) }
}

/// A place in a callout.
public enum CalloutSide: String, Hashable, Sendable, Decodable {
    /// The place of ``AnnotationView/leftCalloutAccessoryView``.
    case left
    /// The place of ``AnnotationView/rightCalloutAccessoryView``.
    case right
    /// The place of ``AnnotationView/detailCalloutAccessoryView``.
    case detail
}
