import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("Output of locationctl", .timeLimit(.minutes(5)))
struct PlainOutputTests {
    static let commands: [[String]] = [
        ["get"], ["get", "--coordinates", "dms"], ["get", "--format", "json"], ["watch", "--count", "1"],
        ["follow", "--count", "1"], ["follow", "--count", "1", "--format", "json"], ["clients"],
        ["clients", "--format", "json"], ["allow", "org.example.Tür"], ["deny", "org.example.Tests"],
        ["reset", "org.example.Tests"], ["accuracy", "org.example.Tests", "reduced"], ["off"], ["on"], ["history"],
        ["history", "--format", "json"], ["explain", "org.locationd.locationctl"], ["explain", "1"], ["prompts"],
        ["answer", "7", "allow"], ["status"], ["doctor"], ["doctor", "--format", "json"], ["config", "check", "/ü"],
        ["config", "reload"], ["track", "/ü"], ["search", "Tür"], ["map", "list"], ["agent"], ["tür"], ["--help"],
        ["help", "get"], ["help", "watch"], ["help", "follow"], ["help", "map"], ["help", "search"], ["help", "track"],
        ["help", "clients"], ["help", "clients", "add"], ["help", "allow"], ["help", "deny"], ["help", "reset"],
        ["help", "accuracy"], ["help", "off"], ["help", "on"], ["help", "history"], ["help", "explain"],
        ["help", "agent"], ["help", "prompts"], ["help", "answer"], ["help", "status"], ["help", "config"],
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

    @Test("an accepted finding is no problem any more, until that is undone")
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

    @Test("get says why it waits, before its time is up")
    func reasonForWaiting() async throws {
        let site = try DaemonSite()
        let daemon = try await site.start(gpsd: site.directory.path + "/no-gpsd")
        let get = try await ChildProcess(
            [Products.locationctl, "get", "--timeout", "600"], environment: ["LOCATIOND_SOCKET": site.socket])
        let line = try await waiting(for: "the reason") { try await get.nextError() }
        #expect(line?.contains("/no-gpsd") == true && line?.hasSuffix("Waiting for a fix.") == true, "\(line ?? "")")
        get.signal(SIGINT)
        _ = try await get.exitCode()
        _ = try await daemon.stop()
    }

    @Test("a program is found by what people call it", arguments: [("allow", "firefx"), ("explain", "Firefox")])
    func misspeltProgram(command: String, name: String) async throws {
        let site = try DaemonSite()
        try site.declare("org.mozilla.firefox", executable: "/usr/bin/true")
        let daemon = try await site.start()
        let result = try await site.locationctl(command, name)
        #expect(result.errors.hasSuffix("Did you mean org.mozilla.firefox?\n"), "\(result.errors)")
        _ = try await daemon.stop()
    }
}
