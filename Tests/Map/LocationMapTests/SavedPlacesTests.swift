import FoundationEssentials
import Glibc
import LocationModel
import PageServing
import TestSupport
import Testing

@testable import LocationMap

/// The user's saved places, in a file and on pages.
@Suite("SavedPlaces", .timeLimit(.minutes(10)))
@MainActor
struct SavedPlacesTests {
    private let directory = try? TemporaryDirectory()
    private var path: String { "\(directory?.path ?? "")/data/locationd/places.geojson" }

    private func place(_ id: String, _ name: String = "Mooring", note: String = "") throws -> SavedPlace {
        try #require(SavedPlace(id: id, name: name, note: note, color: "#1d63b5", coordinate: .at(47.5, 9.25)))
    }

    private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("a saved place is there for the next program, in a file of the user's own")
    func saving() throws {
        let saved = SavedPlaces(path: path)
        #expect(saved.places == [] && saved.problem == nil)
        try saved.save([try place("p1", "Mooring \"A\"\u{202E}", note: "3 m deep\nsand"), try place("p2")])
        #expect(SavedPlaces(path: path).places == saved.places)
        #expect(saved.places.map(\.name) == ["Mooring \"A\"\u{202E}", "Mooring"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        try saved.save([try place("p1", "Berth")])
        #expect(SavedPlaces(path: path).places.map(\.name) == ["Berth", "Mooring"])
        try saved.remove("p2")
        try saved.remove("p2")
        #expect(SavedPlaces(path: path).places.map(\.id) == ["p1"])
    }

    @Test("two programs change one file, and neither loses the other's changes")
    func twoPrograms() throws {
        let (one, other) = (SavedPlaces(path: path), SavedPlaces(path: path))
        try one.save([try place("a")])
        try other.save([try place("b")])
        try one.remove("a")
        #expect(try SavedPlaces(path: path).places == [place("b")])
        #expect(other.places.count == 2)
        other.reload()
        #expect(other.places == one.places)
    }

    /// Saves a hundred places as another program does: it locks the directory, reads the file and has a whole one take its place. In
    /// between it waits until its parent waits for the lock, or has saved its own place without.
    private static let otherProgram = """
        import fcntl, json, os, sys
        path = sys.argv[1]
        def is_awaited():
            with open("/proc/locks") as locks:
                return any("->" in line and str(os.getppid()) in line.split() for line in locks)
        for number in range(100):
            saved = f"{path}.{number}"
            lock = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            with open(path) as file: content = json.load(file)
            print("read", flush=True)
            while not is_awaited() and not os.path.exists(saved): pass
            content["features"].append({"type": "Feature", "id": f"other{number}",
                "geometry": {"type": "Point", "coordinates": [9, 47]}, "properties": {"title": "Other"}})
            with open(path + ".other", "w") as file: json.dump(content, file)
            os.rename(path + ".other", path)
            os.close(lock)
            while not os.path.exists(saved): pass
        """

    @Test("two programs that save a hundred places each at the same time leave two hundred")
    func atTheSameTime() async throws {
        let saved = SavedPlaces(path: path)
        try saved.save([try place("first")])
        let other = try await ChildProcess(["/usr/bin/python3", "-c", Self.otherProgram, path])
        for number in 0..<100 {
            try #require(try await other.output.receive() == "read")
            try saved.save([try place("own\(number)")])
            try Data().write(to: URL(filePath: "\(path).\(number)"))
        }
        #expect(try await other.exitCode() == 0)
        saved.reload()
        #expect(saved.problem == nil && saved.places.count == 201)
    }

