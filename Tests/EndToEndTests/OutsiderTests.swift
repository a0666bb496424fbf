import FoundationEssentials
import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing

/// The library's product in a program that imports nothing else of this project, against the real service: what
/// `Tests/Outsider` hears is what it prints.
@Suite("A program outside the package", .timeLimit(.minutes(10)))
struct OutsiderTests {
    private static let client = "org.example.Outsider"

    /// The program, declared, with `locationctl` as the only agent.
    private func makeSite(
        policy: PropertyList = ["PresetAuthorization": "always"], _ more: PropertyList = [:], promptTimeout: Int = 60
    ) throws -> DaemonSite {
        let site = try DaemonSite()
        try site.declare(
            Self.client, executable: Products.outsider,
            policy: policy, ["NSLocationAlwaysAndWhenInUseUsageDescription": "For a long test."] + more)
        try site.configure(["PromptTimeout": .integer(promptTimeout)], agents: Products.locationctl)
        return site
    }

    private func start(_ command: String, at site: DaemonSite) async throws -> ChildProcess {
        try await ChildProcess([Products.outsider, command], environment: ["LOCATIOND_SOCKET": site.socket])
    }

    /// Waits for a line. Those before it are passed over.
    private func wait(for line: String, from program: ChildProcess) async throws {
        var passed: [String] = []
        while let next = try await program.output.receive() {
            if next == line { return }
            passed.append(next)
        }
        Issue.record("it ended without the line “\(line)”: \(passed)")
    }

    private func end(_ program: ChildProcess, _ daemon: DaemonProcess) async throws {
        program.signal(SIGTERM)
        _ = try await program.exitCode()
        try await daemon.stop()
    }

