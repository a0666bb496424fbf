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

    /// As many as cover a city at all zoom levels.
    private static let keptLeaves = 32
    /// The most entries in these together: 16 MB.
    private static let keptEntries = 1 << 19
    /// The longest directory, expanded. Those of a map of the whole world have some hundred kB.
    private static let directoryLimit = 2 << 20
    /// The longest metadata, expanded.
    private static let metadataLimit = 4 << 20
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
        let json = try Self.read(header.metadata, limit: Self.metadataLimit, header, file)
        let metadata = TileMetadata.TileJSON.read(json)
        let last = path.split(separator: "/").last.map(String.init) ?? path
        description = TileSourceDescription(
            name: name ?? (last.hasSuffix(".pmtiles") ? String(last.dropLast(8)) : last), format: header.format,
            zoomLevels: header.zoomLevels, bounds: header.bounds,
            attribution: TileMetadata.attribution(metadata.attribution), layers: metadata.layers)
    }

    /// The tile at `path`; `nil` where there is none. Blocks for one or two reads of a file.
    public func tile(at path: TilePath) throws(TileArchiveError) -> Tile? {
        let number = path.hilbertNumber
        var directory = root
        for _ in 0..<Self.depth {
            guard let entry = directory.entry(for: number) else { return nil }
            if entry.runLength > 0 {
                let place = try header.tiles.part(entry.offset, entry.length, of: file)
                return try StoredTile.checked(
                    try file.read(place, limit: StoredTile.limit), header.format, of: file.path)
            }
            directory = try leaf(entry)
        }
        throw file.error("its directories lie too deep in one another")
    }

    package func checkWhole() throws(TileArchiveError) {
        var search = TileSearch(file: file, header: header)
        _ = try search.firstTile(in: root, depth: Self.depth) { _ in false }
    }

    package func anyTile() throws(TileArchiveError) -> (path: TilePath, tile: Tile)? {
        let level = description.zoomLevels.upperBound
        var search = TileSearch(file: file, header: header)
        let number = try search.firstTile(in: root, depth: Self.depth) { TilePath(hilbertNumber: $0)?.z == level }
        guard let number, let path = TilePath(hilbertNumber: number) else { return nil }
        return try tile(at: path).map { (path, $0) }
    }

    /// Goes through all directories until a tile is wanted. Each entry has to lie in the file, after all before it, and each directory
    /// is read once.
    private struct TileSearch {
        let file: ArchiveFile
        let header: Header
        /// The least number that the next entry can have.
        private var least: UInt64 = 0
        private var known: Set<UInt64> = []
        /// The number of entries that may still come. A map of the whole world has some ten million.
        private var room = 1 << 28

        init(file: ArchiveFile, header: Header) {
            self.file = file
            self.header = header
        }

        mutating func firstTile(
            in directory: PMTilesDirectory, depth: Int, _ isWanted: (UInt64) -> Bool
        ) throws(TileArchiveError) -> UInt64? {
            guard depth > 0 else { throw file.error("its directories lie too deep in one another") }
            room -= directory.entries.count
            guard room >= 0 else { throw file.error("it has more directories than a map of the world") }
            for entry in directory.entries {
                guard entry.number >= least else { throw file.error("a directory in it is out of order") }
                if entry.runLength == 0 {
                    guard known.insert(entry.offset).inserted else {
                        throw file.error("a directory in it is used twice")
                    }
                    let place = try header.leaves.part(entry.offset, entry.length, of: file)
                    let leaf = try PMTiles.directory(in: file, at: place, header)
                    if let found = try firstTile(in: leaf, depth: depth - 1, isWanted) { return found }
                } else {
                    _ = try header.tiles.part(entry.offset, entry.length, of: file)
                    if isWanted(entry.number) { return entry.number }
                    let (next, overflows) = entry.number.addingReportingOverflow(entry.runLength)
                    guard !overflows else { throw file.error("a directory in it is damaged") }
                    least = next
                }
            }
            return nil
        }
    }

    private func leaf(_ entry: PMTilesDirectory.Entry) throws(TileArchiveError) -> PMTilesDirectory {
        let known = leaves.withLock { leaves in leaves.last { $0.offset == entry.offset }?.directory }
        if let known { return known }
        let place = try header.leaves.part(entry.offset, entry.length, of: file)
        let directory = try Self.directory(in: file, at: place, header)
        leaves.withLock { leaves in
            leaves.append((entry.offset, directory))
            var entries = leaves.reduce(0) { $0 + $1.directory.entries.count }
            while leaves.count > Self.keptLeaves || (entries > Self.keptEntries && leaves.count > 1) {
                entries -= leaves.removeFirst().directory.entries.count
            }
        }
        return directory
    }

    private static func directory(
        in file: ArchiveFile, at place: ArchiveFile.Place, _ header: Header
    ) throws(TileArchiveError) -> PMTilesDirectory {
        guard let directory = PMTilesDirectory(try read(place, limit: directoryLimit, header, file)) else {
            throw file.error("a directory in it is damaged")
        }
        return directory
    }

    private static func read(
        _ place: ArchiveFile.Place, limit: Int, _ header: Header, _ file: ArchiveFile
    ) throws(TileArchiveError) -> [UInt8] {
        let bytes = try file.read(place, limit: limit)
        guard header.isCompressedInside else { return bytes }
        do {
            return try Gzip.expand(bytes, limit: limit)
        } catch {
            throw file.error(
                error == .tooLong
                    ? "a part of it expands to more than \(limit >> 20) MB" : "what is compressed in it is damaged")
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
        // Opening a pipe would wait for its other end.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw TileArchiveError(path: path, reason: String(cString: strerror(errno))) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw TileArchiveError(path: path, reason: "it is not a file")
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
