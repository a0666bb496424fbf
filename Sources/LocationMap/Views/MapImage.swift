import MapTiles
import FoundationEssentials
public import MapModel

/// An image that a program hands over: an SVG document or a PNG file with the size that it is shown at.
///
/// The page shows it as a picture and nothing else: what an SVG document says of scripts or other files has no effect there.
public struct MapImage: Hashable, Sendable {
    /// Width and height on the screen, in CSS pixels.
    public let size: ViewSize
    let bytes: [UInt8]
    let format: Tile.Format
    /// Of the bytes: computed once, since images are compared often and are large.
    private let digest: Int

    /// The SVG document `svg`, shown at `size`.
    public init(svg: String, size: ViewSize) { self.init(Array(svg.utf8), .svg, size) }

    /// A drawing as an image.
    public init(_ drawing: Drawing) {
        self.init(svg: drawing.svg(), size: ViewSize(width: drawing.width, height: drawing.height))
    }

    /// A PNG image, shown at `size`, or with as many CSS pixels as it has itself.
    ///
    /// - Returns: `nil` when `png` is no PNG image.
    public init?(png: [UInt8], size: ViewSize? = nil) {
        // The signature, then the chunk IHDR with width and height (W3C PNG, 5.2 and 11.2.1).
        guard png.count >= 24, png.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else { return nil }
        func number(at offset: Int) -> Double { Double(png[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }) }
        self.init(png, .png, size ?? ViewSize(width: number(at: 16), height: number(at: 20)))
    }

    /// The PNG file at `path`; `nil` when it cannot be read or is none. This blocks.
    public init?(contentsOfPNGFile path: String, size: ViewSize? = nil) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(png: Array(data), size: size)
    }

    private init(_ bytes: [UInt8], _ format: Tile.Format, _ size: ViewSize) {
        self.bytes = bytes
        self.format = format
        self.size = size
        digest = bytes.hashValue
    }

    /// True if both show the same at the same size.
    public static func == (left: MapImage, right: MapImage) -> Bool {
        left.digest == right.digest && left.size == right.size && left.bytes == right.bytes
    }

    /// Takes in the digest of the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
