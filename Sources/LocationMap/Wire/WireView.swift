/// An annotation view as the page draws it.
struct WireView: Encodable, Hashable {
    enum Kind: String, Encodable { case marker, pin, image, user }

    var id: String
    var position: WirePosition
    var kind = Kind.image
    /// Views of the same identifier can use the same element one after another.
    var reuse = ""
    var title: String?
    var subtitle: String?
    /// The label for screen readers.
    var label = ""
    /// The order of drawing: lower numbers first.
    var order = 0.0
    var isEnabled = true
    var isDraggable = false
    var opacity = 1.0
    /// From the position to the middle of the view, in pixels, downwards.
    var offset = [0.0, 0.0]
    /// Width and height in pixels.
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
    /// The titles of the first of them, for a list where they lie at one place.
    var clusterTitles: [String]?
    /// The position that a new view moves from: that of the cluster that it was in, or was.
    var from: WirePosition?

    init(id: String, position: WirePosition) {
        self.id = id
        self.position = position
    }
}

/// The bubble of a selected annotation.
struct WireCallout: Encodable, Hashable {
    var title: String?
    var subtitle: String?
    var left: WireAccessory?
    var right: WireAccessory?
    var detail: WireAccessory?
    /// Moves the bubble, in pixels, downwards.
    var offset: [Double]
}

/// An accessory beside or below the text of a callout.
struct WireAccessory: Encodable, Hashable {
    enum Kind: String, Encodable { case button, image, text }

    var kind: Kind
    var title: String?
    /// The text of a detail view; it may have several lines.
    var text: String?
    var image: String?
    var symbol: String?
    var label: String
    var isEnabled: Bool
    var tint: String?
}

/// A change of the views. Views that it does not name stay.
struct WireViewChanges: Encodable {
    struct Hidden: Encodable {
        var id: String
        /// The cluster that it joins.
        var to: WirePosition?
    }

    var show: [WireView] = []
    var change: [WireView] = []
    var hide: [Hidden] = []
    /// The duration of a split or a join, in seconds.
    var duration = 0.2

    var isEmpty: Bool { show.isEmpty && change.isEmpty && hide.isEmpty }
}
