import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("Output of locationctl", .timeLimit(.minutes(10)))
struct PlainOutputTests {
    static let commands: [[String]] = [
        ["get"], ["get", "--coordinates", "dms"], ["get", "--format", "json"], ["watch", "--count", "1"],
        ["follow", "--count", "1"], ["follow", "--count", "1", "--format", "json"], ["clients"],
        ["clients", "--format", "json"], ["allow", "org.example.Tür"], ["deny", "org.example.Tests"],
        ["reset", "org.example.Tests"], ["accuracy", "org.example.Tests", "reduced"], ["off"], ["on"], ["history"],
        ["history", "--format", "json"], ["explain", "org.locationd.locationctl"], ["explain", "1"],
        ["agent", "prompts"],
        ["agent", "answer", "7", "allow"], ["status"], ["doctor"], ["doctor", "--format", "json"],
        ["config", "check", "/ü"],
        ["config", "reload"], ["track", "/ü"], ["search", "Tür"], ["map", "list"], ["agent"], ["tür"], ["--help"],
        ["help", "get"], ["help", "watch"], ["help", "follow"], ["help", "map"], ["help", "search"], ["help", "track"],
        ["help", "clients"], ["help", "clients", "add"], ["help", "allow"], ["help", "deny"], ["help", "reset"],
        ["help", "accuracy"], ["help", "off"], ["help", "on"], ["help", "history"], ["help", "explain"],
        ["help", "agent"], ["help", "agent", "prompts"], ["help", "agent", "answer"], ["help", "status"],
        ["help", "config"],
        ["help", "config", "check"], ["help", "config", "set"], ["help", "doctor"],
    ]

    @Test("under LANG=C every command prints ASCII")
    func ascii() async throws {
        let site = try DaemonSite()
        try site.configure(agents: Products.locationctl)
        try site.declare("org.example.Door", executable: "/usr/bin/true", ["CFBundleDisplayName": "Tür"])
        let daemon = try await site.start()
        for command in Self.commands {
            let result = try await ChildProcess.run(
                [Products.locationctl] + command,
                environment: ["LOCATIOND_SOCKET": site.socket, "LANG": "C", "LC_ALL": "C"])
            let others = (result.output + result.errors).unicodeScalars.filter { !$0.isASCII }
            #expect(others.isEmpty, "\(command): \(result.output)\(result.errors)")
            #expect(!(result.output + result.errors).isEmpty, "\(command)")
        }
        _ = try await daemon.stop()
    }

