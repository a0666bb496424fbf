import FoundationEssentials
import LocationModel
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import MapTiles

@Suite("Regions", .timeLimit(.minutes(10)))
struct RegionTests {
    private let path = TilePath(z: 1, x: 1, y: 0)!

    @Test("regions of the user and the machine are found by name, and other directories are not")
    func installed() throws {
        let (user, machine) = (try TemporaryDirectory(), try TemporaryDirectory())
        let tile = Archives.tile(layer: "water", squares: [(1, 5, "lake")])
        try Archives.region("berlin", in: user.path, bounds: [1, 2, 3, 4], tiles: [(1, 1, 0, tile)])
        try Archives.region("berlin", in: machine.path, bounds: [5, 6, 7, 8], tiles: [(1, 1, 0, tile)])
        try Archives.region("alps", in: machine.path, bounds: [5, 6, 7, 8], tiles: [(1, 1, 0, tile)])
        try Archives.region(".half.partial", in: user.path, bounds: [1, 2, 3, 4], tiles: [(1, 1, 0, tile)])
        try Archives.region("broken", in: user.path, bounds: [3, 2, 1, 4], tiles: [(1, 1, 0, tile)])
        let (regions, problems) = MapRegions(userDirectory: user.path, systemDirectory: machine.path).installed()
        #expect(regions.map(\.name) == ["berlin", "alps"])
        #expect(regions.map(\.isSystem) == [false, true])
        #expect(regions.first?.information.bounds == [1, 2, 3, 4])
        #expect(problems.map(\.directory) == ["\(user.path)/broken"])
        let none = MapRegions(userDirectory: "/nonexistent", systemDirectory: "/nonexistent").installed()
        #expect(none.regions.isEmpty && none.problems.isEmpty)
    }

