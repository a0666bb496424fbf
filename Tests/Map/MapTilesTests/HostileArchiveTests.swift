import FoundationEssentials
import Glibc
import SQLite
import SeededRandom
import Synchronization
import TestSupport
import Testing

@testable import MapTiles

@Suite("Hostile archives and regions", .timeLimit(.minutes(10)))
struct HostileArchiveTests {
    private let tile = Archives.tile(layer: "water", squares: [(1, 5, "lake")])

    /// An MBTiles with the statements of `sql` after the table of its metadata.
    private func archive(
        in directory: TemporaryDirectory, _ sql: SQLText..., metadata: [String: String] = [:]
    ) throws -> String {
        let path = "\(directory.path)/\(UInt64.random(in: 0 ... .max)).mbtiles"
        try Archives.mbtiles(at: path, tiles: [(12, 5, 5, tile)], metadata: metadata)
        let database = try SQLDatabase<TileArchiveError>(path: path)
        for statement in sql { try database.run(statement) }
        return path
    }

    private func reason(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) -> String {
        let error = #expect(throws: TileArchiveError.self, sourceLocation: sourceLocation) { try MBTiles(path: path) }
        return error?.reason ?? ""
    }

    @Test("tiles that are a view, a virtual table or computed columns are refused before any of it is executed")
    func executed() throws {
        let directory = try TemporaryDirectory()
        let endless = try archive(
            in: directory, "DROP TABLE tiles",
            """
            CREATE VIEW tiles AS WITH RECURSIVE n(x) AS (VALUES(0) UNION ALL SELECT x + 1 FROM n)
                SELECT 12 zoom_level, x tile_column, 5 tile_row, zeroblob(1000000000) tile_data FROM n WHERE x < 0
            """)
        #expect(reason(endless).contains("no table tiles"))
        let computed = try archive(
            in: directory, "DROP TABLE tiles",
            """
            CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data AS (zeroblob(1000000000)))
            """, "INSERT INTO tiles VALUES (12, 5, 5)")
        #expect(reason(computed).contains("no table tiles"))
        let virtual = try archive(
            in: directory, "DROP TABLE tiles",
            "CREATE VIRTUAL TABLE tiles USING fts5 (zoom_level, tile_column, tile_row, tile_data)")
        #expect(reason(virtual).contains("no table tiles"))
        let metadata = try archive(
            in: directory, "ALTER TABLE metadata RENAME TO other", "CREATE VIEW metadata AS SELECT * FROM other")
        #expect(reason(metadata).contains("no table metadata"))
        // Even if a file passes for one with tables, views are off, and so is what they would allocate.
        let database = try SQLDatabase<TileArchiveError>(
            foreignFile: endless, limits: ForeignFileLimits(length: 1 << 20, queryTime: .seconds(60)))
        #expect(throws: TileArchiveError.self) { try database.run("SELECT * FROM tiles") }
        #expect(throws: TileArchiveError.self) { try database.run("SELECT zeroblob(2000000)") }
        #expect(throws: TileArchiveError.self) { try database.run("DELETE FROM metadata") }
    }

    @Test("a query that does not end is cancelled, and an archive that was too slow is not read again")
    func slow() throws {
        let directory = try TemporaryDirectory()
        let path = try archive(
            in: directory,
            """
            INSERT INTO tiles WITH RECURSIVE n(x) AS (VALUES(0) UNION ALL SELECT x + 1 FROM n WHERE x < 4000)
                SELECT 12, x, 0, x'00' FROM n
            """)
        let database = try SQLDatabase<TileArchiveError>(
            foreignFile: path, limits: ForeignFileLimits(length: 1 << 20, queryTime: .milliseconds(1)))
        let error = #expect(throws: TileArchiveError.self) {
            try database.run("WITH RECURSIVE n(x) AS (VALUES(0) UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n")
        }
        #expect(error?.isTooSlow == true)
        try database.run("SELECT count(*) FROM metadata")
        // Without an index the tile is in the first row, or after four thousand.
        let archive = try MBTiles(path: path, queryTime: .zero)
        let (first, last) = (try #require(TilePath(z: 12, x: 5, y: 5)), try #require(TilePath(z: 12, x: 4000, y: 4095)))
        #expect(try archive.tile(at: first)?.bytes == tile)
        #expect(throws: TileArchiveError.self) { try archive.tile(at: last) }
        #expect(throws: TileArchiveError.self, "it would be there") { try archive.tile(at: first) }
    }