    @Test("authorizationUpdates continues after the service was killed, and reports the state in force")
    func authorizationUpdates() async throws {
        let site = try makeSite(policy: [:])
        var daemon = try await site.start()
        let program = try await start("authorization", at: site)
        try await wait(for: "notDetermined full", from: program)
        #expect(try await site.locationctl("allow", "--always", Self.client).code == 0)
        try await wait(for: "authorizedAlways full", from: program)
        for (command, status) in [(["deny"], "denied full"), (["allow", "--always"], "authorizedAlways full")] {
            daemon.process.signal(SIGKILL)
            _ = try await daemon.process.exitCode()
            daemon = try await site.start()
            #expect(
                try await ChildProcess.run(
                    [Products.locationctl] + command + [Self.client, "--socket", site.socket]
                ).code == 0)
            try await wait(for: status, from: program)
        }
        #expect(try await site.locationctl("accuracy", Self.client, "reduced").code == 0)
        try await wait(for: "authorizedAlways reduced", from: program)
        try await end(program, daemon)
    }

    @Test("a denial and each switch are distinguished, and locationServicesEnabled reports which switch is off")
    func diagnostics() async throws {
        let site = try makeSite(policy: [:])
        let daemon = try await site.start()
        #expect(try await site.locationctl("allow", "--always", Self.client).code == 0)
        let program = try await start("live", at: site)
        func enabled() async throws -> String {
            try await ChildProcess.run([Products.outsider, "enabled"], environment: ["LOCATIOND_SOCKET": site.socket])
                .output
        }
        #expect(try await enabled() == "enabled: true\n")
        for (switches, reason) in [([], "servicesOffForUser"), (["--system"], "servicesOffForMachine")] {
            for command in ["off", "on"] {
                let result = try await ChildProcess.run(
                    [Products.locationctl, command, "--socket", site.socket] + switches)
                #expect(result.code == 0)
                #expect(try await enabled() == "enabled: \(command == "on")\n")
                guard command == "off" else { continue }
                try await wait(for: "authorizationDenied: \(reason)", from: program)
                try await wait(for: "denied globally", from: program)
            }
        }
        #expect(try await site.locationctl("deny", Self.client).code == 0)
        try await wait(for: "authorizationDenied: deniedByUser", from: program)
        try await end(program, daemon)
    }

    @Test("headingUpdates has the compass and nothing else")
    func headings() async throws {
        let site = try makeSite()
        let lines = (0..<600).map { index in
            let time = "2026-01-01T00:\("\(100 + index / 60)".dropFirst()):\("\(100 + index % 60)".dropFirst()).000Z"
            return #"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(time)","lat":1.5,"lon":2.5,"eph":8.0}"# + "\n"
                + #"{"class":"ATT","device":"/dev/a","time":"\#(time)","heading":\#(90 + index % 2).0}"#
        }
        try lines.joined(separator: "\n").write(toFile: site.track, atomically: true, encoding: .utf8)
        let daemon = try await site.start(replay: ["--replay", site.track, "--speed", "20"])
        let program = try await start("headings", at: site)
        for _ in 0..<4 {
            #expect(try await program.output.receive()?.hasPrefix("heading 9") == true)
        }
        try await end(program, daemon)
    }

    @Test("each of the accuracies can be requested")
    func accuracies() async throws {
        let site = try makeSite()
        let daemon = try await site.start()
        let result = try await ChildProcess.run(
            [Products.outsider, "accuracies"], environment: ["LOCATIOND_SOCKET": site.socket])
        let lines = result.output.split(separator: "\n").map { $0.split(separator: ": ").compactMap { Double($0) } }
        #expect(lines.map(\.first) == [0, 10, 100, 1000, 3000], "\(result)")
        #expect(lines.allSatisfy { $0.count == 2 && $0[1] < 10 }, "\(result)")
        try await daemon.stop()
    }

    @Test(
        "a service session opens a prompt, survives a restart of the service meanwhile, and follows the decisions")
    func session() async throws {
        let site = try makeSite(policy: [:])
        var daemon = try await site.start()
        let program = try await start("session-always", at: site)
        try await wait(for: "notDetermined: request in progress", from: program)
        daemon.process.signal(SIGKILL)
        _ = try await daemon.process.exitCode()
        daemon = try await site.start()
        let agent = try await TerminalProcess(
            [Products.locationctl, "agent"], environment: ["LOCATIOND_SOCKET": site.socket])
        _ = try await agent.lines(upTo: "Your choice, 1 to 3:")
        await agent.type("1")
        try await wait(for: "authorizedAlways: ", from: program)
        for (command, line) in [
            (["allow", Self.client], "authorizedWhenInUse: always denied"), (["deny", Self.client], "denied: denied"),
            (["off"], "denied: denied, denied globally"),
        ] {
            #expect(
                try await ChildProcess.run(
                    [Products.locationctl] + command + ["--socket", site.socket]
                ).code == 0)
            try await wait(for: line, from: program)
        }
        agent.signal(SIGINT)
        _ = try await agent.exitCode()
        try await end(program, daemon)
    }

    @Test("a session whose prompt no agent could show opens it again after a restart of the service")
    func sessionWithoutAgent() async throws {
        let site = try makeSite(policy: [:])
        var daemon = try await site.start()
        let program = try await start("session-always", at: site)
        try await wait(for: "notDetermined: unanswered", from: program)
        daemon.process.signal(SIGKILL)
        _ = try await daemon.process.exitCode()
        daemon = try await site.start()
        try await wait(for: "notDetermined: unanswered", from: program)
        let agent = try await TerminalProcess(
            [Products.locationctl, "agent"], environment: ["LOCATIOND_SOCKET": site.socket])
        _ = try await agent.lines(upTo: "Your choice, 1 to 3:")
        await agent.type("1")
        try await wait(for: "authorizedAlways: ", from: program)
        agent.signal(SIGINT)
        _ = try await agent.exitCode()
        try await end(program, daemon)
    }

    @Test("an unanswered session reports that and continues")
    func unansweredSession() async throws {
        let site = try makeSite(policy: [:], promptTimeout: 5)
        let daemon = try await site.start()
        let program = try await start("session", at: site)
        try await wait(for: "notDetermined: unanswered", from: program)
        #expect(try await site.locationctl("allow", "--always", Self.client).code == 0)
        try await wait(for: "authorizedAlways: ", from: program)
        try await end(program, daemon)
    }

    @Test("a text that a session requires and the declaration lacks is named")
    func missingText() async throws {
        let site = try makeSite(["NSLocationDefaultAccuracyReduced": true])
        let daemon = try await site.start()
        let program = try await start("session", at: site)
        try await wait(for: "authorizedAlways: full accuracy denied", from: program)
        let error = try #require(try await program.output.receive())
        #expect(
            error.hasPrefix("error: ") && error.contains("NSLocationTemporaryUsageDescriptionDictionary"), "\(error)")
        #expect(try await program.exitCode() == 0)
        try await daemon.stop()
    }

    @Test(
        "the lists in the library's documentation match what was compiled",
        arguments: ["LocationClient", "LocationMap"])
    func listings(module: String) async throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Outsider")
        let program = module == "LocationMap" ? "MapOutsider" : "Outsider"
        let kept = try Data(contentsOf: directory.appending(path: "Sources/\(program)/Listings.swift"))
        let now = try await ChildProcess.run(
            ["/usr/bin/env", "python3", "-B", directory.appending(path: "listings").path, module])
        #expect(now.output == String(decoding: kept, as: UTF8.self), "make listings renews it: \(now.errors)")
    }

    @Test(
        "the tables of names match what was compiled, and each old name that the compiler reports",
        arguments: [
            ("CoreLocation", "page", "../../Sources/Client/LocationClient/LocationClient.docc/NamesOfCoreLocation.md"),
            ("CoreLocation", "program", "Sources/Outsider/Names.swift"),
            ("MapKit", "page", "../../Sources/Map/LocationMap/LocationMap.docc/NamesOfMapKit.md"),
            ("MapKit", "program", "Sources/MapOutsider/Names.swift"),
        ])
    func names(framework: String, kind: String, file: String) async throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Outsider")
        let kept = try Data(contentsOf: directory.appending(path: file))
        let now = try await ChildProcess.run(
            ["/usr/bin/env", "python3", "-B", directory.appending(path: "names").path, framework, kind])
        #expect(now.output == String(decoding: kept, as: UTF8.self), "make listings renews it: \(now.errors)")
    }
}
