import FoundationEssentials
import Glibc
import MapTiles
import SQLite
import TestSupport
import Testing

/// `locationctl map` as people run it, with regions in a directory of their own.
@Suite("Commands for regions", .timeLimit(.minutes(10)))
struct RegionCommandTests {
    /// A user's directory of regions, and the program.
    private struct Home {
        let directory: TemporaryDirectory
        var path: String { directory.path }
        var regions: String { "\(path)/locationd/maps" }

        init() throws { directory = try TemporaryDirectory() }

        func environment(_ more: [String: String]) -> [String: String] {
            ["XDG_DATA_HOME": path, "LOCATIOND_MAP_DATA": "\(path)/none"].merging(more) { $1 }
        }

        func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                [Products.locationctlMap] + arguments, environment: self.environment(environment))
        }

        /// Everything in the directory of regions, what is hidden too.
        var entries: [String] { (try? FileManager.default.contentsOfDirectory(atPath: regions).sorted()) ?? [] }

        /// An archive of one tile, after `statements`.
        func archive(
            _ name: String, attribution: String = "Someone", _ statements: SQLText...
        ) throws -> String {
            let file = "\(path)/\(name)"
            try? FileManager.default.removeItem(atPath: file)
            #expect(FileManager.default.createFile(atPath: file, contents: nil))
            let database = try SQLDatabase<TileArchiveError>(path: file)
            try database.run("CREATE TABLE metadata (name TEXT, value TEXT)")
            try database.run("CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data)")
            for (key, value) in [("format", "pbf"), ("bounds", "9,47,10,48"), ("attribution", attribution)] {
                try database.run("INSERT INTO metadata VALUES (?, ?)", [.text(key), .text(value)])
            }
            // A vector tile with an empty layer: version 2, name, extent 4096.
            let layer: [UInt8] = [0x78, 2, 0x0a, 5] + Array("water".utf8) + [0x28, 0x80, 0x20]
            try database.run(
                "INSERT INTO tiles VALUES (12, 5, 5, ?)", [.blob([0x1a, UInt8(layer.count)] + layer)])
            for statement in statements { try database.run(statement) }
            return file
        }
    }

    @Test("a region is added, listed, described and removed")
    func wholeLife() async throws {
        let home = try Home()
        let none = try await home.run("list")
        #expect(none.code == 0 && none.output.contains("locationctl map add FILE.osm.pbf"))
        let added = try await home.run("add", try home.archive("alps-latest.mbtiles"))
        #expect(added.code == 0 && added.output.hasPrefix("Added alps: "), "\(added)")
        #expect(home.entries == ["alps"])
        let listed = try await home.run("list")
        #expect(listed.code == 0 && listed.output.contains("REGION") && listed.output.contains("alps"))
        let described = try await home.run("info", "alps")
        #expect(described.code == 0)
        for words in ["alps, for you", "alps-latest.mbtiles", "47.0 to 48.0 degrees north", "Someone", home.regions] {
            #expect(described.output.contains(words), "\(words)")
        }
        let json = try await home.run("info", "alps", "--format", "json")
        #expect(json.output.contains(#""name":"alps""#) && json.output.split(separator: "\n").count == 1)
        let removed = try await home.run("remove", "alps")
        #expect(removed.code == 0 && removed.output == "Removed alps.\n")
        #expect(home.entries.isEmpty)
    }

    @Test(
        "a mistake in the arguments ends with 64 and the usage",
        arguments: [
            ["add"], ["add", "--name", "a/b", "x.mbtiles"], ["add", "--name", "..", "x.mbtiles"],
            ["add", "--bogus", "x"],
            ["info"], ["info", "a", "b"], ["remove"], ["list", "x"], ["list", "--format", "xml"],
            ["show", "--port", "65536"], ["show", "--port", "-1"], ["show", "--record", "walk.txt"],
            ["show", "--mode", "sideways"],
        ])
    func mistakes(arguments: [String]) async throws {
        let home = try Home()
        let result = try await ChildProcess.run(
            [Products.locationctlMap] + arguments, environment: home.environment([:]))
        #expect(result.code == 64 && result.errors.contains("Usage:"), "\(result)")
        #expect(result.output.isEmpty && home.entries.isEmpty)
    }

    @Test("an unknown region ends with 1 and the names of the installed ones; nothing is removed")
    func unknown() async throws {
        let home = try Home()
        _ = try await home.run("add", try home.archive("alps.mbtiles"))
        for arguments in [["info", "berlin"], ["remove", "berlin"], ["remove", "alps", "berlin"]] {
            let result = try await ChildProcess.run(
                [Products.locationctlMap] + arguments, environment: home.environment([:]))
            #expect(result.code == 1 && result.errors.contains("There are: alps."), "\(result)")
        }
        for name in ["..", ".", "", "../../alps", "/", ".alps.partial"] {
            #expect(try await home.run("remove", name).code == 1, "\(name)")
        }
        #expect(home.entries == ["alps"])
        let machine = try await home.run("remove", "--system", "alps")
        #expect(machine.code == 1 && machine.errors.contains("no region called"))
    }

    @Test("a damaged region is named, the others are listed, and it can be removed")
    func damaged() async throws {
        let home = try Home()
        for name in ["alps", "berlin"] { _ = try await home.run("add", try home.archive("\(name).mbtiles")) }
        try "{".write(toFile: "\(home.regions)/berlin/region.json", atomically: true, encoding: .utf8)
        let listed = try await home.run("list")
        #expect(listed.code == 1 && listed.output.contains("alps") && !listed.output.contains("berlin"))
        #expect(listed.errors.contains("\(home.regions)/berlin") && listed.errors.contains("locationctl map remove"))
        #expect(try await home.run("info", "berlin").code == 1)
        #expect(try await home.run("remove", "berlin").code == 0)
        #expect(home.entries == ["alps"])
    }

    @Test("files that make no region end with 1 and a reason, and leave nothing behind")
    func refused() async throws {
        let home = try Home()
        let (pipe, empty) = ("\(home.path)/pipe.mbtiles", "\(home.path)/empty")
        #expect(mkfifo(pipe, 0o600) == 0)
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
        let endless = try home.archive(
            "endless.mbtiles", "DROP TABLE tiles",
            """
            CREATE VIEW tiles AS WITH RECURSIVE n(x) AS (VALUES(0) UNION ALL SELECT x + 1 FROM n)
                SELECT 12 zoom_level, 5 tile_column, x tile_row, zeroblob(1000000000) tile_data FROM n WHERE x < 0
            """)
        let impossible = try home.archive(
            "impossible.mbtiles", "UPDATE tiles SET tile_row = -9223372036854775808")
        let huge = try home.archive("huge.mbtiles", "UPDATE tiles SET tile_data = zeroblob(20000000)")
        let pictures = try home.archive("pictures.mbtiles", "UPDATE metadata SET value = 'png' WHERE name = 'format'")
        let nowhere = try home.archive("nowhere.mbtiles", "DELETE FROM metadata WHERE name = 'bounds'")
        let nothing = try home.archive("nothing.mbtiles", "DELETE FROM tiles")
        for (path, reason) in [
            (endless, "no table tiles"), (impossible, "impossible columns and rows"), (huge, "too long"),
            (pictures, "pictures"), (nowhere, "bounds"), (nothing, "no tile"), (pipe, "no file that can be read"),
            (empty, "no .osm.pbf or .mbtiles"), ("\(home.path)/gone.mbtiles", "No such file"),
            ("\(home.path)/x.zip", "No such file"), ("/dev/null", "neither .osm.pbf nor .mbtiles"),
        ] {
            let result = try await home.run("add", path)
            #expect(result.code == 1 && result.errors.contains(path), "\(result)")
            #expect(result.errors.contains(reason), "\(reason): \(result.errors)")
        }
        #expect(home.entries.isEmpty)
    }

    @Test("of several files each becomes a region, unless their names would be the same")
    func several() async throws {
        let home = try Home()
        let (alps, berlin) = (try home.archive("alps.mbtiles"), try home.archive("berlin.mbtiles"))
        let named = try await home.run("add", "--name", "x", alps, berlin)
        #expect(named.code == 1 && named.errors.contains("2 files"))
        try FileManager.default.createDirectory(atPath: "\(home.path)/sub", withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: alps, toPath: "\(home.path)/sub/alps-latest.mbtiles")
        let same = try await home.run("add", alps, "\(home.path)/sub")
        #expect(same.code == 1 && same.errors.contains("both be called alps") && home.entries.isEmpty)
        try "no archive".write(toFile: "\(home.path)/bad.mbtiles", atomically: true, encoding: .utf8)
        let some = try await home.run("add", alps, "\(home.path)/bad.mbtiles", berlin)
        #expect(some.code == 1 && some.errors.contains("1 of 3 files were not added"))
        #expect(home.entries == ["alps", "berlin"])
    }

    @Test("a region replaces its older version in one step, and no other file")
    func replaced() async throws {
        let home = try Home()
        _ = try await home.run("add", try home.archive("alps-2024-01-01.mbtiles"))
        // Somebody who has it open goes on reading what they opened, and finds the new one when they look again.
        let tiles = RegionTiles(MapRegions(userDirectory: home.regions, systemDirectory: "/nonexistent"))
        let path = try #require(TilePath(z: 12, x: 5, y: 4090))
        tiles.refresh()
        #expect(tiles.description.attribution == "Someone")
        let newer = try home.archive("alps-2025-01-01.mbtiles", attribution: "Someone else")
        #expect(try await home.run("add", newer).code == 0)
        #expect(home.entries == ["alps"])
        #expect(try tiles.tile(at: path) == nil && tiles.description.attribution == "Someone")
        tiles.refresh()
        #expect(tiles.description.attribution == "Someone else")
        let other = try await home.run("add", "--name", "alps", try home.archive("andes.mbtiles"))
        #expect(other.code == 1 && other.errors.contains("locationctl map remove alps"))
        #expect(try await home.run("info", "alps").output.contains("alps-2025-01-01.mbtiles"))
    }

    @Test("a full disk is reported, and nothing remains of the region")
    func fullDisk() async throws {
        let home = try Home()
        let large = try home.archive(
            "large.mbtiles", "CREATE TABLE more AS SELECT randomblob(300000) x FROM metadata")
        // A limit of the size of files, since no test can fill a disk: 64 kB.
        let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" add \"$1\""
        let result = try await ChildProcess.run(
            ["/bin/bash", "-c", script, Products.locationctlMap, large], environment: home.environment([:]))
        #expect(result.code == 1 && result.errors.contains("cannot be written: File too large"), "\(result)")
        #expect(home.entries.isEmpty)
        // Nor where the directory cannot be made.
        try "".write(toFile: "\(home.path)/locationd/x", atomically: false, encoding: .utf8)
        let blocked = try await home.run("add", large, environment: ["XDG_DATA_HOME": "\(home.path)/locationd/x"])
        #expect(blocked.code == 1 && blocked.errors.contains("cannot be made"), "\(blocked)")
    }

    @Test("an interruption ends the running tool and leaves nothing incomplete", arguments: [SIGINT, SIGTERM, SIGHUP])
    func interrupted(signal: Int32) async throws {
        let home = try Home()
        let (tools, started) = ("\(home.path)/tools", "\(home.path)/started")
        try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: false)
        #expect(mkfifo(started, 0o600) == 0)
        for tool in ["osmium", "tilemaker"] {
            try await ProgramFile.write(
                "#!/bin/sh\nexec 9> \"\(started)\"\necho at work >&9\nexec /bin/sleep 600\n", to: "\(tools)/\(tool)")
        }
        let streets = "\(home.path)/none/streets"
        try FileManager.default.createDirectory(atPath: streets, withIntermediateDirectories: true)
        try "".write(toFile: "\(streets)/process.lua", atomically: false, encoding: .utf8)
        let extract = "\(home.path)/alps.osm.pbf"
        try "x".write(toFile: extract, atomically: false, encoding: .utf8)
        let process = try await ChildProcess(
            [Products.locationctlMap, "add", extract], environment: home.environment(["PATH": tools])
        )
        // Without setpriv, which would have the kernel end the tool. It opens the pipe for as long as it lives.
        let pipe = try await Wire.lines(fromPipe: open(started, O_RDONLY | O_CLOEXEC))
        #expect(try await pipe.receive() == "at work")
        #expect(home.entries == [".alps.partial"])
        process.signal(signal)
        #expect(try await process.exitCode() == 128 + signal)
        #expect(try await process.errors.rest().contains("no unfinished files are left"))
        #expect(try await pipe.receive() == nil, "the tool has ended")
        #expect(home.entries.isEmpty)
    }

    @Test("without the tools for extracts the error explains how to install them")
    func missingTools() async throws {
        let home = try Home()
        try "x".write(toFile: "\(home.path)/alps.osm.pbf", atomically: false, encoding: .utf8)
        let result = try await home.run("add", "\(home.path)/alps.osm.pbf", environment: ["PATH": home.path])
        #expect(result.code == 1 && result.errors.contains("apt install tilemaker osmium-tool"))
        #expect(home.entries.isEmpty)
    }

    @Test("a map that cannot be shown ends with a code and a sentence: no data, no track, no file to record to")
    func notShown() async throws {
        let home = try Home()
        let noData = try await home.run("show")
        #expect(noData.code == 1 && noData.errors.contains("locationd-map"), "\(noData)")
        let noTrack = try await home.run("show", "\(home.path)/gone.gpx")
        #expect(noTrack.code == 66 && noTrack.errors.contains("gone.gpx"), "\(noTrack)")
        let noRecording = try await home.run("show", "--record", "\(home.path)/none/walk.gpx")
        #expect(noRecording.code == 66 && noRecording.errors.contains("walk.gpx"), "\(noRecording)")
    }
}
