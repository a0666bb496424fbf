/// The content of an item in the desktop's panel: an icon, its tooltip and its menu. All texts are plain.
package struct StatusItem: Hashable, Sendable {
    /// An entry of the menu.
    package struct Entry: Hashable, Sendable {
        /// Identifies the entry when it is chosen: above 0, and never that of another entry of the same process, because a panel may
        /// show an earlier menu.
        package var id: Int32
        /// One line; empty for a separator.
        package var label: String
        /// False for an entry that cannot be chosen.
        package var isEnabled: Bool

        package init(id: Int32, label: String, isEnabled: Bool = true) {
            (self.id, self.label, self.isEnabled) = (id, label, isEnabled)
        }

        /// A line between entries.
        package static func separator(id: Int32) -> Entry { Entry(id: id, label: "", isEnabled: false) }

        package var isSeparator: Bool { label.isEmpty }
    }

    /// One line, for tooltips and screen readers.
    package var title: String
    /// The further lines of the tooltip.
    package var details: [String]
    package var menu: [Entry]

    package init(title: String, details: [String] = [], menu: [Entry] = []) {
        (self.title, self.details, self.menu) = (title, details, menu)
    }
}

/// A picture of an icon: rows of pixels from the top, each with the bytes alpha, red, green and blue.
struct StatusPixmap {
    let size: Int
    let bytes: [UInt8]

    /// The pictures of the icon, for panels whose theme lacks it.
    static let location = [22, 44].map(StatusPixmap.init(size:))

    /// Draws a ring with a dot and four marks, as symbols for the own location have: in blue with a white edge, which is visible on
    /// panels of any colour. Some are of this very blue.
    private init(size: Int) {
        self.size = size
        let scale = Double(size) / 22
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size * size * 4)
        for row in 0..<size {
            for column in 0..<size {
                let (x, y) = ((Double(column) + 0.5) / scale - 11, (Double(row) + 0.5) / scale - 11)
                let distance = (x * x + y * y).squareRoot()
                // The distance from the edge of each part, in pixels; positive inside.
                let ring = 1 - abs(distance - 6)
                let dot = 3 - distance
                let mark = min(1 - min(abs(x), abs(y)), 1.75 - abs(max(abs(x), abs(y)) - 8.25))
                let inside = max(ring, dot, mark)
                func coverage(_ edge: Double) -> Double { min(1, max(0, (inside + edge) * scale + 0.5)) }
                let (blue, all) = (coverage(0), coverage(1))
                // The blue lies on the white.
                let colour = [0x35, 0x84, 0xe4].map { all > 0 ? UInt8(255 - (255 - $0) * blue / all) : 0 }
                bytes += [UInt8(255 * all)] + colour
            }
        }
        self.bytes = bytes
    }
}
