public import MapModel

/// An accessory at the side of a callout or below its title: a button, an image or text.
public struct CalloutAccessory: Hashable, Sendable {
    /// The signs that a button can have.
    public enum Symbol: String, Hashable, Sendable, CaseIterable {
        /// An i in a circle, as MapKit's detail disclosure button.
        case info
        case close, add, directions, share, delete
    }

    enum Content: Hashable {
        case button
        case image
        case text
    }

    let content: Content
    /// The text of a button or a text.
    public var title: String?
    /// The sign of a button.
    public var symbol: Symbol?
    /// The image of a button or an image.
    public var image: MapImage?
    /// The label for screen readers; by default the title.
    public var accessibilityLabel: String?
    /// True if a button can be pressed.
    public var isEnabled = true
    /// The colour of a button; by default that of the page.
    public var tint: Color?
    /// For the program's own use: tells buttons apart.
    public var tag = 0

    /// A button, which `calloutAccessoryControlTapped` tells of.
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

    /// The button with an i in a circle (MapKit's `UIButton(type: .detailDisclosure)`).
    public static let detailDisclosure = CalloutAccessory.button(symbol: .info, accessibilityLabel: "More information")

    /// An image that cannot be pressed.
    public static func image(_ image: MapImage, accessibilityLabel: String) -> CalloutAccessory {
        var accessory = CalloutAccessory(content: .image, title: nil)
        accessory.image = image
        accessory.accessibilityLabel = accessibilityLabel
        return accessory
    }

    /// Text, as a detail view of several lines, too.
    public static func text(_ text: String) -> CalloutAccessory { CalloutAccessory(content: .text, title: text) }

    private init(content: Content, title: String?) {
        self.content = content
        self.title = title
    }
}

/// A place in a callout.
public enum CalloutSide: String, Hashable, Sendable, Decodable {
    /// ``AnnotationView/leftCalloutAccessory``
    case left
    /// ``AnnotationView/rightCalloutAccessory``
    case right
    /// ``AnnotationView/detailCalloutAccessory``
    case detail
}