    @Test(
        "tiles in impossible rows and columns are an error",
        arguments: [Int64.min, .min + 1, -1, 4096, .max])
    func impossiblePlaces(number: Int64) throws {
        let directory = try TemporaryDirectory()
        for column in ["tile_row", "tile_column"] {
            let path = try archive(in: directory)
            let database = try SQLDatabase<TileArchiveError>(path: path)
            if column == "tile_row" {
                try database.run("UPDATE tiles SET tile_row = ?", [.integer(number)])
            } else {
                try database.run("UPDATE tiles SET tile_column = ?", [.integer(number)])
            }
            let archive = try MBTiles(path: path)
            #expect(throws: TileArchiveError.self) { try archive.anyTile() }
            #expect(throws: TileArchiveError.self) { try ArchiveCheck(path: path) }
            #expect(try archive.tile(at: try #require(TilePath(z: 12, x: 0, y: 0))) == nil)
        }
        let level = try archive(in: directory)
        try SQLDatabase<TileArchiveError>(path: level).run("UPDATE tiles SET zoom_level = ?", [.integer(number)])
        #expect(reason(level).contains("zoom levels"))
    }

    @Test("tiles that are too long, or expand beyond a page's limit, are errors")
    func longTiles() throws {
        let directory = try TemporaryDirectory()
        let long = try archive(in: directory, "UPDATE tiles SET tile_data = zeroblob(9000000)")
        let place = try #require(TilePath(z: 12, x: 5, y: 5))
        let error = #expect(throws: TileArchiveError.self) { try MBTiles(path: long).tile(at: place) }
        #expect(error?.reason.contains("too long") == true)
        let bomb = try archive(in: directory)
        let bytes = Gzip.compress([UInt8](repeating: 0, count: VectorTile.limit + 1))
        try SQLDatabase<TileArchiveError>(path: bomb).run("UPDATE tiles SET tile_data = ?", [.blob(bytes)])
        let expanded = #expect(throws: TileArchiveError.self) { try MBTiles(path: bomb).tile(at: place) }
        #expect(expanded?.reason.contains("expands") == true)
        #expect(Gzip.isShort(Gzip.compress([1, 2, 3]), limit: 3) && !Gzip.isShort(Gzip.compress([1, 2, 3]), limit: 2))
    }

    @Test("metadata are cut to the length that people and pages need")
    func longMetadata() throws {
        let directory = try TemporaryDirectory()
        let layers = (0..<1000).map { #"{"id":"\#($0)\#(String(repeating: "x", count: 200))"}"# }
        let path = try archive(
            in: directory,
            metadata: [
                "attribution": String(repeating: "<b>", count: 5000) + String(repeating: "a", count: 5000),
                "json": "{\"vector_layers\":[\(layers.joined(separator: ","))]}",
                "bounds": String(repeating: "1,", count: 4000),
            ])
        let description = try MBTiles(path: path).description
        #expect(description.attribution.count <= 1000 && description.bounds == nil)
        #expect(description.layers.count == 256 && description.layers.allSatisfy { $0.count <= 100 })
        let endless = try archive(in: directory, metadata: ["json": String(repeating: "[", count: 5_000_000)])
        #expect(try MBTiles(path: endless).description.layers.isEmpty)
        let huge = try archive(in: directory, "UPDATE metadata SET value = zeroblob(9000000)")
        #expect(!reason(huge).isEmpty)
    }

    @Test("archives whose tiles are a view are read by the tables of the usual tools: tippecanoe and planetiler")
    func layouts() throws {
        let directory = try TemporaryDirectory()
        let tippecanoe = try archive(
            in: directory,
            "CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id TEXT)",
            "CREATE TABLE images (tile_data BLOB, tile_id TEXT)",
            "INSERT INTO map SELECT zoom_level, tile_column, tile_row, 'a' FROM tiles",
            "INSERT INTO map VALUES (3, 1, 1, 'a')",
            "INSERT INTO images SELECT tile_data, 'a' FROM tiles", "DROP TABLE tiles",
            "CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data FROM map JOIN images USING (tile_id)"
        )
        let planetiler = try archive(
            in: directory,
            "CREATE TABLE tiles_shallow (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data_id INTEGER)",
            "CREATE TABLE tiles_data (tile_data_id INTEGER PRIMARY KEY, tile_data BLOB)",
            "INSERT INTO tiles_shallow SELECT zoom_level, tile_column, tile_row, 7 FROM tiles",
            "INSERT INTO tiles_shallow VALUES (3, 1, 1, 7)",
            "INSERT INTO tiles_data SELECT 7, tile_data FROM tiles", "DROP TABLE tiles",
            "CREATE VIEW tiles AS SELECT * FROM tiles_shallow JOIN tiles_data USING (tile_data_id)")
        for path in [tippecanoe, planetiler] {
            let archive = try MBTiles(path: path)
            #expect(archive.description.zoomLevels == 3...12)
            #expect(try archive.anyTile()?.tile.bytes == tile)
            #expect(try archive.tile(at: try #require(TilePath(z: 12, x: 5, y: 6))) == nil)
            try archive.checkWhole()
        }
    }

    @Test("an archive that another program is writing is refused, and one that it has finished is not")
    func unfinished() throws {
        let directory = try TemporaryDirectory()
        let path = try archive(in: directory)
        let writer = try SQLDatabase<TileArchiveError>(path: path)
        try writer.run("PRAGMA journal_mode = WAL")
        #expect(try MBTiles(path: path).anyTile() != nil)
        try writer.run("INSERT INTO metadata VALUES ('a', 'b')")
        #expect(reason(path).contains("writing"))
    }

    @Test("a file that is not regular is refused without waiting: pipes, devices, directories")
    func noFiles() throws {
        let directory = try TemporaryDirectory()
        let pipe = "\(directory.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, "/dev/zero", directory.path] {
            #expect(throws: TileArchiveError.self) { try MBTiles(path: path) }
        }
        let region = "\(directory.path)/here"
        try Archives.region("here", in: directory.path, bounds: [1, 2, 3, 4], tiles: [(12, 5, 5, tile)])
        #expect(try MapRegion(directory: region).name == "here")
        try FileManager.default.removeItem(atPath: "\(region)/region.json")
        #expect(mkfifo("\(region)/region.json", 0o600) == 0)
        #expect(throws: MapRegion.Damaged.self) { try MapRegion(directory: region) }
    }