    @Test("for one position only the indexes of the regions around it are opened, and the world's")
    func around() throws {
        let (user, data) = (try TemporaryDirectory(), try TemporaryDirectory())
        let tile = Archives.tile(layer: "water", squares: [(1, 5, "lake")])
        for (name, bounds) in [
            ("berlin", [13.0, 52, 14, 53]), ("alps", [5.0, 45, 15, 48]), ("vaduz", [9.0, 47, 10, 48]),
        ] {
            try Archives.region(name, in: user.path, bounds: bounds, tiles: [(1, 1, 0, tile)])
            try "".write(toFile: "\(user.path)/\(name)/places.sqlite", atomically: true, encoding: .utf8)
        }
        let regions = MapRegions(userDirectory: user.path, systemDirectory: "/nonexistent")
        func names(_ position: Coordinate?) throws -> [String] {
            try InstalledPlaces(regions: regions, around: position, data: data.path).paths
                .map { String($0.dropFirst(user.path.count + 1).prefix { $0 != "/" }) }
        }
        #expect(try names(Coordinate(latitude: 47.14, longitude: 9.52)) == ["alps", "vaduz"])
        #expect(try names(Coordinate(latitude: 52.5, longitude: 13.4)) == ["berlin"])
        #expect(try names(nil) == ["alps", "berlin", "vaduz"])
        #expect(throws: InstalledPlaces.Missing.self) { try names(Coordinate(latitude: 0, longitude: 0)) }
        try "".write(toFile: "\(data.path)/world.places", atomically: true, encoding: .utf8)
        let sea = Coordinate(latitude: 0, longitude: 0)
        #expect(
            try InstalledPlaces(regions: regions, around: sea, data: data.path).paths == ["\(data.path)/world.places"])
    }

    @Test(
        "names are those of directories that cannot lead elsewhere",
        arguments: [
            ("berlin", true), ("a.b-c_1", true), ("", false), ("..", false), (".x", false), ("-x", false),
            ("a/b", false),
            ("a b", false), ("ä", false), (String(repeating: "a", count: 65), false),
        ])
    func names(name: String, isName: Bool) { #expect(MapRegion.isName(name) == isName) }

    @Test("a tile that two regions have shows both, and their common features once")
    func merging() throws {
        let directory = try TemporaryDirectory()
        let one = Archives.tile(layer: "building", squares: [(1, 5, "house"), (2, 50, "barn")])
        let other = Archives.tile(layer: "building", squares: [(2, 50, "barn"), (3, 90, "church")])
        try Archives.region("one", in: directory.path, bounds: [10, 10, 20, 20], tiles: [(1, 1, 0, one)])
        try Archives.region(
            "other", in: directory.path, bounds: [15, 10, 40, 20], attribution: "Others", tiles: [(1, 1, 0, other)])
        let tiles = RegionTiles(MapRegions(userDirectory: directory.path, systemDirectory: "/nonexistent"))
        let merged = try #require(try tiles.tile(at: path))
        #expect(merged.isCompressed)
        let layer = try #require(try VectorTile(merged.bytes).layer("building"))
        let lines = try layer.lines()
        #expect(lines.map(\.class) == ["house", "barn", "church"])
        #expect(lines.map { $0.points[0] } == [[5, 5], [50, 50], [90, 90]])
        #expect(tiles.description.bounds == [10, 10, 40, 20])
        #expect(tiles.description.attribution == "© OpenStreetMap contributors, Others")
        // The second time it comes out of what is kept.
        #expect(try tiles.tile(at: path) == merged)
    }

    @Test("a tile that one region has is served as it is, and without any region there is none")
    func single() throws {
        let directory = try TemporaryDirectory()
        let tile = Archives.tile(layer: "water", squares: [(1, 5, "lake")])
        try Archives.region("one", in: directory.path, bounds: [10, 10, 20, 20], tiles: [(1, 1, 0, tile)])
        try Archives.region("far", in: directory.path, bounds: [-20, -20, -10, -10], tiles: [(1, 1, 0, [1])])
        let tiles = RegionTiles(MapRegions(userDirectory: directory.path, systemDirectory: "/nonexistent"))
        #expect(try tiles.tile(at: path)?.bytes == tile)
        #expect(try tiles.tile(at: try #require(TilePath(z: 1, x: 0, y: 0))) == nil)
    }

    @Test("regions that are added and removed are noticed when a page lists them")
    func changes() throws {
        let directory = try TemporaryDirectory()
        let tiles = RegionTiles(MapRegions(userDirectory: directory.path, systemDirectory: "/nonexistent"))
        tiles.refresh()
        #expect(tiles.description.isEmpty)
        #expect(try tiles.tile(at: path) == nil)
        let tile = Archives.tile(layer: "water", squares: [(1, 5, "lake")])
        try Archives.region("one", in: directory.path, bounds: [10, 10, 20, 20], tiles: [(1, 1, 0, tile)])
        #expect(tiles.description.isEmpty, "not before somebody looks")
        tiles.refresh()
        #expect(!tiles.description.isEmpty && tiles.description.name == "streets")
        #expect(try tiles.tile(at: path)?.bytes == tile)
        try FileManager.default.removeItem(atPath: "\(directory.path)/one")
        tiles.refresh()
        #expect(tiles.description.isEmpty)
        #expect(try tiles.tile(at: path) == nil)
    }

    @Test("a region with damaged tiles is reported, and the others continue to work")
    func damaged() throws {
        let directory = try TemporaryDirectory()
        let tile = Archives.tile(layer: "water", squares: [(1, 5, "lake")])
        try Archives.region("one", in: directory.path, bounds: [10, 10, 20, 20], tiles: [(1, 1, 0, tile)])
        try Archives.region("two", in: directory.path, bounds: [10, 10, 20, 20], tiles: [(1, 1, 0, tile)])
        try "no archive".write(toFile: "\(directory.path)/two/tiles.mbtiles", atomically: true, encoding: .utf8)
        let reports = Mutex<[String]>([])
        let tiles = RegionTiles(MapRegions(userDirectory: directory.path, systemDirectory: "/nonexistent")) { report in
            reports.withLock { $0.append(report) }
        }
        tiles.refresh()
        #expect(!tiles.description.isEmpty)
        #expect(try tiles.tile(at: path)?.bytes == tile)
        #expect(reports.withLock { $0.count } == 1)
        #expect(reports.withLock { $0.first?.contains("two/tiles.mbtiles") } == true)
    }

    @Test("foreign archives are accepted only if streets can be drawn from them")
    func checks() throws {
        let directory = try TemporaryDirectory()
        let tile = Archives.tile(layer: "water", squares: [(1, 5, "lake")])
        let layers = #"{"vector_layers":[{"id":"water"}]}"#
        let sound = ["json": layers, "bounds": "1,2,3,4", "attribution": "Someone"]
        func check(
            _ metadata: [String: String], z: Int = 12, tile: [UInt8] = tile
        ) throws -> ArchiveCheck {
            let path = "\(directory.path)/\(UInt64.random(in: 0 ... .max)).mbtiles"
            try Archives.mbtiles(at: path, tiles: [(z, 5, 5, tile)], metadata: metadata)
            return try ArchiveCheck(path: path)
        }
        #expect(try check(sound).bounds == [1, 2, 3, 4])
        let wrong: [([String: String], Int, [UInt8], String)] = [
            (["format": "png"], 12, tile, "pictures"), ([:], 9, tile, "zoom level 9"),
            (["scheme": "xyz"], 12, tile, "order"), ([:], 12, [1, 2, 3], "no vector tile"),
            (["json": #"{"vector_layers":[{"id":"parcels"}]}"#], 12, tile, "parcels"),
            (["bounds": "nan,2,3,4"], 12, tile, "bounds"), (["bounds": "5,2,3,4"], 12, tile, "bounds"),
        ]
        for (metadata, z, tile, word) in wrong {
            let error = #expect(throws: TileArchiveError.self) {
                try check(sound.merging(metadata) { $1 }, z: z, tile: tile)
            }
            #expect(error?.reason.contains(word) == true, "\(error?.reason ?? "")")
        }
    }

    @Test("a damaged archive is refused as a region, even if the damage is in none of the tiles that are examined")
    func damagedArchive() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/tiles.mbtiles"
        let tile = Archives.tile(layer: "water", squares: [(1, 5, "lake")])
        // The second tile continues on pages of its own.
        try Archives.mbtiles(
            at: path, tiles: [(12, 5, 5, tile), (12, 9, 9, [UInt8](repeating: 0xAB, count: 20_000))],
            metadata: [
                "json": #"{"vector_layers":[{"id":"water"}]}"#, "bounds": "1,2,3,4", "minzoom": "12", "maxzoom": "12",
            ])
        try SQLDatabase<TileArchiveError>(path: path).run(
            "CREATE UNIQUE INDEX place ON tiles (zoom_level, tile_column, tile_row)")
        #expect(try ArchiveCheck(path: path).bounds == [1, 2, 3, 4])
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let page = try #require(
            stride(from: 0, to: bytes.count, by: 4096).first { bytes[($0 + 4)..<($0 + 4096)].allSatisfy { $0 == 0xAB } }
        )
        // The number of the next page.
        bytes.replaceSubrange(page..<(page + 4), with: [0, 0, 0, 0])
        try Data(bytes).write(to: URL(filePath: path))
        #expect(try MBTiles(path: path).anyTile() != nil, "read as far as a page needs it")
        let error = #expect(throws: TileArchiveError.self) { try ArchiveCheck(path: path) }
        #expect(error?.reason.contains("damaged") == true, "\(error?.reason ?? "")")
    }
}
