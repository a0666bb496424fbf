import SeededRandom
import Testing

@testable import MapTiles

@Suite("Vector tiles", .timeLimit(.minutes(10)))
struct VectorTileTests {
    private let tile = Archives.tile(layer: "water", squares: [(1, -5, "lake"), (2, 4000, "ocean")])

    @Test("lines of areas have their class, and may begin beyond the tile")
    func lines() throws {
        let layer = try #require(try VectorTile(tile).layer("water"))
        let lines = try layer.lines()
        #expect(layer.extent == 4096)
        #expect(lines.map(\.class) == ["lake", "ocean"])
        #expect(lines.map(\.isRing) == [true, true])
        #expect(lines.first?.points == [[-5, -5], [5, -5], [5, 5], [-5, 5]])
        #expect(try VectorTile([]).layers.isEmpty)
    }

    @Test("commands with more parameters than there are make a layer damaged")
    func commands() throws {
        for geometry in [[9], [18, 2, 2], [9, 2, 2, 26, 2], [11, 2, 2], [9 << 40, 2, 2]] as [[UInt64]] {
            var feature = ProtobufWriter()
            feature.put(3, .varint(2))
            feature.put(4, packed: geometry)
            var layer = ProtobufWriter()
            layer.put(1, .bytes([65]))
            layer.put(2, .bytes(feature.bytes[...]))
            var tile = ProtobufWriter()
            tile.put(3, .bytes(layer.bytes[...]))
            let decoded = try #require(try VectorTile(tile.bytes).layers.first)
            #expect(throws: VectorTile.Damaged.self) { try decoded.lines() }
        }
    }

    @Test("any bytes are decoded and put together, or refused")
    func anything() throws {
        var random = SeededGenerator(seed: 7)
        let plain = try Gzip.expand(tile, limit: 1 << 20)
        var decoded = 0
        for _ in 0..<20_000 {
            var bytes = plain
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = .random(in: 0...255, using: &random)
                case 1: bytes.insert(.random(in: 0...255, using: &random), at: index)
                default: bytes.remove(at: index)
                }
            }
            guard let tile = try? VectorTile(bytes) else { continue }
            decoded += 1
            for layer in tile.layers { _ = try? layer.lines() }
            _ = VectorTile.merging([tile, tile])
        }
        #expect(decoded > 100)
    }

    @Test("a few bytes that stand for too many are refused")
    func bomb() {
        let bomb = Gzip.compress([UInt8](repeating: 0, count: VectorTile.limit + 1))
        #expect(bomb.count < 200_000)
        #expect(throws: VectorTile.Damaged.self) { try VectorTile(bomb) }
        #expect(throws: Gzip.Failure.damaged) { try Gzip.expand(Gzip.compress([1, 2, 3]).dropLast(), limit: 10) }
    }
}
