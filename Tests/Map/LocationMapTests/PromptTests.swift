import Glibc
import LocationModel
import TestSupport
import Testing

@testable import LocationMap

/// The map program with a real service: its own question is answered in the page.
@Suite("Map program with the service", .timeLimit(.minutes(10)))
@MainActor
struct PromptTests {
    /// A page of a map program that asks the daemon of `site`.
    private func start(_ site: DaemonSite, _ data: TemporaryDirectory) async throws -> ExampleTests.Visitor {
        let process = try await ChildProcess(
            [Products.locationctlMap, "--socket", site.socket], environment: ["LOCATIOND_MAP_DATA": data.path])
        let address = try #require(try await process.output.receive())
        return try await ExampleTests.Visitor(address: address, process: process)
    }

    @Test("a declared map with permission shows the user's location, ten times a second, and follows")
    func located() async throws {
        let (site, data) = (try DaemonSite(), try makeMapData())
        try site.declare("org.locationd.map", executable: Products.locationctlMap)
        let daemon = try await site.start()
        let visitor = try await start(site, data)
        let state = try await visitor.stream.next("state")
        #expect(state["tracking"]?["mode"]?.string == "follow", "nothing else to show")
        var times: [Double] = []
        while times.count < 10 {
            let user = try await visitor.stream.next("user")
            guard user["status"]?.string == "located" else { continue }
            let position = (user["position"]?.array ?? []).compactMap(\.number)
            try #require(position.count == 2)
            #expect(abs(position[0] - DaemonSite.longitude) < 0.01 && abs(position[1] - DaemonSite.latitude) < 0.01)
            times.append(try #require(user["at"]?.number))
        }
        #expect(times == times.sorted())
        visitor.process.signal(SIGTERM)
        #expect(try await visitor.process.exitCode() == 0)
        try await daemon.stop()
    }

    @Test(
        "the service's prompt is shown in the page, and the answer counts",
        arguments: ["dontAllow", "allowWhileUsing"])
    func prompt(choice: String) async throws {
        let (site, data) = (try DaemonSite(), try makeMapData())
        try site.declare("org.locationd.map", executable: Products.locationctlMap, policy: [:])
        try site.configure(agents: Products.locationctlMap)
        let daemon = try await site.start()
        let visitor = try await start(site, data)
        let state = try await visitor.stream.next("state")
        var prompt = state["prompt"]
        if prompt == nil { prompt = try await visitor.stream.next("prompt") { $0["prompt"] != nil }["prompt"] }
        let question = try #require(prompt)
        #expect(question["title"]?.string == "Allow {name} to use your location?")
        #expect(question["client"]?.string == "org.locationd.map")
        #expect(question["reason"]?.string == "For a test.")
        let choices = question["choices"]?.array ?? []
        #expect(choices.contains { $0["choice"]?.string == choice })
        let page = try #require(state["page"]?.string)
        let id = Int(try #require(question["id"]?.number))
        try await visitor.post(page, #"{"type":"answer","prompt":\#(id),"choice":"\#(choice)"}"#)
        let expected = choice == "dontAllow" ? ["denied"] : ["located", "suspended"]
        _ = try await visitor.stream.next("user") { expected.contains($0["status"]?.string ?? "") }
        visitor.process.signal(SIGTERM)
        #expect(try await visitor.process.exitCode() == 0)
        try await daemon.stop()
    }
}
