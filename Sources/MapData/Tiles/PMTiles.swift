import FoundationEssentials
import Glibc
import Synchronization

/// An archive of tiles in one file with directories of its own (PMTiles version 3,
/// <https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md>). Tiles compressed with gzip are handed on as they are.
public final class PMTiles: TileSource, StoredTiles {
    /// The description in the archive's header and metadata.
    public let description: TileSourceDescription
    private let file: ArchiveFile
    private let header: Header
    private let root: PMTilesDirectory
    /// Further directories by their offset, the newest last.
    private let leaves = Mutex<[(offset: UInt64, directory: PMTilesDirectory)]>([])

    /// As many as cover a city at all zoom levels, at 0.5 MB each at most in what is usual.
    private static let keptLeaves = 32
    /// The longest of what is read at once. A directory has 16 kB by the specification, a tile some hundred.
    private static let limit = 32 << 20
    /// How deep directories may lie in one another, by the specification.
    private static let depth = 4

    /// Opens the archive at `path`, which is read only. This blocks.
    ///
    /// - Parameter name: The source's name; by default that of the file, without `.pmtiles`.
    /// - Throws: ``TileArchiveError``
    public init(path: String, name: String? = nil) throws(TileArchiveError) {
        let file = try ArchiveFile(path: path)
        let header = try Header(file)
        self.file = file
        self.header = header
        root = try Self.directory(in: file, at: header.root, header)
        let json = try Self.expand(file.read(header.metadata, limit: Self.limit), header, file)
        let metadata = TileMetadata.TileJSON.read(json)
        let last = path.split(separator: "/").last.map(String.init) ?? path
        description = TileSourceDescription(
            name: name ?? (last.hasSuffix(".pmtiles") ? String(last.dropLast(8)) : last), format: header.format,
            zoomLevels: header.zoomLevels, bounds: header.bounds,
            attribution: metadata.attribution.map(TileMetadata.plainText) ?? "", layers: metadata.layers)
    }

    /// The tile at `path`; `nil` where there is none. Blocks for one or two reads of a file.
    public func tile(at path: TilePath) throws(TileArchiveError) -> Tile? {
        let number = path.hilbertNumber
        var directory = root
        for _ in 0..<Self.depth {
            guard let entry = directory.entry(for: number) else { return nil }
            if entry.runLength > 0 {
                let place = try header.tiles.part(entry.offset, entry.length, of: file)
                return Tile(bytes: try file.read(place, limit: Self.limit), format: header.format)
            }
            directory = try leaf(entry)
        }
        throw file.error("its directories lie too deep in one another")
    }

    package func checkWhole() throws(TileArchiveError) {
        _ = try firstTile(in: root, from: 0, depth: Self.depth) { _ in false }
    }

    package func anyTile() throws(TileArchiveError) -> (path: TilePath, tile: Tile)? {
        guard
            let number = try firstTile(
                in: root, from: 0, depth: Self.depth,
                { TilePath(hilbertNumber: $0)?.z == description.zoomLevels.upperBound }),
            let path = TilePath(hilbertNumber: number)
        else { return nil }
        return try tile(at: path).map { (path, $0) }
    }

    /// Goes through all directories until a tile is wanted. Each entry has to lie in the file, after the one before.
    private func firstTile(
        in directory: PMTilesDirectory, from least: UInt64, depth: Int, _ isWanted: (UInt64) -> Bool
    ) throws(TileArchiveError) -> UInt64? {
        guard depth > 0 else { throw file.error("its directories lie too deep in one another") }
        for entry in directory.entries {
            guard entry.number >= least else { throw file.error("a directory in it is out of order") }
            if entry.runLength == 0 {
                let place = try header.leaves.part(entry.offset, entry.length, of: file)
                let leaf = try Self.directory(in: file, at: place, header)
                if let found = try firstTile(in: leaf, from: entry.number, depth: depth - 1, isWanted) { return found }
            } else {
                _ = try header.tiles.part(entry.offset, entry.length, of: file)
                if isWanted(entry.number) { return entry.number }
            }
        }
        return nil
    }

    private func leaf(_ entry: PMTilesDirectory.Entry) throws(TileArchiveError) -> PMTilesDirectory {
        let known = leaves.withLock { leaves in leaves.last { $0.offset == entry.offset }?.directory }
        if let known { return known }
        let place = try header.leaves.part(entry.offset, entry.length, of: file)
        let directory = try Self.directory(in: file, at: place, header)
        leaves.withLock { leaves in
            if leaves.count >= Self.keptLeaves { leaves.removeFirst() }
            leaves.append((entry.offset, directory))
        }
        return directory
    }

    private static func directory(
        in file: ArchiveFile, at place: ArchiveFile.Place, _ header: Header
    ) throws(TileArchiveError) -> PMTilesDirectory {
        guard let directory = PMTilesDirectory(try expand(file.read(place, limit: limit), header, file)) else {
            throw file.error("a directory in it is damaged")
        }
        return directory
    }