    @Test("a region's description is short, and its sizes are those of files")
    func facts() throws {
        let directory = try TemporaryDirectory()
        try Archives.region("here", in: directory.path, bounds: [1, 2, 3, 4], tiles: [(12, 5, 5, tile)])
        let path = "\(directory.path)/here/region.json"
        let sound = try String(contentsOfFile: path, encoding: .utf8)
        for (old, new) in [
            ("\"tilesSize\":1", "\"tilesSize\":9223372036854775807"), ("\"tilesSize\":1", "\"tilesSize\":-1"),
            ("\"sourceSize\":1", "\"sourceSize\":1e300"), ("{", "{" + String(repeating: " ", count: 70_000)),
        ] {
            let text = sound.replacing(old, with: new)
            #expect(text != sound)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(throws: MapRegion.Damaged.self, "\(new.prefix(40))") {
                try MapRegion(directory: "\(directory.path)/here")
            }
        }
    }

    @Test("a region with a hostile archive is reported once, and the others have their tiles meanwhile")
    func hostileRegion() throws {
        let directory = try TemporaryDirectory()
        for name in ["good", "long", "view"] {
            try Archives.region(name, in: directory.path, bounds: [-170, 0, 170, 80], tiles: [(1, 1, 0, tile)])
        }
        let view = try SQLDatabase<TileArchiveError>(path: "\(directory.path)/view/tiles.mbtiles")
        try view.run("ALTER TABLE tiles RENAME TO other")
        try view.run("CREATE VIEW tiles AS SELECT * FROM other")
        try SQLDatabase<TileArchiveError>(path: "\(directory.path)/long/tiles.mbtiles")
            .run("UPDATE tiles SET tile_data = zeroblob(9000000)")
        let reports = Mutex<[String]>([])
        let tiles = RegionTiles(MapRegions(userDirectory: directory.path, systemDirectory: "/nonexistent")) { report in
            reports.withLock { $0.append(report) }
        }
        for _ in 0..<3 { #expect(try tiles.tile(at: try #require(TilePath(z: 1, x: 1, y: 0)))?.bytes == tile) }
        let said = reports.withLock { $0 }
        #expect(said.count == 2)
        #expect(
            said.contains { $0.contains("view/tiles.mbtiles") } && said.contains { $0.contains("long/tiles.mbtiles") })
    }

    @Test("an archive with any changed bytes is read or refused")
    func changedBytes() throws {
        var random = SeededGenerator(seed: 18)
        let directory = try TemporaryDirectory()
        let sound = [UInt8](try Data(contentsOf: URL(filePath: try archive(in: directory))))
        let path = "\(directory.path)/changed.mbtiles"
        for _ in 0..<300 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[.random(in: 16..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            try Data(bytes).write(to: URL(filePath: path))
            guard let archive = try? MBTiles(path: path) else { continue }
            _ = try? archive.anyTile()
            _ = try? archive.checkWhole()
        }
    }

    @Test("a tile of endless layers or features is damaged")
    func crowdedTile() throws {
        func tile(layers: Int, features: Int) -> [UInt8] {
            var writer = ProtobufWriter()
            for _ in 0..<layers {
                var layer = ProtobufWriter()
                for _ in 0..<features { layer.put(2, .bytes([])) }
                writer.put(3, .bytes(layer.bytes[...]))
            }
            return writer.bytes
        }
        #expect(try VectorTile(tile(layers: 256, features: 10)).layers.count == 256)
        #expect(throws: VectorTile.Damaged.self) { try VectorTile(tile(layers: 257, features: 0)) }
        #expect(throws: VectorTile.Damaged.self) { try VectorTile(tile(layers: 2, features: 300_000)) }
    }
}
