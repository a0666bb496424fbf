import MapTiles
import FoundationEssentials
public import MapModel

/// An image for views and overlays: an SVG document or a PNG file, with its size on the screen.
///
/// The page shows it as a picture only: scripts and references to other files in an SVG document have no effect.
public struct MapImage: Hashable, Sendable {
    /// The size on the screen, in CSS pixels.
    public let size: ViewSize
    let bytes: [UInt8]
    let format: Tile.Format
    /// A hash of the bytes, computed once because images are large and often compared.
    private let digest: Int

    /// Creates an image from an SVG document, shown at `size`.
    public init(svg: String, size: ViewSize) { self.init(Array(svg.utf8), .svg, size) }

    /// Creates an image from a drawing.
    public init(_ drawing: Drawing) {
        self.init(svg: drawing.svg(), size: ViewSize(width: drawing.width, height: drawing.height))
    }

    /// Creates an image from the bytes of a PNG file, or returns `nil` if they are not one.
    ///
    /// - Parameters:
    ///   - png: The bytes.
    ///   - size: The size on the screen; `nil`, the default, for one CSS pixel to each pixel.
    public init?(png: [UInt8], size: ViewSize? = nil) {
        // The signature, then the chunk IHDR with width and height (W3C PNG, 5.2 and 11.2.1).
        guard png.count >= 24, png.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else { return nil }
        func number(at offset: Int) -> Double { Double(png[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }) }
        self.init(png, .png, size ?? ViewSize(width: number(at: 16), height: number(at: 20)))
    }

    /// Creates an image from the PNG file at `path`, or returns `nil` if it cannot be read or is not PNG. Blocks while
    /// it reads.
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

    /// True if both have the same bytes and size.
    public static func == (left: MapImage, right: MapImage) -> Bool {
        left.digest == right.digest && left.size == right.size && left.bytes == right.bytes
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
