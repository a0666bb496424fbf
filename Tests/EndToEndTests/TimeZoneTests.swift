import TestSupport
import Testing

/// `locationctl get --time-zone`, with the grid that `make time-zones` makes.
@Suite("The time zone of the location", .timeLimit(.minutes(10)))
struct TimeZoneTests {
    private func get(at position: [String], _ options: String...) async throws -> ChildProcess.Result {
        let site = try DaemonSite(["GPSD": ["Socket": "/nonexistent/gpsd.sock"]])
        let daemon = try await site.start(replay: [])
        let environment = ["LOCATIOND_SOCKET": site.socket]
        let set = try await ChildProcess.run(
            [Products.locationctl, "sources", "fixed", "set"] + position + ["--config", site.configuration],
            environment: environment)
        #expect(set.code == 0, "\(set.errors)")
        let result = try await ChildProcess.run(
            [Products.locationctl, "get", "--time-zone"] + options, environment: environment)
        try await daemon.stop()
        return result
    }

    @Test("the name of the zone is printed alone, for scripts, and as JSON") func printsTheName() async throws {
        let text = try await get(at: ["-33.87", "151.21"])
        #expect((text.code, text.output, text.errors) == (0, "Australia/Sydney\n", ""))
        let json = try await get(at: ["-33.87", "151.21"], "--format", "json")
        #expect((json.code, json.output) == (0, "{\"timeZone\":\"Australia/Sydney\"}\n"))
    }

    @Test("an undecided zone is explained in words, and fails") func saysWhatIsUndecided() async throws {
        let border = try await get(at: ["52.342", "14.52", "--accuracy", "5000"])
        // Their clocks show the same time.
        #expect((border.code, border.output) == (0, "Europe/Berlin\n"))
        let clocks = try await get(at: ["54.1", "22.9", "--accuracy", "40000"])
        #expect((clocks.code, clocks.output) == (1, ""))
        #expect(
            clocks.errors.hasPrefix(
                "The time zone cannot be decided: your location is near a border, and may be in any of "))
        #expect(clocks.errors.contains("Europe/Vilnius, Europe/Warsaw"))
        let sea = try await get(at: ["0", "-30"])
        #expect((sea.code, sea.output) == (1, ""))
        #expect(sea.errors.contains("your location is at sea or in Antarctica"))
        let vague = try await get(at: ["52.5", "13.4", "--accuracy", "60000"])
        #expect((vague.code, vague.output) == (1, ""))
        #expect(vague.errors.contains("your location is accurate to more than 50 km"))
    }

    @Test("options that do not go together are refused", arguments: [["--place"], ["--format", "geojson"]])
    func refusesOptions(options: [String]) async throws {
        let result = try await ChildProcess.run([Products.locationctl, "get", "--time-zone"] + options)
        #expect(result.code == 64)
        #expect(result.errors.contains("--time-zone"))
    }
}
