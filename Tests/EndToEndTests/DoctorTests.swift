import FoundationEssentials
import Glibc
import LocationInterface
import TestSupport
import Testing

@Suite("locationctl doctor", .timeLimit(.minutes(10)))
struct DoctorTests {
    private struct Finding: Decodable {
        var identifier: String
        var severity: String
        var subject: String?
        var found: String
        var remedy: String?
    }

    /// What doctor finds with the daemon's socket and configuration, by identifier. Whether this machine's own gpsd is open
    /// to everybody, and its clock, are not for a test to say.
    private func examine(_ site: DaemonSite) async throws -> [String: Finding] {
        let result = try await site.locationctl("doctor", "--config", site.configuration, "--format", "json")
        let findings = try json(result.output, as: [Finding].self)
        #expect(result.code == (findings.contains { $0.severity == "problem" } ? 78 : 0))
        #expect(findings.allSatisfy { ($0.remedy != nil) == ["problem", "advice"].contains($0.severity) })
        return Dictionary(findings.map { ($0.identifier, $0) }) { first, _ in first }
    }

    private func site() throws -> DaemonSite {
        let site = try DaemonSite()
        try site.configure(agents: Products.locationctl)
        return site
    }

    @Test("a working installation has no findings")
    func recordedTrack() async throws {
        let daemon = try await site().start()
        let findings = try await examine(daemon.site)
        for identifier in [
            "gpsd.reachable", "receiver.fix", "service.socketFile", "service.answer", "configuration.refused",
            "configuration.writable", "client.program", "agent.program", "user.enabled", "user.agent",
            "user.authorization",
        ] {
            #expect(
                findings[identifier]?.severity == "ok", "\(identifier): \(String(describing: findings[identifier]))")
        }
        #expect(findings["service.socketUnit"]?.severity == "notChecked")

