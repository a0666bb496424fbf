import FoundationEssentials
import LocationModel
import Synchronization
import TestSupport
import Testing

@testable import LocationMap

/// Files of places and lines that pages send to be read.
@Suite("PlaceFile", .timeLimit(.minutes(10)))
@MainActor
struct PlaceFileTests {
    private let directory = try? TemporaryDirectory()

    /// Serves a map with a reader of files, or without any.
    private func serve(
        _ reader: PlaceFile.Reader?, _ body: @MainActor (ServedMap, String) async throws -> Void
    ) async throws {
        try await ServedMap.run { map in
            let saved = SavedPlaces(path: "\(directory?.path ?? "")/places.geojson")
            saved.fileReader = reader
            map.map.savedPlaces = saved
            try await body(map, try await map.enter())
        }
    }

    private func post(
        _ map: ServedMap, _ cookie: String?, _ name: String = "x.gpx", headers: [String: String?] = [:],
        body: String = "data"
    ) async throws -> HTTPAnswer {
        let headers = ["Content-Type": "application/octet-stream"].merging(headers) { $1 }
        return try await map.request("POST", map.root + "files/\(name)", cookie: cookie, headers: headers, body: body)
    }

    @Test("the reader gets the bytes and the name, and the page gets its result")
    func reading() async throws {
        let seen = Mutex<[String]>([])
        try await serve({ content, name throws(PlaceFile.Unreadable) in
            seen.withLock { $0.append("\(name) \(String(decoding: content, as: UTF8.self))") }
            return PlaceFile(
                places: [.init(.at(47, 9), name: "A", note: "Quiet", color: "red")],
                lines: [
                    .init([.init(.at(47, 9), altitude: 5), .init(.at(48, 9))], color: "#123456"),
                    .init([.init(.at(1, 2))], name: "Single"),
                ], omissions: "3 values")
        }) { map, cookie in
            let answer = try await post(map, cookie, "my-walk.csv")
            #expect(answer.status == 200)
            let value = try JSON(answer.body)
            #expect(
                value["places"]
                    == (try JSON(
                        ##"[{"name":"A","note":"Quiet","color":"#d8352a","position":[9,47]},"##
                            + ##"{"name":"Single","note":"","color":"#d8352a","position":[2,1]}]"##)))
            #expect(
                value["routes"]
                    == (try JSON(##"[{"note":"","color":"#123456","points":[[9,47,5],[9,48]],"within":0}]"##)))
            #expect(value["omissions"]?.string == "3 values" && value["problem"] == nil)
        }
        #expect(seen.withLock(\.self) == ["my-walk.csv data"])
    }

    @Test("the reason why a file cannot be read is a sentence, with its line")
    func problems() async throws {
        try await serve({ content, _ throws(PlaceFile.Unreadable) in
            throw PlaceFile.Unreadable(line: content.isEmpty ? nil : 3, reason: "this is not XML")
        }) { map, cookie in
            for (body, text) in [
                ("", "It cannot be read: {reason}"), ("x", "It cannot be read. Line {line}: {reason}"),
            ] {
                let problem = try JSON(try await post(map, cookie, body: body).body)["problem"]
                #expect(problem?["text"]?.string == text)
                #expect(problem?["values"]?["reason"]?.string == "this is not XML")
            }
        }
    }

    @Test("only the user's page may send a file, and none that is too large, and only to a program that reads them")
    func refusals() async throws {
        let count = Mutex(0)
        let reader: PlaceFile.Reader = { _, _ throws(PlaceFile.Unreadable) in
            count.withLock { $0 += 1 }
            return PlaceFile()
        }
        try await serve(reader) { (map, cookie) async throws in
            let others: [[String: String?]] = [
                ["Origin": "https://evil.example"], ["Origin": nil], ["Sec-Fetch-Site": "cross-site"],
            ]
            for headers in others { #expect(try await post(map, cookie, headers: headers).status == 404) }
            #expect(try await post(map, nil).status == 404)
            #expect(try await post(map, cookie, headers: ["Content-Type": "text/plain"]).status == 415)
            let large = String(repeating: "x", count: WirePlaceFile.maximumFileSize + 1)
            #expect(try await post(map, cookie, body: large).status == 413)
            #expect(count.withLock(\.self) == 0)
            #expect(try await post(map, cookie).status == 200)
        }
        try await serve(nil) { (map, cookie) async throws in #expect(try await post(map, cookie).status == 404) }
        #expect(count.withLock(\.self) == 1)
    }

    @Test("long lines and texts are cut to what can be saved, whole characters at a time, and many are counted")
    func limits() throws {
        let points = (0..<12_000).map { SavedRoute.Point(.at(47 + Double($0) * 1e-5, 9)) }
        let file = PlaceFile(
            places: Array(repeating: .init(.at(47, 9), name: String(repeating: "ü", count: 150)), count: 1500),
            lines: [.init(points, note: String(repeating: "x", count: 3000))])
        let answer = WirePlaceFile(reading: [], named: "x") { _, _ throws(PlaceFile.Unreadable) in file }
        #expect(answer.places.count == 1001 && answer.places[0].name?.utf8.count == 200)
        let route = try #require(answer.routes.first)
        #expect(route.note.utf8.count == 2000 && route.within == 4)
        #expect((2001...SavedRoute.maximumCount).contains(route.points.count))
        #expect(route.points.first?.position.latitude == 47)
        #expect(route.points.last?.position.latitude == points.last?.coordinate.latitude)
        #expect(
            zip(route.points, route.points.dropFirst()).dropLast().allSatisfy { one, other in
                Coordinate.at(one.position.latitude, 9).distance(to: .at(other.position.latitude, 9)) >= 4
            })
    }
}
