import MapTiles
import FoundationEssentials
import LocationModel
import PlaceFixtures
import PlaceSearch
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import LocationMap

@Suite("MapServer: search", .timeLimit(.minutes(10)))
@MainActor
struct SearchTests {
    /// Keeps what it is asked.
    private final class Listener: PageSearch {
        let queries = Mutex<[WirePlaceQuery]>([])
        struct Trouble: Error { var text: String }

        func answer(to query: WirePlaceQuery) throws -> PlaceAnswer {
            queries.withLock { $0.append(query) }
            if case .places(let text, _) = query.subject, text == "trouble" { throw Trouble(text: text) }
            return PlaceAnswer(results: [])
        }
    }

    private func search(_ map: ServedMap, _ cookie: String, _ body: String) async throws -> HTTPAnswer {
        try await map.request("POST", map.root + "search", cookie: cookie, body: body)
    }

    @Test("a query is answered, with its origin")
    func questions() async throws {
        let listener = Listener()
        try await ServedMap.run(places: listener) { map in
            map.map.addControl(SearchField(mapView: map.map))
            let cookie = try await map.enter()
            let events = try await map.events(cookie: cookie)
            let page = try #require(try await events.next("state")["page"]?.string)
            let region = "\"region\":[9.4,47.0,9.6,47.2]"
            let bodies = [
                "{\"page\":\"\(page)\",\"kind\":\"search\",\"text\":\"café\",\"category\":\"cafe\",\(region),\"user\":[9.5,47.1]}",
                "{\"page\":\"\(page)\",\"kind\":\"suggest\",\"text\":\"va\",\(region),\"user\":[20,50]}",
                "{\"page\":\"\(page)\",\"kind\":\"reverse\",\"position\":[9.5,47.1]}",
            ]
            for body in bodies {
                let answer = try await search(map, cookie, body)
                #expect(answer.status == 200)
                #expect(answer.headers["content-type"] == "application/json")
                #expect(answer.headers["cache-control"] == "no-store")
            }
            let queries = listener.queries.withLock { $0 }
            #expect(
                queries.map(\.subject) == [
                    .places(text: "café", category: "cafe"), .suggestions(text: "va"),
                    .position(WirePosition(longitude: 9.5, latitude: 47.1)),
                ])
            #expect(queries.map(\.user?.coordinate) == [.at(47.1, 9.5), .at(50, 20), nil])
            #expect(queries[0].region?.contains(.at(47.1, 9.5)) == true && queries[2].region == nil)
            await events.wire.close()
        }
    }

    @Test("an invalid query is refused, and so is one of an unknown page or a map without a search field")
    func refusals() async throws {
        let listener = Listener()
        try await ServedMap.run(places: listener) { map in
            let cookie = try await map.enter()
            let events = try await map.events(cookie: cookie)
            let page = try #require(try await events.next("state")["page"]?.string)
            let good = "{\"page\":\"\(page)\",\"kind\":\"search\",\"text\":\"x\"}"
            #expect(try await search(map, cookie, good).status == 404, "no field")
            map.map.addControl(SearchField(mapView: map.map))
            #expect(try await search(map, cookie, good).status == 200)
            #expect(try await search(map, cookie, good.replacing(page, with: "nobody")).status == 409)
            let long = String(repeating: "a", count: WirePlaceQuery.maximumText + 1)
            let bad = [
                "", "{}", "[]", good.replacing("search", with: "all"), good.replacing("\"x\"", with: "7"),
                good.replacing("\"x\"", with: "\"\(long)\""),
                good.replacing("\"text\"", with: "\"region\":[1,2,3],\"text\""),
                good.replacing("\"text\"", with: "\"region\":[0,9,0,-9],\"text\""),
                good.replacing("\"text\"", with: "\"user\":[0,91],\"text\""),
                "{\"page\":\"\(page)\",\"kind\":\"reverse\",\"position\":[1e300,0]}",
            ]
            for body in bad { #expect(try await search(map, cookie, body).status == 400, "\(body.prefix(80))") }
            #expect(try await search(map, cookie, String(repeating: " ", count: 10_000)).status == 413)
            #expect(try await search(map, "map=0", good).status == 404, "no cookie")
            let foreign = ["Origin": "http://evil.example"]
            #expect(
                try await map.request("POST", map.root + "search", cookie: cookie, headers: foreign, body: good).status
                    == 404)
            #expect(try await map.request("GET", map.root + "search", cookie: cookie).status == 404)
            #expect(try await search(map, cookie, good.replacing("\"x\"", with: "\"trouble\"")).status == 500)
            #expect(listener.queries.withLock { $0.count } == 2)
            await events.wire.close()
        }
    }

    /// Notes what a search field tells.
    private final class Watcher: SearchFieldDelegate {
        var told: [String] = []

        func searchField(_ searchField: SearchField, textDidChange text: String) { told.append("text \(text)") }
        func searchField(_ searchField: SearchField, didSubmit text: String) { told.append("submit \(text)") }
        func searchField(_ searchField: SearchField, didSelect row: SearchField.Row) { told.append("row \(row.title)") }
        func searchField(_ searchField: SearchField, didFind mapItems: [MapItem], for text: String) {
            told.append("\(mapItems.map(\.name)) for \(text)")
        }
        func searchField(_ searchField: SearchField, didChoose mapItem: MapItem) {
            told.append("chose \(mapItem.name)")
        }
    }

    @Test("a program gets the queries, results and choices, and no clicks on labels")
    func delegate() async throws {
        let directory = try TemporaryDirectory()
        let world = directory.path + "/" + InstalledPlaces.worldFile
        try await ExtractIndex.write(.liechtenstein, to: world)
        let indexes = PlaceIndexCache(
            regions: MapRegions(userDirectory: nil, systemDirectory: "/nonexistent"), data: directory.path
        ) { _ in }
        try await ServedMap.run(places: indexes) { map in
            let field = SearchField(mapView: map.map)
            let watcher = Watcher()
            field.delegate = watcher
            map.map.addControl(field)
            let cookie = try await map.enter()
            let events = try await map.events(cookie: cookie)
            let page = try #require(try await events.next("state")["page"]?.string)
            func ask(_ kind: String, _ text: String, _ more: String = "") async throws {
                let body = "{\"page\":\"\(page)\",\"kind\":\"\(kind)\",\"text\":\"\(text)\"\(more)}"
                #expect(try await search(map, cookie, body).status == 200)
            }
            try await ask("suggest", "Balz")
            #expect(watcher.told == ["text Balz"])
            try await ask("search", "Balzers")
            #expect(watcher.told.count == 3 && watcher.told[1] == "text Balzers")
            #expect(watcher.told[2].hasPrefix("[\"Balzers\"") && watcher.told[2].hasSuffix("for Balzers"))
            try await ask("search", "Vaduz", #","isLabel":true"#)
            #expect(watcher.told.count == 3 && field.text == "Balzers")
            let item = try #require(try indexes.searcher().search("Balzers").first)
            map.map.receive([.choose(id: item.id)], from: page)
            map.map.receive([.choose(id: "nobody")], from: page)
            #expect(watcher.told.dropFirst(3) == ["chose Balzers"])
            await events.wire.close()
        }
    }

    @Test("a program's rows replace suggestions, and it gets the selected one")
    func ownRows() async throws {
        let listener = Listener()
        try await ServedMap.run(places: listener) { map in
            let field = SearchField(mapView: map.map)
            let watcher = Watcher()
            field.delegate = watcher
            map.map.addControl(field)
            #expect(map.map.wireControls.last?.hasOwnRows == nil)
            field.rows = { text in (0..<70).map { .init(id: "\($0)", title: "\(text) \($0)", subtitle: "Pier") } }
            #expect(map.map.wireControls.last?.hasOwnRows == true)
            let cookie = try await map.enter()
            let events = try await map.events(cookie: cookie)
            let page = try #require(try await events.next("state")["page"]?.string)
            let answer = try await search(
                map, cookie, "{\"page\":\"\(page)\",\"kind\":\"suggest\",\"text\":\"Berth\"}")
            let rows = try JSON(answer.body)["rows"]?.array
            #expect(rows?.count == SearchField.maximumRows)
            #expect(rows?.first?["title"]?.string == "Berth 0" && rows?.first?["subtitle"]?.string == "Pier")
            #expect(listener.queries.withLock { $0.isEmpty })
            map.map.receive([.choose(id: "7")], from: page)
            map.map.receive([.choose(id: "69")], from: page)
            map.map.receive([.submit(text: "Berth 9")], from: page)
            #expect(watcher.told == ["text Berth", "row Berth 7", "text Berth 9", "submit Berth 9"])
            await events.wire.close()
        }
    }

    @Test("a page is sent that there is nothing to search")
    func nothing() async throws {
        try await ServedMap.run { map in
            map.map.addControl(SearchField(mapView: map.map))
            let cookie = try await map.enter()
            let events = try await map.events(cookie: cookie)
            let page = try #require(try await events.next("state")["page"]?.string)
            let answer = try await search(map, cookie, "{\"page\":\"\(page)\",\"kind\":\"suggest\",\"text\":\"x\"}")
            #expect(answer.body.contains("{\"isMissing\":true}"))
            await events.wire.close()
        }
    }

    @Test("a damaged index of places is reported, and the others are searched without it")
    func damaged() async throws {
        let directory = try TemporaryDirectory()
        let world = directory.path + "/" + InstalledPlaces.worldFile
        try "no index".write(toFile: world, atomically: true, encoding: .utf8)
        let reports = Mutex<[String]>([])
        let indexes = PlaceIndexCache(
            regions: MapRegions(userDirectory: nil, systemDirectory: "/nonexistent"), data: directory.path
        ) { report in reports.withLock { $0.append(report) } }
        for _ in 0..<3 {
            #expect(throws: PlaceIndexError.self) { try indexes.searcher() }
            let query = WirePlaceQuery(page: "1", subject: .suggestions(text: "x"))
            #expect(try await indexes.answer(to: query).isMissing == true)
        }
        #expect(reports.withLock { $0.count } == 1, "once, not at every question")
        try FileManager.default.removeItem(atPath: world)
        try await ExtractIndex.write(.liechtenstein, to: world)
        #expect(try indexes.searcher().search("Vaduz").first?.name == "Vaduz", "mended without a restart")
        #expect(try indexes.searcher() === indexes.searcher(), "opened once")
    }

    @Test("an index that turns out to be damaged during a search is reported once, and the others answer")
    func damagedMeanwhile() async throws {
        let directory = try TemporaryDirectory()
        let world = directory.path + "/" + InstalledPlaces.worldFile
        try await ExtractIndex.write(.liechtenstein, to: world)
        let regions = MapRegions(userDirectory: directory.path + "/maps", systemDirectory: "/nonexistent")
        let region = directory.path + "/maps/here"
        try FileManager.default.createDirectory(atPath: region, withIntermediateDirectories: true)
        try "".write(toFile: region + "/tiles.mbtiles", atomically: true, encoding: .utf8)
        let information = RegionInformation(
            name: "here", bounds: [9, 47, 10, 48], source: "here.osm.pbf", sourceSize: 1, dataDate: nil,
            added: "2026-11-22T00:00:00Z", tilesSize: 1, placesSize: 1, places: 1, attribution: "Someone")
        try JSONEncoder().encode(information).write(to: URL(filePath: region + "/region.json"))
        try FileManager.default.copyItem(atPath: world, toPath: region + "/places.sqlite")
        try SQLDatabase<PlaceIndexError>(path: region + "/places.sqlite").run(
            "UPDATE place SET importance = -9223372036854775808")
        let reports = Mutex<[String]>([])
        let indexes = PlaceIndexCache(regions: regions, data: directory.path) { report in
            reports.withLock { $0.append(report) }
        }
        for _ in 0..<3 {
            let query = WirePlaceQuery(page: "1", subject: .places(text: "Vaduz", category: nil))
            #expect(try await indexes.answer(to: query).results?.first?.name == "Vaduz")
            #expect(try await indexes.search { try $0.suggestions(for: "vad") }.first?.title == "Vaduz")
        }
        #expect(reports.withLock { $0.count } == 1)
        #expect(reports.withLock { $0.first?.contains("here/places.sqlite") } == true)
    }
}
