import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// `locationctl status --watch` with the real service, as a bar runs it.
@Suite("status --watch", .timeLimit(.minutes(10)))
struct StatusWatchTests {
    private struct Module: Decodable, Hashable {
        var text, alt, tooltip: String
        var `class`: String
    }

    private struct Accesses: Decodable {
        struct Access: Decodable {
            var client: String
            var displayName: String
            var accuracy: String
            var frontEnds: [String]
        }
        var accesses: [Access]
    }

    /// Runs the command with a daemon, for an agent of the user.
    private func run(
        format: String, _ name: String = "Tests", _ test: (DaemonProcess, ChildProcess) async throws -> Void
    ) async throws {
        let site = try DaemonSite()
        try site.configure(agents: Products.locationctl)
        try site.declare("org.example.Tests", executable: Products.tests, ["CFBundleDisplayName": .string(name)])
        let daemon = try await site.start()
        let watcher = try await ChildProcess(
            [Products.locationctl, "status", "--watch", "--format", format],
            environment: ["LOCATIOND_SOCKET": daemon.site.socket])
        try await test(daemon, watcher)
        watcher.signal(SIGTERM)
        _ = try await watcher.exitCode()
        _ = try await daemon.stop()
    }

    private func line<Value: Decodable>(_ type: Value.Type, _ watcher: ChildProcess) async throws -> Value {
        try json(try #require(await watcher.output.receive()), as: type)
    }

    @Test("a program that receives the location is one line for waybar, its end another, with none between")
    func waybar() async throws {
        try await run(format: "waybar", "<b>Tests & more</b>") { daemon, watcher in
            let idle = try await line(Module.self, watcher)
            #expect(idle.text == "" && idle.alt == "idle" && idle.class == "idle")
            #expect(idle.tooltip == "No program is using your location.")
            let client = try await daemon.site.subscribe()
            let active = try await line(Module.self, watcher)
            #expect(active.text == "&lt;b&gt;Tests &amp; more&lt;/b&gt;")
            #expect(active.alt == "active" && active.class == "active")
            #expect(active.tooltip.hasPrefix("&lt;b&gt;Tests &amp; more&lt;/b&gt;: exact location, since "))
            try await client.expectWhole(locations: 20)
            await client.close()
            #expect(try await line(Module.self, watcher) == idle)
        }
    }

    @Test("no event reaches the command while locations arrive and the same programs receive them")
    func sleeps() async throws {
        try await run(format: "json") { daemon, watcher in
            #expect(try await line(Accesses.self, watcher).accesses.isEmpty)
            let client = try await daemon.site.subscribe()
            let access = try #require(try await line(Accesses.self, watcher).accesses.first)
            #expect(access.client == "org.example.Tests" && access.displayName == "Tests")
            #expect(access.accuracy == "full" && access.frontEnds == ["Varlink"])
            let other = try await daemon.site.subscribe()
            // Seven seconds: what its calls have left behind, and the timers of closed connections, is over by then.
            try await client.expectWhole(locations: 140)
            let before = try ProcessUsage(of: watcher.processID)
            // Six seconds: longer than the interval at which history is written.
            try await client.expectWhole(locations: 120)
            let after = try ProcessUsage(of: watcher.processID)
            #expect(after.wakeUpsOfLoops == before.wakeUpsOfLoops)
            await other.close()
            await client.close()
            #expect(try await line(Accesses.self, watcher).accesses.isEmpty)
        }
    }

    @Test("it connects to the next service after a restart")
    func restart() async throws {
        try await run(format: "json") { daemon, watcher in
            #expect(try await line(Accesses.self, watcher).accesses.isEmpty)
            let client = try await daemon.site.subscribe()
            #expect(try await line(Accesses.self, watcher).accesses.count == 1)
            _ = try await daemon.stop()
            #expect(try await line(Accesses.self, watcher).accesses.isEmpty)
            await client.close()
            let next = try await daemon.site.start()
            let again = try await next.site.subscribe()
            #expect(try await line(Accesses.self, watcher).accesses.count == 1)
            await again.close()
            _ = try await next.stop()
        }
    }

    @Test("a program that is not an agent of its user gets the reason, and waybar alone needs --watch")
    func refusals() async throws {
        let result = try await ChildProcess.run([Products.locationctl, "status", "--format", "waybar"])
        #expect(result.code == 64)
        #expect(result.errors.contains("--format waybar is for --watch."))
    }
}
