import FoundationEssentials
import SeededRandom
import TestSupport
import Testing

@testable import MapData

@Suite("PMTiles")
struct PMTilesTests {
    /// Writes archives by the specification, small ones.
    struct Writer {
        typealias Entry = PMTilesDirectory.Entry

        var root: [Entry]
        var leaves: [[Entry]] = []
        var tiles: [UInt8]
        var version: UInt8 = 3
        var inside: UInt8 = 2
        var outside: UInt8 = 2
        var kind: UInt8 = 1
        var metadata = #"{"vector_layers":[{"id":"water"}],"attribution":"<b>Someone</b>"}"#

        static func varint(_ value: UInt64) -> [UInt8] {
            value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80] + varint(value >> 7)
        }

        static func directory(_ entries: [Entry]) -> [UInt8] {
            let steps = zip(entries, [0] + entries.map(\.number)).map { $0.number - $1 }
            return varint(UInt64(entries.count)) + steps.flatMap(varint) + entries.flatMap { varint($0.runLength) }
                + entries.flatMap { varint($0.length) } + entries.flatMap { varint($0.offset + 1) }
        }

        /// The offset of a leaf among the leaves, and its length.
        func leaf(_ index: Int) -> (offset: UInt64, length: UInt64) {
            let packed = leaves.map { Gzip.compress(Self.directory($0)) }
            return (UInt64(packed[..<index].map(\.count).reduce(0, +)), UInt64(packed[index].count))
        }

        func bytes() -> [UInt8] {
            func pack(_ bytes: [UInt8]) -> [UInt8] { inside == 2 ? Gzip.compress(bytes) : bytes }
            let parts = [
                pack(Self.directory(root)), pack(Array(metadata.utf8)), leaves.flatMap { pack(Self.directory($0)) },
                tiles,
            ]
            var header = Array("PMTiles".utf8) + [version]
            var offset = UInt64(127)
            for part in parts {
                for number in [offset, UInt64(part.count)] {
                    withUnsafeBytes(of: number.littleEndian) { header += $0 }
                }
                offset += UInt64(part.count)
            }
            header += Array(repeating: 0, count: 24) + [1, inside, outside, kind, 0, 12]
            for degrees in [-10.0, -20, 30, 40] {
                withUnsafeBytes(of: Int32(degrees * 1e7).littleEndian) { header += $0 }
            }
            header += Array(repeating: 0, count: 127 - header.count)
            return header + parts.flatMap(\.self)
        }

