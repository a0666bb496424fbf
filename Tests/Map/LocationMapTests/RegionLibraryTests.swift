import FoundationEssentials
import Glibc
import MapTiles
import TestSupport
import Testing

@testable import LocationMap

/// Regions that pages add and remove, with a script in the place of `locationctl map`.
@Suite("RegionLibrary", .timeLimit(.minutes(10)))
@MainActor
struct RegionLibraryTests {
    private let directory = try? TemporaryDirectory()
    private var home: String { directory?.path ?? "" }
    private var maps: String { home + "/maps" }

    /// A library whose command is a script, which needs no other program.
    private func library(_ script: String) throws -> RegionLibrary {
        let path = home + "/command"
        try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
        guard chmod(path, 0o700) == 0 else { throw SystemFailureOfTest() }
        let library = RegionLibrary(
            regions: MapRegions(userDirectory: maps, systemDirectory: home + "/system"), command: [path])
        library.tools = { _ in [] }
        return library
    }

    private struct SystemFailureOfTest: Error {}

    private func entries() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: maps)) ?? [] }

    /// Serves a map with a library, and receives its events.
    private func serve(
        _ library: RegionLibrary, _ body: @MainActor (ServedMap, String, EventStream) async throws -> Void
    ) async throws {
        try await ServedMap.run { map in
            map.map.regionLibrary = library
            let cookie = try await map.enter()
            let events = try await map.events(cookie: cookie)
            _ = try await events.next()
            try await body(map, cookie, events)
            await events.wire.close()
        }
    }

    private func post(
        _ map: ServedMap, _ cookie: String, file: String = "x.osm.pbf", headers: [String: String?] = [:],
        body: String = "data"
    ) async throws -> HTTPAnswer {
        let headers = ["Content-Type": "application/octet-stream"].merging(headers) { $1 }
        return try await map.request("POST", map.root + "regions/\(file)", cookie: cookie, headers: headers, body: body)
    }

    /// The next regions that are not busy.
    private func result(_ events: EventStream) async throws -> JSON {
        while let (name, data) = try await events.next() {
            if name == "regions", data["job"] == nil { return data }
        }
        throw SystemFailureOfTest()
    }

    /// The problem in the next regions that are not busy, in English.
    private func problem(_ events: EventStream) async throws -> String? {
        guard let problem = try await result(events)["problem"], let text = problem["text"]?.string else { return nil }
        return PageSentence(
            about: problem["subject"]?.string, text, lead: problem["lead"]?.string,
            command: problem["command"]?.string
        ).description
    }

    @Test("a file that a page sends is given to the command, and its copy is removed")
    func adding() async throws {
        let library = try library(
            """
            echo "$1 $2" > \(home)/seen; cat "$3" >> \(home)/seen; echo "$3" > \(home)/path
            echo "x.osm.pbf, 4 bytes: about 1 s" >&2; echo "[1/2] 35 % Making the tiles" >&2
            """)
        try await serve(library) { map, cookie, events in
            #expect(try await post(map, cookie).status == 202)
            let (name, data) = try #require(try await events.next())
            #expect(name == "regions" && data["job"]?["name"]?.string == "x.osm.pbf")
            let result = try await result(events)
            #expect(result["problem"] == nil && result["regions"]?.array.isEmpty == true)
        }
        #expect(try String(contentsOfFile: home + "/seen", encoding: .utf8) == "add --progress\ndata")
        #expect(try String(contentsOfFile: home + "/path", encoding: .utf8).hasPrefix(maps + "/.upload."))
        #expect(entries() == [])
    }

    @Test("an error of the command is shown, without the directory of the copy")
    func failure() async throws {
        let library = try library(#"echo "note" >&2; echo "$3 is damaged: end of file." >&2; exit 1"#)
        try await serve(library) { map, cookie, events in
            #expect(try await post(map, cookie).status == 202)
            let problem = try await problem(events)
            #expect(problem == "x.osm.pbf: x.osm.pbf is damaged: end of file.")
        }
        #expect(entries() == [])
    }

    @Test("a page of another origin, and a form, can neither send nor remove")
    func origins() async throws {
        let library = try library("echo ran > \(home)/seen")
        try await serve(library) { map, cookie, _ in
            let others: [[String: String?]] = [
                ["Origin": "https://evil.example"], ["Origin": "null"], ["Origin": nil],
                ["Host": "evil.example:\(map.port)"],
                ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Cookie": nil],
            ]
            for headers in others {
                #expect(try await post(map, cookie, headers: headers).status == 404, "\(headers)")
                let removal = try await map.request(
                    "POST", map.root + "messages", cookie: cookie, headers: headers,
                    body: #"{"page":"","messages":[{"type":"removeRegion","name":"x"}]}"#)
                #expect(removal.status == 404, "\(headers)")
            }
            for type in ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded", nil] as [String?] {
                #expect(try await post(map, cookie, headers: ["Content-Type": type]).status == 415)
            }
        }
        #expect(entries() == [] && access(home + "/seen", F_OK) != 0)
    }

    @Test("a file that cannot be a region is refused before it is received")
    func refusals() async throws {
        let library = try library("echo ran > \(home)/seen")
        try await serve(library) { map, cookie, events in
            #expect(try await post(map, cookie, file: "notes.txt").status == 422)
            let problem = try await problem(events)
            #expect(problem?.hasPrefix("notes.txt: A region is made of") == true)
            #expect(
                try await post(map, cookie, headers: ["Content-Length": "\(RegionLibrary.maximumSize + 1)"]).status
                    == 413)
            #expect(try await post(map, cookie, body: "").status == 413)
            #expect(try await post(map, cookie, file: "..").status == 422)
            #expect(try await post(map, cookie, file: "a%2Fb.osm.pbf").status == 404)
            // More than the largest disk that runs tests is not needed to show this.
            var disk = statvfs()
            #expect(statvfs(home, &disk) == 0)
            let free = Int(disk.f_bavail) * Int(disk.f_frsize)
            if free / 2 < RegionLibrary.maximumSize {
                let answer = try await post(map, cookie, headers: ["Content-Length": "\(free / 2)"])
                #expect(answer.status == 507)
            }
        }
        #expect(entries() == [] && access(home + "/seen", F_OK) != 0)
    }

    @Test("a map without a library has no such address, and one file is added at a time")
    func oneAtATime() async throws {
        try await ServedMap.run { map in
            let cookie = try await map.enter()
            #expect(try await post(map, cookie).status == 404)
        }
        let library = try library("true")
        try await serve(library) { map, cookie, _ in
            let upload = try library.begin("first.osm.pbf", size: 4)
            #expect(try await post(map, cookie).status == 409)
            #expect(access(upload.path, F_OK) == 0)
            library.cancel()
            #expect(!library.received(upload, 1))
            library.fail(upload, "It was not received as a whole.")
            #expect(library.job == nil && library.problem == nil)
        }
        #expect(entries() == [])
    }

    @Test("a file that ends early is not added")
    func endsEarly() async throws {
        let library = try library("echo ran > \(home)/seen")
        try await serve(library) { map, cookie, events in
            let wire = try await Wire.connect(toPort: map.port)
            await wire.send(
                ServedMap.text(
                    "POST", map.root + "regions/x.osm.pbf", port: map.port, cookie: cookie,
                    headers: ["Content-Type": "application/octet-stream", "Content-Length": "1000"], body: "data"))
            while let (name, data) = try await events.next() {
                if name == "regions", data["job"] != nil { break }
            }
            await wire.close()
            let problem = try await problem(events)
            #expect(problem == "x.osm.pbf: It was not received as a whole.")
        }
        #expect(entries() == [] && access(home + "/seen", F_OK) != 0)
    }

    @Test("cancelling ends the command")
    func cancelling() async throws {
        let library = try library(#"echo "[1/2] 1 % Working" >&2; exec sleep 600"#)
        try await serve(library) { map, cookie, events in
            #expect(try await post(map, cookie).status == 202)
            while let (name, data) = try await events.next() {
                if name == "regions", data["job"]?["step"]?.string == "Working" { break }
            }
            library.cancel()
            let problem = try await problem(events)
            #expect(problem == nil)
        }
        #expect(entries() == [])
    }

    @Test(
        "an extract is refused before it is received if a program that it needs is missing, with the command that helps"
    )
    func missingTools() async throws {
        let library = try library("echo ran > \(home)/seen")
        library.tools = { source in
            source == .archive
                ? [] : ["no-such-a", "no-such-b"].map { RegionTool(name: $0, package: "package-of-\($0)") }
        }
        try await serve(library) { map, cookie, events in
            let refused = try await post(map, cookie)
            let problem = try await problem(events)
            #expect(refused.status == 422)
            #expect(
                problem
                    == "{program} and {others} are needed to make a region out of an extract, and not installed. "
                    + "To install them on Debian, run: sudo apt install package-of-no-such-a package-of-no-such-b")
            #expect(access(home + "/seen", F_OK) != 0 && entries().isEmpty)
            #expect(try await post(map, cookie, file: "x.mbtiles").status == 202)
        }
    }

    @Test("only a region of the user is removed")
    func removing() async throws {
        for (parent, name) in [(maps, "mine"), (home + "/system", "ours")] {
            let region = "\(parent)/\(name)"
            try FileManager.default.createDirectory(atPath: region, withIntermediateDirectories: true)
            let information = RegionInformation(
                name: name, bounds: [9, 47, 10, 48], source: "x.osm.pbf", sourceSize: 1, dataDate: nil,
                added: "2026-01-01T00:00:00Z", tilesSize: 3, placesSize: 4, places: nil, attribution: "")
            try JSONEncoder().encode(information).write(to: URL(filePath: region + "/region.json"))
            try Data().write(to: URL(filePath: region + "/tiles.mbtiles"))
        }
        let library = try library(#"[ "$1" = remove ] && rm -r "\#(maps)/$2""#)
        let map = MapView()
        map.regionLibrary = library
        let page = try FakePage(map)
        let regions = try #require(try page.state()["regions"]?["regions"]?.array)
        #expect(
            regions.map { $0["name"]?.string } == ["mine", "ours"] && regions.map { $0["size"]?.number } == [7, 7])
        for name in ["ours", "..", "other", ""] {
            await library.remove(name)
            #expect(library.problem == PageSentence(about: name, "You have no such region."))
        }
        await library.remove("mine")
        #expect(library.problem == nil && library.installed.map(\.name) == ["ours"])
    }
}
