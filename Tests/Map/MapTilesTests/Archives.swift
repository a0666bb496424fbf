import FoundationEssentials
import SQLite
import Testing

@testable import MapTiles

/// Makes archives of tiles for tests.
enum Archives {
    /// An MBTiles with these tiles, of which rows are counted from the north, and these metadata besides what it needs.
    static func mbtiles(
        at path: String, tiles: [(z: Int, x: Int, y: Int, bytes: [UInt8])], metadata: [String: String] = [:]
    ) throws {
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let database = try SQLDatabase<TileArchiveError>(path: path)
        try database.run("CREATE TABLE metadata (name TEXT, value TEXT)")
        try database.run(
            "CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
        for (name, value) in ["format": "pbf"].merging(metadata, uniquingKeysWith: { $1 }) {
            try database.run("INSERT INTO metadata VALUES (?, ?)", [.text(name), .text(value)])
        }
        for (z, x, y, bytes) in tiles {
            try database.run(
                "INSERT INTO tiles VALUES (?, ?, ?, ?)",
                [SQLValue(z), SQLValue(x), SQLValue((1 << z) - 1 - y), .blob(bytes)])
        }
    }

    /// A region in `directory` with these tiles.
    static func region(
        _ name: String, in directory: String, bounds: [Double], attribution: String = "© OpenStreetMap contributors",
        tiles: [(z: Int, x: Int, y: Int, bytes: [UInt8])]
    ) throws {
        let place = "\(directory)/\(name)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try mbtiles(
            at: "\(place)/tiles.mbtiles", tiles: tiles,
            metadata: ["attribution": attribution, "json": #"{"vector_layers":[{"id":"water"}]}"#])
        let information = RegionInformation(
            name: name, bounds: bounds, source: "\(name).osm.pbf", sourceSize: 1, dataDate: nil,
            added: "2026-11-22T00:00:00Z", tilesSize: 1, placesSize: nil, places: nil, attribution: attribution)
        try JSONEncoder().encode(information).write(to: URL(filePath: "\(place)/region.json"))
    }

    /// A vector tile with one layer of areas, each a square that begins at a corner, with an id and a class.
    static func tile(layer: String, squares: [(id: UInt64, corner: Int32, class: String)]) -> [UInt8] {
        func zigzag(_ value: Int32) -> UInt64 { UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)) }
        var writer = ProtobufWriter()
        writer.put(15, .varint(2))
        writer.put(1, .bytes(Array(layer.utf8)[...]))
        for (index, square) in squares.enumerated() {
            var feature = ProtobufWriter()
            feature.put(1, .varint(square.id))
            feature.put(2, packed: [0, UInt64(index)])
            feature.put(3, .varint(3))
            let corner = zigzag(square.corner)
            feature.put(
                4, packed: [9, corner, corner, 26, zigzag(10), 0, 0, zigzag(10), zigzag(-10), 0, 15])
            writer.put(2, .bytes(feature.bytes[...]))
        }
        writer.put(3, .bytes(Array("class".utf8)[...]))
        for square in squares {
            var value = ProtobufWriter()
            value.put(1, .bytes(Array(square.class.utf8)[...]))
            writer.put(4, .bytes(value.bytes[...]))
        }
        writer.put(5, .varint(4096))
        var tile = ProtobufWriter()
        tile.put(3, .bytes(writer.bytes[...]))
        return Gzip.compress(tile.bytes)
    }
}