    @Test("units and notation come from the option, the setting or the locale, and JSON stays metric")
    func units() async throws {
        try await DaemonSite.run { daemon in
            let home = daemon.site.directory.path + "/config"
            func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> String {
                var variables = environment
                variables["LOCATIOND_SOCKET"] = daemon.site.socket
                variables["XDG_CONFIG_HOME"] = home
                let result = try await ChildProcess.run([Products.locationctl] + arguments, environment: variables)
                #expect(result.code == 0, "\(result)")
                return result.output
            }
            #expect(try await run("get").contains("altitude   101 m above"))
            #expect(try await run("get", "--units", "imperial").contains("altitude   330 ft above"))
            #expect(try await run("get", environment: ["LC_ALL": "en_US.UTF-8"]).contains("330 ft"))
            #expect(
                try await run("config", "set", "units", "nautical").hasPrefix("units = nautical, in \(home)/locationd/")
            )
            _ = try await run("config", "set", "coordinates", "ddm")
            let text = try await run("watch", "--count", "1")
            #expect(text.contains("12° 20.") && text.contains("′ N, 098° 45.") && text.contains("330 ft"), "\(text)")
            #expect(try await run("get", "--units", "metric").contains("101 m above"))
            #expect(try await run("get", "--format", "json").contains(#""altitude":100.5"#))
        }
    }

    @Test("times are local, with --utc in UTC, and in JSON always in UTC")
    func times() async throws {
        try await DaemonSite.run { daemon in
            func run(_ arguments: String...) async throws -> String { try await run(arguments) }
            func run(_ arguments: [String]) async throws -> String {
                let result = try await ChildProcess.run(
                    [Products.locationctl] + arguments,
                    environment: ["LOCATIOND_SOCKET": daemon.site.socket, "TZ": "XXX-5:45"])
                #expect(result.code == 0, "\(result)")
                return result.output
            }
            let point = #"<trkpt lat="47" lon="9"><time>2026-11-21T20:30:00Z</time></trkpt>"#
            let track = daemon.site.directory.path + "/way.gpx"
            try "<gpx><trk><trkseg>\(point)</trkseg></trk></gpx>".write(
                toFile: track, atomically: true, encoding: .utf8)
            #expect(try await run("track", track).contains("from      2026-11-22 02:15:00\n"))
            #expect(try await run("track", "--utc", track).contains("from      2026-11-21 20:30:00Z\n"))
            #expect(try await run("track", track, "--format", "json").contains(#""start":"2026-11-21T20:30:00.000Z""#))
            // The times of the replayed track are those of its playing.
            let (utc, local) = (try await run("get", "--utc"), try await run("get"))
            #expect(utc.contains(/time +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\n/), "\(utc)")
            #expect(local.contains(/time +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n/), "\(local)")
            for command in [["watch", "--count", "1"], ["follow", "--count", "1"]] {
                #expect(try await run(command + ["--utc"]).contains(#/^\d\d:\d\d:\d\d(\.\d+)?Z /#))
                #expect(try await run(command).contains(#/^\d\d:\d\d:\d\d(\.\d+)? /#))
            }
            #expect(try await run("history", "--utc").contains(/\d\d:\d\d:\d\dZ/))
            #expect(try await !run("clients").contains(/\d\d:\d\d:\d\dZ/))
            #expect(try await run("clients", "list", "--utc").contains(/\d\d:\d\d:\d\dZ/))
            #expect(try await run("history", "--since", "2000-01-01 00:00").contains("org.locationd.locationctl"))
        }
    }

    @Test("no table is wider than the terminal", arguments: ["clients", "history", "rules", "status"])
    func terminalWidth(command: String) async throws {
        let site = try DaemonSite()
        try site.configure(agents: Products.locationctl)
        try site.declare("org.example.\(String(repeating: "x", count: 60))", executable: "/usr/bin/true")
        let daemon = try await site.start()
        _ = try await site.locationctl("get")
        _ = try await site.locationctl(
            "rules", "add", "--hours", "00:00-23:59", "--every", "5", "--except", "org.example.Tests", "--except",
            "org.locationd.locationctl")
        let screen = try await TerminalProcess([Products.locationctl, command, "--socket", site.socket])
        let lines = try await screen.rest()
        #expect(lines.count > 1 && lines.allSatisfy { $0.count < 80 }, "\(lines)")
        #expect(try await screen.exitCode() == 0)
        _ = try await daemon.stop()
    }

    @Test("an accepted finding is no longer a problem, until the acceptance is withdrawn")
    func acceptedFinding() async throws {
        try await DaemonSite.run { daemon in
            // A client without a program is a problem.
            try daemon.site.declare("org.example.Gone", executable: "/nowhere")
            let home = daemon.site.directory.path + "/config"
            func doctor(_ arguments: String...) async throws -> ChildProcess.Result {
                try await ChildProcess.run(
                    [Products.locationctl, "doctor", "--config", daemon.site.configuration] + arguments,
                    environment: ["LOCATIOND_SOCKET": daemon.site.socket, "XDG_CONFIG_HOME": home])
            }
            #expect(try await doctor().output.contains("PROBLEM  org.example.Gone matches nothing"))
            let accepted = try await doctor("--accept", "client.program").output
            #expect(accepted.contains("accepted org.example.Gone matches nothing"), "\(accepted)")
            #expect(accepted.contains("run: locationctl doctor --unaccept client.program"))
            #expect(try await doctor().output.hasSuffix(" accepted.\n"))
            #expect(try await doctor("--format", "json").output.contains(#""severity":"accepted""#))
            // Another one is not covered by that.
            try daemon.site.declare("org.example.Lost", executable: "/nowhere/else")
            #expect(try await doctor().output.contains("PROBLEM  org.example.Lost"))
            #expect(try await doctor("--unaccept", "client.program").output.contains("PROBLEM  org.example.Gone"))
            #expect(try await doctor("--unaccept", "client.program").code == 1)
            #expect(try await doctor("--accept", "client.ambiguous").errors.contains("nothing to accept"))
        }
    }

    @Test("get reports why it waits, before its timeout")
    func reasonForWaiting() async throws {
        let site = try DaemonSite()
        let daemon = try await site.start(gpsd: site.directory.path + "/no-gpsd")
        let get = try await ChildProcess(
            [Products.locationctl, "get", "--timeout", "600"], environment: ["LOCATIOND_SOCKET": site.socket])
        let line = try await waiting(for: "the reason") { try await get.nextError() }
        #expect(
            line?.contains("/no-gpsd") == true && line?.hasSuffix("run: locationctl doctor") == true, "\(line ?? "")")
        get.signal(SIGINT)
        _ = try await get.exitCode()
        _ = try await daemon.stop()
    }

    @Test("a program is found by the name that people use", arguments: [("allow", "firefx"), ("explain", "Firefox")])
    func misspeltProgram(command: String, name: String) async throws {
        let site = try DaemonSite()
        try site.declare("org.mozilla.firefox", executable: "/usr/bin/true")
        let daemon = try await site.start()
        let result = try await site.locationctl(command, name)
        #expect(result.errors.hasSuffix("Did you mean org.mozilla.firefox?\n"), "\(result.errors)")
        _ = try await daemon.stop()
    }
}
