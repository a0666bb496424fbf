import FoundationEssentials
import LocationModel
import PageServing
import TestSupport
import Testing

@testable import LocationMap

/// The routes in the user's file of saved places, and on pages.
@Suite("SavedRoutes", .timeLimit(.minutes(10)))
@MainActor
struct SavedRoutesTests {
    private let directory = try? TemporaryDirectory()
    private var path: String { "\(directory?.path ?? "")/data/locationd/places.geojson" }

    private func route(_ id: String, _ name: String = "Way", points: [SavedRoute.Point]? = nil) throws -> SavedRoute {
        let points = points ?? [SavedRoute.Point(.at(47, 9)), SavedRoute.Point(.at(47.1, 9.25), altitude: 455.5)]
        return try #require(SavedRoute(id: id, name: name, color: "#2d7a35", points: points))
    }

    private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func write(_ features: String) throws {
        try SavedPlaces(path: path).save([])
        try Data(#"{"type":"FeatureCollection","features":[\#(features)]}"#.utf8).write(to: URL(filePath: path))
    }

    @Test("routes are kept beside places, as lines of GeoJSON")
    func saving() throws {
        let saved = SavedPlaces(path: path)
        let place = try #require(SavedPlace(id: "p", name: "Mooring", coordinate: .at(47.5, 9.25)))
        try saved.save([place], routes: [try route("r1"), try route("r2", "Other")])
        #expect(try text().contains(#""coordinates":[[9.0,47.0],[9.25,47.1,455.5]]"#))
        #expect(try text().contains(##""stroke":"#2d7a35""##))
        #expect(SavedPlaces(path: path).routes == saved.routes)
        #expect(saved.routes.map(\.id) == ["r1", "r2"] && saved.places == [place])
        try saved.save([], routes: [try route("r1", points: [.init(.at(1, 2)), .init(.at(3, 4)), .init(.at(5, 6))])])
        #expect(SavedPlaces(path: path).routes.map(\.points.count) == [3, 2])
        try saved.remove("r1")
        #expect(SavedPlaces(path: path).routes.map(\.id) == ["r2"] && SavedPlaces(path: path).places == [place])
    }

    @Test("a line of another program keeps its geometry until points are moved, and everything else always")
    func others() throws {
        let line =
            ##"{"type":"Feature","bbox":[9,47,10,48],"properties":{"stroke":"#ff0000","stroke-width": 7,"title":"Fence"},"##
            + #""geometry":{"type":"LineString", "coordinates":[[9.12345678901,47.0,1],[9.1,47.2,2,77]]}}"#
        try write(line)
        let saved = SavedPlaces(path: path)
        var fence = try #require(saved.routes.first)
        #expect(fence.name == "Fence" && fence.color == "#ff0000" && fence.points.map(\.altitude) == [1, 2])
        try saved.save([], routes: [try route("mine")])
        #expect(try text().contains(line))
        // As a page returns it.
        fence.name = "Hedge"
        fence.points[0].coordinate = .at(47, 9.1234568)
        try saved.save([], routes: [fence])
        for kept in [
            "[[9.12345678901,47.0,1],[9.1,47.2,2,77]]", #""stroke-width":7"#, #""bbox":[9,47,10,48]"#, "Hedge",
        ] {
            #expect(try text().contains(kept), "\(kept)")
        }
        fence.points[0].coordinate = .at(46, 9)
        try saved.save([], routes: [fence])
        #expect(try text().contains(#""coordinates":[[9.0,46.0,1.0],[9.1,47.2,2.0]]"#))
        #expect(try text().contains(#""stroke-width":7"#) && !text().contains("bbox"))
    }

    @Test(
        "unusual lines are not routes, and are kept unchanged",
        arguments: [
            #"{"type":"LineString","coordinates":[[9,47]]}"#, #"{"type":"LineString","coordinates":[[9,47],[9]]}"#,
            #"{"type":"LineString","coordinates":[[9,47],[900,47]]}"#, #"{"type":"LineString","coordinates":7}"#,
            #"{"type":"MultiLineString","coordinates":[[[9,47],[9,48]]]}"#, #"{"type":"LineString"}"#,
        ])
    func oddities(geometry: String) throws {
        let feature = #"{"type":"Feature","properties":{"name":"Odd"},"geometry":\#(geometry)}"#
        try write(feature)
        let saved = SavedPlaces(path: path)
        try saved.save([], routes: [try route("r")])
        #expect(saved.routes.map(\.id) == ["r"] && saved.places == [])
        #expect(try text().contains(feature))
    }

    @Test("there are limits, and a route beyond them is refused")
    func limits() throws {
        let saved = SavedPlaces(path: path)
        try saved.save([], routes: try (0..<SavedPlaces.maximumRouteCount).map { try route("r\($0)") })
        #expect(throws: SavedPlacesError.self) { try saved.save([], routes: [route("more")]) }
        // Others are saved all the same.
        try saved.save([try #require(SavedPlace(id: "p", name: "Mooring", coordinate: .at(0, 0)))])
        let point = SavedRoute.Point(.at(0, 0))
        let many = Array(repeating: point, count: SavedRoute.maximumCount)
        #expect(SavedRoute(id: "r", name: "n", points: many) != nil)
        for points in [[], [point], many + [point], [point, .init(.at(0, 0), altitude: .infinity)]] {
            #expect(SavedRoute(id: "r", name: "n", points: points) == nil)
        }
        #expect(SavedRoute(id: "r", name: "", points: [point, point]) == nil)
        #expect(SavedRoute(id: "r", name: "n", color: "red", points: [point, point]) == nil)
    }

    @Test("a file that would be too large to be read again is not written")
    func size() throws {
        let saved = SavedPlaces(path: path, maximumSize: 1 << 20)
        try saved.save([], routes: [try route("r1")])
        let point = SavedRoute.Point(.at(47.123456789012, 9.123456789012), altitude: 1234.56789012)
        let long = Array(repeating: point, count: 2500)
        #expect(throws: SavedPlacesError.self) {
            try saved.save([], routes: (0..<10).map { try route("r\($0)", points: long) })
        }
        #expect(SavedPlaces(path: path).routes.map(\.points.count) == [2])
    }

    // MARK: Pages

    private func receive(_ text: String, on map: MapView, from page: FakePage) throws {
        let post = #"{"page":"\#(page.page.id)","messages":[\#(text)]}"#
        map.receive(try PagePost.decode(Array(post.utf8)).messages, from: page.page.id)
    }

    private func message(_ id: String, points: String = "[[9.25,47.5],[9.5,47.25,455.5]]") -> String {
        ##"{"type":"saveRoute","route":{"id":"\##(id)","name":"Way","note":"","color":"#1d63b5","points":\##(points)}}"##
    }

    @Test("a page saves and removes routes, and all pages show them")
    func pages() throws {
        let map = MapView()
        map.savedPlaces = SavedPlaces(path: path)
        let (page, other) = (try FakePage(map), try FakePage(map))
        try receive([message("r1"), message("r2")].joined(separator: ","), on: map, from: page)
        let routes = try #require(try other.last("saved")?["saved"]?["routes"]?.array)
        #expect(routes.map { $0["id"]?.string } == ["r1", "r2"])
        let points = routes[0]["points"]?.array.map { $0.array.map(\.number) }
        #expect(points == [[9.25, 47.5], [9.5, 47.25, 455.5]])
        try receive(#"{"type":"unsave","id":"r1"}"#, on: map, from: page)
        #expect(SavedPlaces(path: path).routes.map(\.id) == ["r2"])
    }

    @Test("a route of the greatest length fits in a post; what cannot be saved is refused as a whole")
    func refusals() throws {
        let map = MapView()
        map.savedPlaces = SavedPlaces(path: path)
        let page = try FakePage(map)
        let points = Array(repeating: "[-179.1234567,-47.1234567,1234.5678901234]", count: SavedRoute.maximumCount)
        let long = message("long", points: "[\(points.joined(separator: ","))]")
        #expect(long.utf8.count < PagePost.maximumSize)
        try receive(long, on: map, from: page)
        #expect(map.savedPlaces?.routes.count == 1)
        for points in [
            "[]", "[[9,47]]", "[[9,47],[9,91]]", "[[9,47],[181,9]]", "[[9,47],[9]]", "[[9,47],[9,\"47\"]]", "7",
        ] {
            #expect(throws: (any Error).self, "\(points)") {
                try receive(message("r", points: points), on: map, from: page)
            }
        }
        #expect(throws: (any Error).self) { try receive(message(""), on: map, from: page) }
    }
}