        let text = try await daemon.site.locationctl("doctor", "--config", daemon.site.configuration)
        #expect(text.isPlain)
        let lines = text.output.split(separator: "\n")
        let marks = ["  ok       ", "  advice   ", "  PROBLEM  ", "  -        ", "           "]
        let areas = ["gpsd", "Sources", "Receiver", "Clock", "Service", "Configuration", "Programs", "You"]
        #expect(lines.filter { areas.contains(String($0)) }.map(String.init) == areas)
        #expect(lines.dropLast().allSatisfy { areas.contains(String($0)) || marks.contains(String($0.prefix(11))) })
        #expect(lines.last?.hasSuffix(text.code == 0 ? "No problems found." : "found.") == true)
        try await daemon.stop()
    }

    @Test("refused, switched off, undecided and unknown programs are findings")
    func service() async throws {
        let site = try site()
        try site.declare("org.example.Undecided", executable: "/usr/bin/env", policy: [:])
        let daemon = try await site.start()
        #expect(try await examine(site)["user.agent"]?.found.contains("org.example.Undecided") == true)
        let bare = try await site.locationctl("doctor", "--format", "json")
        #expect(try json(bare.output, as: [Finding].self).contains { $0.found.contains("with --config") })

        #expect(try await site.locationctl("off").code == 0)
        #expect(try await examine(site)["user.enabled"]?.severity == "problem")
        #expect(try await site.locationctl("on").code == 0)

        try site.write("locationd.plist", list: ["Nonsense": true])
        #expect(try await site.locationctl("config", "reload").code == 78)
        let refused = try await examine(site)["configuration.refused"]
        #expect(refused?.severity == "problem")
        #expect(refused?.found.contains("refused: \(site.configuration):") == true)
        try await daemon.stop()
        let gone = try await examine(site)
        #expect(gone["service.answer"]?.severity == "problem")
        #expect(gone["service.socketFile"]?.severity == "problem")
    }

    @Test("declarations that match nothing, or the same program, are findings")
    func declarations() async throws {
        let site = try site()
        let directory = site.directory.path
        try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: directory + "/script"))
        chmod(directory + "/script", 0o755)
        symlink("/bin/sh", directory + "/link")
        for (name, executable) in [
            ("A", directory + "/script"), ("B", directory + "/link"), ("C", directory + "/none"),
            ("D", Products.locationctl),
        ] {
            try site.declare("org.example.\(name)", executable: executable)
        }
        let daemon = try await site.start()
        let result = try await site.locationctl("doctor", "--config", site.configuration, "--format", "json")
        let found = try json(result.output, as: [Finding].self).filter { $0.severity == "problem" }
        let programs = found.filter { $0.identifier == "client.program" }
        #expect(programs.map(\.subject) == ["A", "B", "C"].map { "\(directory)/clients.d/org.example.\($0).plist" })
        for (finding, words) in zip(
            programs, ["is a script: the kernel reports /bin/sh", "is a symbolic link", "does not exist"])
        {
            #expect(finding.found.contains(words))
        }
        #expect(found.contains { $0.identifier == "client.ambiguous" && $0.found.contains("org.example.D") })
        // It is one of the two, so it is none.
        #expect(found.contains { $0.identifier == "user.authorization" })
        try await daemon.stop()
    }

    @Test("--fix changes the system's service only")
    func fix() async throws {
        let site = try site()
        let result = try await site.locationctl("doctor", "--fix", "--yes")
        #expect(result.code == 1)
        #expect(result.output == "")
        #expect(result.errors.contains("the system's service"))
    }

    // MARK: gpsd

    @Test(arguments: ["127.0.0.1:1", "/nonexistent/gpsd.sock"])
    func nobodyListens(address: String) async throws {
        let daemon = try await site().start(gpsd: address)
        let findings = try await examine(daemon.site)
        #expect(findings[GPSD.isInstalled ? "gpsd.reachable" : "gpsd.installed"]?.severity == "problem")
        #expect(findings["receiver.present"]?.severity == "notChecked")
        try await daemon.stop()
    }

    /// What doctor finds with a real gpsd behind a Unix socket.
    private func examineGPSD(
        _ receiver: SerialReceiver?, _ check: (GPSD, [String: Finding]) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let gpsd = try await GPSD.overUnixSocket(in: directory, reading: receiver)
        let daemon = try await site().start(gpsd: gpsd.address)
        let findings = try await examine(daemon.site)
        #expect(findings["gpsd.reachable"]?.severity == "ok")
        try await check(gpsd, findings)
        try await gpsd.stop()
        try await daemon.stop()
    }

    @Test(.enabled(if: GPSD.isInstalled, "gpsd is not installed"))
    func aFix() async throws {
        let receiver = try await SerialReceiver()
        try await examineGPSD(receiver) { _, findings in
            #expect(findings["receiver.fix"]?.severity == "ok")
            #expect(findings["receiver.fix"]?.subject == receiver.path)
            #expect(findings["clock.receiver"]?.subject == receiver.path)
        }
    }

    @Test(.enabled(if: GPSD.isInstalled, "gpsd is not installed"))
    func noSatellites() async throws {
        try await examineGPSD(try await SerialReceiver(.noFix(satellites: 3))) { _, findings in
            #expect(findings["receiver.fix"]?.severity == "problem")
            #expect(findings["receiver.fix"]?.found.contains("it sees 3 satellites and uses 0") == true)
        }
    }

    @Test(.enabled(if: GPSD.isInstalled, "gpsd is not installed"))
    func silentReceiver() async throws {
        try await examineGPSD(try await SerialReceiver(.silent)) { _, findings in
            #expect(findings["receiver.driver"]?.severity == "problem")
        }
    }

    @Test(
        "findings without a receiver, and with more clients than gpsd accepts",
        .enabled(if: GPSD.isInstalled, "gpsd is not installed"))
    func noReceiver() async throws {
        try await examineGPSD(nil) { gpsd, findings in
            #expect(findings["receiver.present"]?.severity == "problem")
            var clients: [Wire] = []
            for _ in 0..<64 {
                let client = try await Wire.connect(to: gpsd.address, end: UInt8(ascii: "\n"))
                #expect(try await client.receive()?.contains("VERSION") == true)
                clients.append(client)
            }
            let site = try site()
            let daemon = try await site.start(gpsd: gpsd.address)
            let crowded = try await examine(site)
            #expect(crowded["gpsd.reachable"]?.found.contains("64") == true)
            for client in clients { await client.close() }
            try await daemon.stop()
        }
    }

    @Test(
        "a gpsd port that every user can connect to is a finding",
        .enabled(if: GPSD.isInstalled, "gpsd is not installed"))
    func port() async throws {
        let (directory, receiver) = (try TemporaryDirectory(), try await SerialReceiver())
        let gpsd = try await GPSD.overTCP(in: directory, reading: receiver)
        let daemon = try await site().start(gpsd: gpsd.address)
        let findings = try await examine(daemon.site)
        #expect(findings["gpsd.reachable"]?.severity == "ok")
        #expect(findings["gpsd.port"]?.found.contains(gpsd.address) == true)
        try await gpsd.stop()
        try await daemon.stop()
    }
}
