import DaemonTestSupport
import LinuxPlumbing
import LocationConfiguration
import LocationPolicy
import NIOCore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// A service manager that records what it is asked to start, and answers when the test wants.
///
/// `@unchecked Sendable` because everything is used on the daemon's loop only.
final class ScriptedUnitStarter: UnitStarting, @unchecked Sendable {
    private(set) var started: [String] = []
    private var completions: [(Result<Void, BusFailure>) -> Void] = []

    func start(_ unit: String, completion: @escaping (Result<Void, BusFailure>) -> Void) {
        started.append(unit)
        completions.append(completion)
    }

    func close() { completions = [] }

    func answer(_ result: Result<Void, BusFailure>) {
        let answered = completions
        completions = []
        for completion in answered { completion(result) }
    }
}

/// Programs that have an event to receive and are not connected.
@Suite("Starting programs", .timeLimit(.minutes(10)))
struct LaunchTests {
    private static let refusal = BusFailure(name: "org.freedesktop.DBus.Error.AccessDenied", text: "Permission denied")

    private static func declaration(_ launch: LaunchUnit?, _ identifier: String = "org.example.App")
        -> ClientDeclaration
    {
        var declaration = ClientDeclaration.example(identifier)
        declaration.launch = launch
        return declaration
    }

    private func run(
        _ launch: LaunchUnit?, _ test: (DaemonUnderTest, ScriptedUnitStarter, any Peer) async throws -> Void
    ) async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [Self.declaration(launch)]) { daemon in
            let starter = ScriptedUnitStarter()
            try await daemon.onLoop { $0.setUnitStarter(starter) }
            // A client is known while it is connected.
            let peer = try await daemon.subscribe()
            try await test(daemon, starter, peer)
        }
    }

    private func start(_ daemon: DaemonUnderTest) async throws {
        try await daemon.onLoop { core in
            if let client = core.directory.known("org.example.App", of: 4242) { core.launcher.start(client) }
        }
    }

    private func connect(_ daemon: DaemonUnderTest) async throws {
        try await daemon.onLoop { core in
            if let client = core.directory.known("org.example.App", of: 4242) {
                core.launcher.programConnected(client)
            }
        }
    }

    private func expect(_ count: Int, _ daemon: DaemonUnderTest, _ starter: ScriptedUnitStarter) async throws {
        #expect(try await daemon.onLoop { _ in starter.started }.count == count)
    }

    @Test("the declared system unit is started, and once for many events")
    func systemUnitIsStartedOnce() async throws {
        try await run(.system("weather.service")) { daemon, starter, _ in
            for _ in 0..<100 { try await start(daemon) }
            try await daemon.onLoop { _ in starter.answer(.success(())) }
            #expect(try await daemon.onLoop { _ in starter.started } == ["weather.service"])
            #expect(
                daemon.log.lines.count { $0.contains("Started weather.service for org.example.App of user 4242") } == 1)
        }
    }

    @Test("a client whose declaration names no unit, or no longer does, is not started")
    func undeclaredUnitIsNotStarted() async throws {
        try await run(nil) { daemon, starter, _ in
            try await start(daemon)
            try await expect(0, daemon, starter)
        }
        try await run(.system("weather.service")) { daemon, starter, _ in
            try await start(daemon)
            try await daemon.onLoop { _ in starter.answer(.success(())) }
            // Put off, and no longer declared when its time has come.
            try await start(daemon)
            try await daemon.reload { $0.clients = [Self.declaration(nil)] }
            await daemon.turnClock(by: .hours(2))
            try await expect(1, daemon, starter)
        }
    }

    @Test("a program that connects is started again after ten seconds, and one that does not at growing intervals")
    func startsArePaced() async throws {
        try await run(.system("weather.service")) { daemon, starter, _ in
            try await start(daemon)
            var count = 1
            for seconds in [10, 20, 40, 80] as [Int64] {
                try await daemon.onLoop { _ in starter.answer(.success(())) }
                try await start(daemon)
                await daemon.turnClock(by: .seconds(seconds - 1))
                try await expect(count, daemon, starter)
                await daemon.turnClock(by: .seconds(1))
                count += 1
                try await expect(count, daemon, starter)
            }
            try await daemon.onLoop { _ in starter.answer(.success(())) }
            try await connect(daemon)
            try await start(daemon)
            await daemon.turnClock(by: .seconds(9))
            try await expect(count, daemon, starter)
            await daemon.turnClock(by: .seconds(1))
            try await expect(count + 1, daemon, starter)
        }
    }

    @Test("a program that connects before its start was requested is not started")
    func connectedProgramIsNotStarted() async throws {
        try await run(.system("weather.service")) { daemon, starter, _ in
            try await start(daemon)
            try await daemon.onLoop { _ in starter.answer(.success(())) }
            try await start(daemon)
            try await connect(daemon)
            await daemon.turnClock(by: .hours(2))
            try await expect(1, daemon, starter)
        }
    }

    @Test("a refusal is logged once with its remedy, and the next event starts the program again")
    func refusalIsLoggedOnce() async throws {
        try await run(.system("weather.service")) { daemon, starter, _ in
            for _ in 0..<3 {
                try await start(daemon)
                try await daemon.onLoop { _ in starter.answer(.failure(Self.refusal)) }
                await daemon.turnClock(by: .hours(1))
            }
            try await expect(3, daemon, starter)
            let lines = daemon.log.lines.filter { $0.contains("could not be started") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains("Permission denied. Its events wait for its next connection.") == true)
            #expect(lines.first?.contains("run: sudo locationctl doctor") == true)
        }
    }

    @Test("a user unit is started by an agent of its user: not by another user’s, and by one that registers later")
    func userUnitIsStartedByItsAgent() async throws {
        try await run(.user("weather.service")) { daemon, starter, _ in
            let other = try await daemon.register(as: .example("/usr/bin/locationctl", user: 4343))
            for _ in 0..<3 { try await start(daemon) }
            #expect(try await other.receive() == nil)
            let said = daemon.log.lines.filter { $0.contains("is not started for org.example.App before an agent") }
            #expect(said.count == 1)
            let agent = try await daemon.register()
            try await agent.expect(#"{"parameters":{"start":"weather.service"},"continues":true}"#)
            let second = try await daemon.register()
            #expect(try await second.receive() == nil)
            #expect(try await other.receive() == nil)
            try await expect(0, daemon, starter)
        }
    }

    @Test("an agent for the prompts of its own program starts nothing")
    func fallbackAgentStartsNothing() async throws {
        let own = ClientDeclaration.example("org.example.Own", executable: "/usr/bin/locationctl")
        try await DaemonUnderTest.run(.inProcess, clients: [Self.declaration(.user("weather.service")), own]) {
            daemon in
            _ = try await daemon.subscribe()
            let fallback = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            try await fallback.call("Agent.Register", #"{"isFallback":true}"#, more: true)
            try await start(daemon)
            #expect(try await fallback.receive() == nil)
            #expect(daemon.log.lines.contains { $0.contains("before an agent of the user runs") })
        }
    }
}