        func open(_ directory: TemporaryDirectory, cutTo size: Int? = nil) throws -> PMTiles {
            let path = directory.path + "/a.pmtiles"
            try Data(bytes().prefix(size ?? .max)).write(to: URL(filePath: path))
            return try PMTiles(path: path)
        }
    }

    @Test(
        "tiles are numbered along the Hilbert curve as the specification has it",
        arguments: [
            (0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (2, 0, 0, 5),
            (12, 3423, 1763, 19_078_479),
        ] as [(Int, Int, Int, UInt64)])
    func numbers(z: Int, x: Int, y: Int, number: UInt64) throws {
        let path = try #require(TilePath(z: z, x: x, y: y))
        #expect(path.hilbertNumber == number)
        #expect(TilePath(hilbertNumber: number) == path)
    }

    @Test("each tile has a number of its own, and back")
    func inverse() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let z = Int.random(in: 0...24, using: &random)
            let side = 0..<(1 << z)
            let path = try #require(
                TilePath(z: z, x: .random(in: side, using: &random), y: .random(in: side, using: &random)))
            #expect(TilePath(hilbertNumber: path.hilbertNumber) == path)
        }
        #expect(TilePath(hilbertNumber: .max) == nil)
    }

    @Test("tiles are found in the root, in leaves and in runs, and are handed on as they are")
    func finding() throws {
        let directory = try TemporaryDirectory()
        let packed = Gzip.compress([1, 2, 3])
        var writer = Writer(root: [], tiles: packed + [9])
        let far = try #require(TilePath(z: 12, x: 3423, y: 1763)).hilbertNumber
        writer.leaves = [[.init(number: far, runLength: 2, offset: 0, length: UInt64(packed.count))]]
        let leaf = writer.leaf(0)
        writer.root = [
            .init(number: 0, runLength: 1, offset: UInt64(packed.count), length: 1),
            .init(number: 1, runLength: 3, offset: 0, length: UInt64(packed.count)),
            .init(number: far, runLength: 0, offset: leaf.offset, length: leaf.length),
        ]
        let archive = try writer.open(directory)
        func tile(_ z: Int, _ x: Int, _ y: Int) throws -> [UInt8]? {
            try archive.tile(at: try #require(TilePath(z: z, x: x, y: y)))?.bytes
        }
        #expect(try tile(0, 0, 0) == [9])
        #expect(try tile(1, 0, 0) == packed && tile(1, 1, 1) == packed)
        #expect(try tile(1, 1, 0) == nil)
        #expect(try tile(12, 3423, 1763) == packed)
        #expect(try tile(13, 0, 0) == nil)
        #expect(archive.description.bounds == [-10, -20, 30, 40])
        #expect(archive.description.layers == ["water"] && archive.description.attribution == "Someone")
        try archive.checkWhole()
    }

    @Test("what cannot be read is refused with a reason")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let sound = Writer(root: [.init(number: 0, runLength: 1, offset: 0, length: 3)], tiles: [1, 2, 3])
        var version = sound
        version.version = 2
        var brotli = sound
        brotli.outside = 3
        var zstandard = sound
        zstandard.inside = 4
        for (writer, word) in [(version, "version 2"), (brotli, "Brotli"), (zstandard, "Zstandard")] {
            let error = #expect(throws: TileArchiveError.self) { try writer.open(directory) }
            #expect(error?.reason.contains(word) == true)
        }
        for size in [0, 5, 126, 127, 150, sound.bytes().count - 1] {
            #expect(throws: TileArchiveError.self) { try sound.open(directory, cutTo: size) }
        }
        var beyond = sound
        beyond.root = [.init(number: 0, runLength: 1, offset: 2, length: 3)]
        let archive = try beyond.open(directory)
        #expect(throws: TileArchiveError.self) { try archive.tile(at: try #require(TilePath(z: 0, x: 0, y: 0))) }
        #expect(throws: TileArchiveError.self) { try archive.checkWhole() }
    }

    @Test("a directory that leads to itself ends with an error")
    func circle() throws {
        let directory = try TemporaryDirectory()
        var writer = Writer(root: [], tiles: [])
        writer.inside = 1
        writer.leaves = [[.init(number: 0, runLength: 0, offset: 0, length: 5)]]
        writer.root = writer.leaves[0]
        let archive = try writer.open(directory)
        #expect(throws: TileArchiveError.self) { try archive.tile(at: try #require(TilePath(z: 3, x: 1, y: 1))) }
        #expect(throws: TileArchiveError.self) { try archive.checkWhole() }
    }

    @Test("whatever a byte of an archive is changed to, it is read or refused")
    func damaged() throws {
        var random = SeededGenerator(seed: 4)
        let directory = try TemporaryDirectory()
        let sound = Writer(
            root: [
                .init(number: 0, runLength: 4, offset: 0, length: 3),
                .init(number: 9, runLength: 0, offset: 0, length: 5),
            ],
            tiles: [1, 2, 3], inside: 1
        ).bytes()
        let path = directory.path + "/a.pmtiles"
        for _ in 0..<500 {
            var bytes = sound
            for _ in 0..<3 {
                bytes[.random(in: 7..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            try Data(bytes).write(to: URL(filePath: path))
            guard let archive = try? PMTiles(path: path) else { continue }
            for z in 0...2 { _ = try? archive.tile(at: try #require(TilePath(z: z, x: 0, y: 0))) }
            _ = try? archive.anyTile()
        }
    }
}
