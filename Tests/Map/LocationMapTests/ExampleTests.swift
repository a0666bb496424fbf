import Glibc
import LocationModel
import TestSupport
import Testing

@testable import LocationMap

/// The ports of the examples for MapKit run, and show what they promise. In a browser the tests of the page look at them.
@Suite("Examples", .timeLimit(.minutes(10)))
@MainActor
struct ExampleTests {
    /// Runs an example, and looks at what it tells a page.
    private func run(_ name: String, _ body: @MainActor (JSON, Visitor) async throws -> Void) async throws {
        let data = try makeMapData()
        let process = try await ChildProcess(
            [Products.directory + "/MapExamples", name],
            environment: ["LOCATIOND_MAP_DATA": data.path, "LOCATIOND_SOCKET": data.path + "/none"])
        let address = try await process.output.receive()
        let visitor = try await Visitor(address: try #require(address), process: process)
        let state = try await visitor.stream.next("state")
        try await body(state, visitor)
        await visitor.stream.wire.close()
        process.signal(SIGTERM)
        #expect(try await process.exitCode() == 0)
    }

    /// A page of a program that runs.
    @MainActor
    struct Visitor {
        let process: ChildProcess
        let stream: EventStream
        private let port: Int
        private let root: String
        private let cookie: String

        init(address: String, process: ChildProcess) async throws {
            self.process = process
            let parts = address.split(separator: "/").map(String.init)
            port = try #require(Int(parts[1].split(separator: ":")[1]))
            root = "/\(parts[2])/"
            let entry = ServedMap.text("GET", root + "enter/\(parts[4])", port: port, cookie: nil)
            let answer = try await HTTPAnswer.of(port: port, entry)
            cookie = String(try #require(answer.headers["set-cookie"]).prefix { $0 != ";" })
            let wire = try await Wire.connect(toPort: port)
            await wire.send(ServedMap.text("GET", root + "events", port: port, cookie: cookie, close: false))
            #expect(try await HTTPAnswer.head(from: wire).status == 200)
            stream = EventStream(wire: wire)
        }

        func post(_ page: String, _ messages: String) async throws {
            let body = #"{"page":"\#(page)","messages":[\#(messages)]}"#
            let text = ServedMap.text("POST", root + "messages", port: port, cookie: cookie, body: body)
            #expect(try await HTTPAnswer.of(port: port, text).status == 204)
        }

        func get(_ path: String) async throws -> HTTPAnswer {
            try await HTTPAnswer.of(port: port, ServedMap.text("GET", root + path, port: port, cookie: cookie))
        }
    }

    @Test("add a map")
    func addAMap() async throws {
        try await run("add-a-map") { state, _ in
            let center = (state["camera"]?["center"]?.array ?? []).compactMap(\.number)
            try #require(center.count == 2)
            #expect(abs(center[0] + 157.83) < 0.01 && abs(center[1] - 21.28) < 0.01)
        }
    }

    @Test("a pin with a callout and a button")
    func callout() async throws {
        try await run("callout") { state, visitor in
            let view = try #require(state["views"]?.array.first)
            #expect(view["callout"]?["title"]?.string == "King David Kalakaua")
            #expect(view["callout"]?["right"]?["symbol"]?.string == "info")
            let page = try #require(state["page"]?.string)
            let id = try #require(view["id"]?.string)
            try await visitor.post(
                page, #"{"type":"select","id":"\#(id)"},{"type":"accessory","id":"\#(id)","side":"right"}"#)
            #expect(try await visitor.process.output.receive() == "King David Kalakaua, a sculpture")
        }
    }

    @Test("images of the program's own, one of which can be dragged")
    func ownImages() async throws {
        try await run("own-images") { state, visitor in
            let views = try #require(state["views"]?.array)
            #expect(Set(views.map { $0["isDraggable"]?.bool }) == [true, false])
            let path = try #require(views[0]["image"]?.string)
            let image = try await visitor.get(path)
            #expect(image.status == 200 && image.body.hasPrefix("<svg"))
            let id = try #require(views.first { $0["isDraggable"]?.bool == true }?["id"]?.string)
            let drag = #"{"type":"drag","id":"\#(id)","position":[-122.5,37.5],"state":"#
            let page = try #require(state["page"]?.string)
            try await visitor.post(page, drag + #""start"},"# + drag + #""end"}"#)
            #expect(try await visitor.process.output.receive() == "Bay Bridge is at 37.5, -122.5")
        }
    }

    @Test("a circle")
    func circle() async throws {
        try await run("circle") { state, _ in
            let overlay = try #require(state["overlays"]?.array.first)
            #expect(overlay["geometry"]?["type"]?.string == "Polygon")
            #expect(overlay["dash"]?.array.count == 2)
        }
    }

    @Test("bikes of two kinds that cluster into pies")
    func bikes() async throws {
        try await run("bikes") { state, visitor in
            let views = try #require(state["views"]?.array)
            let clusters = views.filter { $0["members"] != nil }
            #expect(!clusters.isEmpty)
            let count = views.reduce(0) { $0 + Int($1["members"]?.number ?? 1) }
            #expect(count == 200, "every bike is on the map or in a pie")
            for cluster in clusters.prefix(3) {
                let path = try #require(cluster["image"]?.string)
                let pie = try await visitor.get(path)
                #expect(pie.body.contains("<text") && pie.body.contains(">\(Int(cluster["members"]?.number ?? 0))<"))
            }
        }
    }

    @Test("compass, scale and tracking button placed elsewhere and in a bar")
    func bar() async throws {
        try await run("bar") { state, visitor in
            let controls = Dictionary(
                uniqueKeysWithValues: (state["controls"]?.array ?? []).map {
                    ($0["kind"]?.string, $0["placement"]?.string)
                })
            #expect(controls == ["compass": "topLeading", "scale": "top", "tracking": "bar", "mapType": "bar"])
            let page = try #require(state["page"]?.string)
            try await visitor.post(page, #"{"type":"button","control":"tracking"}"#)
            #expect(try await visitor.process.output.receive() == "The map's tracking mode is follow.")
        }
    }
}
