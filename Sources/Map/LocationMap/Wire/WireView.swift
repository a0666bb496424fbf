/// An annotation view in the form for pages.
struct WireView: Encodable, Hashable {
    enum Kind: String, Encodable { case marker, pin, image, user }

    var id: String
    var position: WirePosition
    var kind = Kind.image
    /// The name under which the page reuses elements.
    var reuse = ""
    var title: String?
    var subtitle: String?
    /// The label for screen readers.
    var label = ""
    /// The drawing order: lower numbers first.
    var order = 0.0
    var isEnabled = true
    var isDraggable = false
    var opacity = 1.0
    /// The offset of the view's centre from its position, in pixels, y downwards.
    var offset = [0.0, 0.0]
    /// The width and height, in pixels.
    var size = [1.0, 1.0]
    var tint: String?
    var glyph: String?
    var glyphImage: String?
    var glyphTint: String?
    var titleVisibility: FeatureVisibility?
    var subtitleVisibility: FeatureVisibility?
    var animates: Bool?
    /// The address of the image.
    var image: String?
    var rotation: Double?
    var isFlat: Bool?
    var callout: WireCallout?
    /// The number of annotations of a cluster.
    var members: Int?
    /// The first annotations of a selected cluster, to choose from in its callout.
    var choices: [WireChoice]?
    /// The position from which a new view moves: that of its former or present cluster.
    var from: WirePosition?
}

/// An annotation in a list. The page selects it by its id.
struct WireChoice: Encodable, Hashable {
    var id: String
    var title: String
    var subtitle: String?
}

/// The callout of a selected annotation.
struct WireCallout: Encodable, Hashable {
    var title: String?
    var subtitle: String?
    var left: WireAccessory?
    var right: WireAccessory?
    var detail: WireAccessory?
    /// The offset of the callout, in pixels, y downwards.
    var offset = [0.0, 0.0]
}

/// An accessory beside or below the text of a callout.
struct WireAccessory: Encodable, Hashable {
    enum Kind: String, Encodable { case button, image, text }

    var kind: Kind
    var title: String?
    /// The text of a detail view, which may have several lines.
    var text: String?
    var image: String?
    var symbol: String?
    var label: String
    var isEnabled: Bool
    var tint: String?
}

/// A change of the views. Unmentioned views stay.
struct WireViewChanges: Encodable {
    struct Hidden: Encodable {
        var id: String
        /// The position of the cluster that the view joins.
        var to: WirePosition?
    }

    var show: [WireView] = []
    var change: [WireView] = []
    var hide: [Hidden] = []
    /// The duration of a split or a join, in seconds. Default 0.2.
    var duration = 0.2

    var isEmpty: Bool { show.isEmpty && change.isEmpty && hide.isEmpty }
}
