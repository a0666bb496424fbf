import MapTiles
import FoundationEssentials
import SQLite
import TestSupport
import Testing

@testable import LocationMap

@Suite("Tiles", .timeLimit(.minutes(10)))
@MainActor
struct TileTests {
    /// An archive with tiles at zoom 0 and 1, of which one is compressed.
    private func makeArchive(_ directory: TemporaryDirectory, format: String = "pbf") throws -> String {
        let path = directory.path + "/world.mbtiles"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let database = try SQLDatabase<TileArchiveError>(path: path)
        try database.run("CREATE TABLE metadata (name TEXT, value TEXT)")
        try database.run(
            "CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
        for (name, value) in [
            ("format", format), ("attribution", "<a href='x'>&copy; Someone &amp; others</a>"),
            ("bounds", "-10,-20, 30,40"),
            ("json", #"{"vector_layers":[{"id":"place"}]}"#),
        ] { try database.run("INSERT INTO metadata VALUES (?, ?)", [.text(name), .text(value)]) }
        let tiles: [(Int64, Int64, Int64, [UInt8])] = [
            (0, 0, 0, [0x1f, 0x8b, 8, 0]), (1, 0, 1, [65]), (1, 1, 0, [66]),
        ]
        for (z, x, row, bytes) in tiles {
            try database.run(
                "INSERT INTO tiles VALUES (?, ?, ?, ?)", [.integer(z), .integer(x), .integer(row), .blob(bytes)])
        }
        return path
    }

    @Test("an archive describes its content, with rows counted from the north")
    func archive() throws {
        let directory = try TemporaryDirectory()
        let archive = try MBTiles(path: try makeArchive(directory))
        #expect(archive.description.name == "world")
        #expect(archive.description.attribution == "© Someone & others")
        #expect(archive.description.bounds == [-10, -20, 30, 40])
        #expect(archive.description.layers == ["place"])
        #expect(archive.description.zoomLevels == 0...1)
        #expect(try archive.tile(at: TilePath(z: 1, x: 0, y: 0)!)?.bytes == [65])
        #expect(try archive.tile(at: TilePath(z: 1, x: 1, y: 1)!)?.bytes == [66])
        #expect(try archive.tile(at: TilePath(z: 1, x: 1, y: 0)!) == nil)
    }

    @Test("tiles are served compressed as they are stored, and missing ones are empty")
    func served() async throws {
        let directory = try TemporaryDirectory()
        let archive = try MBTiles(path: try makeArchive(directory))
        try await ServedMap.run(sources: [archive]) { map in
            let cookie = try await map.enter()
            let tile = try await map.request("GET", map.root + "tiles/world/0/0/0", cookie: cookie)
            #expect(tile.status == 200 && tile.headers["content-encoding"] == "gzip")
            #expect(tile.headers["content-type"] == "application/vnd.mapbox-vector-tile")
            #expect(try await map.request("GET", map.root + "tiles/world/1/0/1", cookie: cookie).status == 204)
            #expect(try await map.request("GET", map.root + "tiles/moon/0/0/0", cookie: cookie).status == 404)
        }
    }

    /// A source whose tiles cannot be read.
    private struct Broken: TileSource {
        struct Failure: Error {}
        let description = TileSourceDescription(name: "world", format: .pbf, zoomLevels: 0...2)
        func tile(at path: TilePath) throws -> Tile? { throw Failure() }
    }

    private final class LoadingDelegate: MapViewDelegate {
        var error: (any Error)?
        func mapViewDidFailLoadingMap(_ mapView: MapView, withError error: any Error) { self.error = error }
    }

    @Test("the delegate receives the error of a tile that its source cannot read")
    func broken() async throws {
        let delegate = LoadingDelegate()
        try await ServedMap.run(sources: [Broken()]) { map in
            map.map.delegate = delegate
            let cookie = try await map.enter()
            #expect(try await map.request("GET", map.root + "tiles/world/0/0/0", cookie: cookie).status == 204)
            #expect(delegate.error == nil, "the page still loads others")
            map.map.receive([.loading(.started), .loading(.finished)], from: "page")
        }
        #expect(delegate.error is Broken.Failure)
    }

    @Test("an installed region is offered to the next page that is opened, and its tiles are served")
    func regions() async throws {
        let directory = try TemporaryDirectory()
        let regions = MapRegions(userDirectory: directory.path, systemDirectory: "/nonexistent")
        try await ServedMap.run(regions: regions) { map in
            let cookie = try await map.enter()
            func sources() async throws -> [String] {
                let state = try await map.events(cookie: cookie).next("state")
                return (state["sources"]?.array ?? []).compactMap { $0["name"]?.string }
            }
            #expect(try await sources().isEmpty)
            let region = directory.path + "/here"
            try FileManager.default.createDirectory(atPath: region, withIntermediateDirectories: false)
            let place = try TemporaryDirectory()
            try FileManager.default.moveItem(atPath: try makeArchive(place), toPath: region + "/tiles.mbtiles")
            let information = RegionInformation(
                name: "here", bounds: [-10, -20, 30, 40], source: "here.osm.pbf", sourceSize: 1, dataDate: nil,
                added: "2026-11-22T00:00:00Z", tilesSize: 1, placesSize: nil, places: nil, attribution: "Someone")
            try JSONEncoder().encode(information).write(to: URL(filePath: region + "/region.json"))
            #expect(try await sources() == ["streets"])
            let tile = try await map.request("GET", map.root + "tiles/streets/0/0/0", cookie: cookie)
            #expect(tile.status == 200 && tile.headers["content-encoding"] == "gzip")
            #expect(try await map.request("GET", map.root + "tiles/streets/1/0/1", cookie: cookie).status == 204)
        }
    }

    @Test("a file that is not an archive is refused with its name and a reason")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/x.mbtiles"
        #expect(throws: TileArchiveError.self) { try MBTiles(path: path) }
        try "This is no database, but long enough to be looked at as one.".write(
            toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: TileArchiveError.self) { try MBTiles(path: path) }
        #expect(error?.description.hasPrefix("\(path) is no archive of tiles") == true)
        #expect(throws: TileArchiveError.self) { try MBTiles(path: try makeArchive(directory, format: "pdf")) }
    }

    @Test("without the page's files the error names the package to install and where it was searched")
    func missingData() {
        let error = #expect(throws: MapData.Missing.self) { try MapData(directory: "/nonexistent") }
        #expect(error?.description.contains("locationd-map") == true)
        #expect(error?.places == ["/nonexistent"])
    }
}