    @Test("a symbolic link to the file stays one, and the file behind it is written")
    func link() throws {
        let saved = SavedPlaces(path: path)
        try saved.save([try place("a")])
        let elsewhere = "\(directory?.path ?? "")/kept.geojson"
        try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
        try saved.save([try place("b")])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == elsewhere)
        #expect(SavedPlaces(path: elsewhere).places.map(\.id) == ["a", "b"])
    }

    @Test("the parts of the file that others have written stay as they are")
    func others() throws {
        let line =
            ##"{"type":"Feature","properties":{"stroke":"#ff0000"},"geometry":"##
            + #"{"type":"LineString","coordinates":[[9,47],[9.1,47]]}}"#
        let point =
            #"{"type": "Feature", "geometry": {"type": "Point", "coordinates": [9.5, 47.1, 455.5]}, "#
            + #""bbox": [9,47,10,48], "properties": {"title": "Castle", "icon": "tower", "since": 1322.50}}"#
        let saved = SavedPlaces(path: path)
        try saved.save([try place("p1")])
        try Data(#"{"name": "Mine", "type": "FeatureCollection", "features": [\#(line), \#(point)]}"#.utf8)
            .write(to: URL(filePath: path))
        saved.reload()
        let castle = try #require(saved.places.first)
        #expect(saved.places.count == 1 && castle.name == "Castle" && castle.coordinate == .at(47.1, 9.5))
        #expect(castle.color == SavedPlace.standardColor)
        try saved.save([try place("p2")])
        #expect(try text().contains(point) && text().contains(line) && text().contains(#""name":"Mine","#))
        // It has the same identifier at each reading, and a change keeps all but what is changed.
        var changed = castle
        changed.note = "steep"
        changed.coordinate = .at(0, 0)
        try saved.save([changed])
        #expect(saved.places.first?.coordinate == .at(47.1, 9.5))
        for kept in ["[9.5, 47.1, 455.5]", #""icon":"tower""#, #""since":1322.50"#, #""bbox":[9,47,10,48]"#, line] {
            #expect(try text().contains(kept), "\(kept)")
        }
        #expect(SavedPlaces(path: path).places.map(\.id) == [castle.id, "p2"])
        #expect(SavedPlaces(path: path).places.first?.note == "steep")
    }

    @Test(
        "a file that cannot be read is not written",
        arguments: ["", "{", #"{"type":"FeatureCollection"}"#, #"{"type":"Feature","geometry":null}"#, "[]"])
    func unreadable(content: String) throws {
        let saved = SavedPlaces(path: path)
        try saved.save([try place("p1")])
        try Data(content.utf8).write(to: URL(filePath: path))
        saved.reload()
        #expect(saved.problem?.hasPrefix("The saved places in \(path) cannot be used: ") == true)
        #expect(throws: SavedPlacesError.self) { try saved.save([place("p2")]) }
        #expect(throws: SavedPlacesError.self) { try saved.remove("p1") }
        #expect(try text() == content)
    }

    @Test("unusual features are not places, and are kept unchanged")
    func oddities() throws {
        let features = [
            #"{"type":"Feature","geometry":null,"properties":null}"#, "7", "null",
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[9]},"properties":{}}"#,
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[900,47]},"properties":{"name":"Nowhere"}}"#,
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[9,"47"]}}"#,
        ]
        let saved = SavedPlaces(path: path)
        try saved.save([try place("p1")])
        try Data(#"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#.utf8)
            .write(to: URL(filePath: path))
        try saved.save([try place("p2")])
        #expect(saved.places.map(\.id) == ["p2"])
        for feature in features { #expect(try text().contains(feature), "\(feature)") }
    }

    @Test("there are limits, and a place beyond them is refused")
    func limits() throws {
        let saved = SavedPlaces(path: path)
        try saved.save((0..<SavedPlaces.maximumCount).map { try place("p\($0)") })
        #expect(throws: SavedPlacesError.self) { try saved.save([place("more")]) }
        #expect(SavedPlaces(path: path).places.count == SavedPlaces.maximumCount)
        #expect(SavedPlace(id: "a", name: "", coordinate: .at(0, 0)) == nil)
        #expect(SavedPlace(id: "a", name: String(repeating: "n", count: 201), coordinate: .at(0, 0)) == nil)
        #expect(SavedPlace(id: "a", name: "n", note: String(repeating: "n", count: 2001), coordinate: .at(0, 0)) == nil)
        for color in ["red", "#12345", "#12345g", "#1234567", "url(x)"] {
            #expect(SavedPlace(id: "a", name: "n", color: color, coordinate: .at(0, 0)) == nil, "\(color)")
        }
    }

    // MARK: Pages

    private func receive(_ text: String, on map: MapView, from page: FakePage) throws {
        let post = #"{"page":"\#(page.page.id)","messages":[\#(text)]}"#
        map.receive(try PagePost.decode(Array(post.utf8)).messages, from: page.page.id)
    }

    private func message(_ id: String, _ name: String, position: String = "[9.25,47.5]") -> String {
        ##"{"type":"save","place":{"id":"\##(id)","name":"\##(name)","note":"","color":"#1d63b5","##
            + #""position":\#(position)}}"#
    }

    @Test("a page saves and removes places, and all pages show them")
    func pages() throws {
        let map = MapView()
        let page = try FakePage(map)
        #expect(try page.state()["saved"] == nil)
        try receive(message("p1", "Mooring"), on: map, from: page)
        map.savedPlaces = SavedPlaces(path: path)
        let other = try FakePage(map)
        try receive([message("p1", "Mooring"), message("p2", "Berth")].joined(separator: ","), on: map, from: page)
        #expect(try other.last("saved")?["saved"]?["places"]?.array.map { $0["name"]?.string } == ["Mooring", "Berth"])
        try receive(
            [message("p3", "Buoy"), #"{"type":"unsave","id":"p3"}"#].joined(separator: ","), on: map, from: page)
        try receive(#"{"type":"unsave","id":"p1"}"#, on: map, from: page)
        #expect(SavedPlaces(path: path).places.map(\.id) == ["p2"])
        #expect(try other.state()["saved"]?["places"]?.array.map { $0["id"]?.string } == ["p2"])
    }

    @Test("what cannot be saved is refused as a whole, and what cannot be written is reported")
    func refusals() throws {
        let map = MapView()
        map.savedPlaces = SavedPlaces(path: path)
        let page = try FakePage(map)
        for refused in [
            message("", "n"), message("a", ""), message("a", "n", position: "[9,91]"),
            message("a", "n", position: "[9]"),
            message(String(repeating: "a", count: 65), "n"), #"{"type":"save"}"#, #"{"type":"unsave"}"#,
        ] {
            #expect(throws: (any Error).self, "\(refused)") { try receive(refused, on: map, from: page) }
        }
        try map.savedPlaces?.save([place("p1")])
        try Data("{".utf8).write(to: URL(filePath: path))
        try receive(message("p2", "Berth"), on: map, from: page)
        let values = try page.last("notice")?["sentence"]?["values"]
        #expect(values?["reason"]?.string?.contains("it is not JSON") == true)
    }
}