    private static func expand(
        _ bytes: [UInt8], _ header: Header, _ file: ArchiveFile
    ) throws(TileArchiveError) -> [UInt8] {
        guard header.isCompressedInside else { return bytes }
        do {
            return try Gzip.expand(bytes, limit: limit)
        } catch {
            throw file.error("what is compressed in it is damaged")
        }
    }
}

extension PMTiles {
    /// The first 127 bytes.
    fileprivate struct Header {
        let root: ArchiveFile.Place
        let metadata: ArchiveFile.Place
        let leaves: ArchiveFile.Place
        let tiles: ArchiveFile.Place
        let isCompressedInside: Bool
        let format: Tile.Format
        let zoomLevels: ClosedRange<Int>
        let bounds: [Double]?

        init(_ file: ArchiveFile) throws(TileArchiveError) {
            let bytes = file.size >= 127 ? try file.read(ArchiveFile.Place(offset: 0, length: 127), limit: 127) : []
            guard bytes.starts(with: Array("PMTiles".utf8)) else { throw file.error("it does not begin as PMTiles do") }
            guard bytes[7] == 3 else {
                throw file.error(
                    "it is PMTiles of version \(bytes[7]), and only version 3 is read: convert it with pmtiles")
            }
            func number<T: FixedWidthInteger>(_ offset: Int, as type: T.Type = T.self) -> T {
                T(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: T.self) })
            }
            func place(_ offset: Int) throws(TileArchiveError) -> ArchiveFile.Place {
                let place = ArchiveFile.Place(offset: number(offset), length: number(offset + 8))
                guard place.isInside(file.size) else { throw file.error("it is cut off") }
                return place
            }
            root = try place(8)
            metadata = try place(24)
            leaves = try place(40)
            tiles = try place(56)
            isCompressedInside = try Self.isGzip(bytes[97], "directories", file)
            format = try Self.format(bytes[99], file)
            // Pictures are compressed in themselves.
            if format == .pbf { _ = try Self.isGzip(bytes[98], "tiles", file) }
            let levels = (Int(bytes[100]), Int(bytes[101]))
            guard levels.0 <= levels.1, levels.1 <= 24 else { throw file.error("it has impossible zoom levels") }
            zoomLevels = levels.0...levels.1
            bounds = TileMetadata.bounds([102, 106, 110, 114].map { Double(number($0, as: Int32.self)) / 1e7 })
        }

        private static func isGzip(_ byte: UInt8, _ what: String, _ file: ArchiveFile) throws(TileArchiveError) -> Bool
        {
            switch byte {
            case 1: return false
            case 2: return true
            default:
                let name = [3: "Brotli", 4: "Zstandard"][byte] ?? "an unknown method"
                throw file.error(
                    "its \(what) are compressed with \(name), and only gzip is read: convert it with pmtiles")
            }
        }

        private static func format(_ byte: UInt8, _ file: ArchiveFile) throws(TileArchiveError) -> Tile.Format {
            switch byte {
            case 1: return .pbf
            case 2: return .png
            case 3: return .jpg
            case 4: return .webp
            default: throw file.error("its tiles are of an unknown kind")
            }
        }
    }
}

/// A file that parts are read of, from any thread.
private final class ArchiveFile: Sendable {
    /// A part of the file.
    struct Place: Hashable, Sendable {
        var offset: UInt64
        var length: UInt64

        func isInside(_ size: UInt64) -> Bool {
            let (end, overflows) = offset.addingReportingOverflow(length)
            return !overflows && end <= size
        }

        /// A part of this part.
        func part(_ offset: UInt64, _ length: UInt64, of file: ArchiveFile) throws(TileArchiveError) -> Place {
            guard Place(offset: offset, length: length).isInside(self.length) else {
                throw file.error("a directory in it leads beyond its end")
            }
            return Place(offset: self.offset + offset, length: length)
        }
    }

    let path: String
    let size: UInt64
    private let descriptor: Int32

    init(path: String) throws(TileArchiveError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TileArchiveError(path: path, reason: String(cString: strerror(errno))) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw TileArchiveError(path: path, reason: "it is no file")
        }
        self.path = path
        self.descriptor = descriptor
        size = UInt64(status.st_size)
    }

    deinit { close(descriptor) }

    func error(_ reason: String) -> TileArchiveError { TileArchiveError(path: path, reason: reason) }

    func read(_ place: Place, limit: Int) throws(TileArchiveError) -> [UInt8] {
        guard place.length <= UInt64(limit) else { throw error("a part of it is longer than \(limit >> 20) MB") }
        let wanted = Int(place.length)
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            while count < wanted {
                let read = pread(
                    descriptor, buffer.baseAddress.map { $0 + count }, wanted - count, off_t(place.offset) + count)
                if read < 0, errno == EINTR { continue }
                if read < 0 { code = errno }
                guard read > 0 else { break }
                count += read
            }
        }
        if code != 0 { throw error(String(cString: strerror(code))) }
        guard bytes.count == wanted else { throw error("it has been cut off") }
        return bytes
    }
}
