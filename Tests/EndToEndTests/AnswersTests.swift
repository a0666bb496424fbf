import FoundationEssentials
import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing

/// What a newcomer types, and reads: the real programs in a real terminal or shell.
@Suite("Answers for a new user", .timeLimit(.minutes(10)))
struct AnswersTests {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    private static func text(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: repository.appending(path: file)), as: UTF8.self)
    }

    @Test(
        "the user who runs the service may switch it off for everybody, and another may not",
        .enabled(if: geteuid() == 0, "only root can be somebody else"))
    func offForEverybody() async throws {
        let site = try DaemonSite()
        try site.configure(agents: Products.locationctl)
        let state = try TemporaryDirectory()
        func user(_ id: Int) -> [String] { ["setpriv", "--reuid", "\(id)", "--regid", "\(id)", "--clear-groups"] }
        let (owner, stranger) = (user(64_001), user(64_002))
        for directory in [site.directory.path, state.path] {
            chmod(directory, 0o755)
            #expect(chown(directory, 64_001, 64_001) == 0)
        }
        let daemon = try await site.start(state: state.path, wrapper: owner)
        chmod(site.socket, 0o666)
        func locationctl(_ user: [String], _ arguments: String...) async throws -> ChildProcess.Result {
            try await ChildProcess.run(user + [Products.locationctl] + arguments + ["--socket", site.socket])
        }
        #expect(try await locationctl(stranger, "off", "--system").code == 77)
        #expect(try await locationctl(owner, "get").code == 0)
        let off = try await locationctl(owner, "off", "--system")
        #expect(off.output == "Location services are off for this machine.\n", "\(off)")
        #expect(try await locationctl(owner, "get").errors.contains("locationctl on --system"))
        #expect(try await locationctl(stranger, "on", "--system").code == 77)
        #expect(try await locationctl(owner, "on", "--system").code == 0)
        #expect(try await locationctl(owner, "get").code == 0)
        try await daemon.stop()
    }

    @Test("a location that is less accurate than requested is described as such")
    func unmetAccuracy() async throws {
        try await DaemonSite.run { daemon in
            let get = try await daemon.site.locationctl("get", "--accuracy", "0.5", "--timeout", "1")
            #expect(get.code == 0)
            #expect(get.errors == "No fix with an accuracy of 0.5 m came within 1 s. This is the best one.\n")
            let met = try await daemon.site.locationctl("get", "--accuracy", "100")
            #expect(met.errors == "")
            let watch = try await ChildProcess(
                [Products.locationctl, "watch", "--accuracy", "0.5", "--socket", daemon.site.socket])
            let said = try #require(try await watch.nextError())
            #expect(said.hasPrefix("No fix with an accuracy of 0.5 m has come yet; the best has ±"), "\(said)")
            watch.signal(SIGTERM)
            _ = try await watch.exitCode()
        }
    }

    @Test("a reduced location is marked as approximate once in text and in every update")
    func reduced() async throws {
        let site = try DaemonSite()
        try site.declare(
            "org.locationd.locationctl", executable: Products.locationctl,
            policy: ["PresetAuthorization": "always", "MaximumAccuracy": "reduced"])
        let daemon = try await site.start()
        #expect(
            try await site.locationctl("get").output.contains("\n  accuracy   approximate (about 5 km), as decided\n"))
        #expect(try await site.locationctl("watch", "--count", "1").output.hasSuffix("  approximate\n"))
        try await daemon.stop()
    }

    @Test("no text has a time with more than milliseconds")
    func milliseconds() async throws {
        try await DaemonSite.run { daemon in
            let site = daemon.site
            var texts: [String] = []
            for command in [
                ["get"], ["watch", "--count", "2"], ["follow", "--count", "2", "--rate", "20"], ["history"],
                ["clients"],
                ["status"], ["explain", "org.locationd.locationctl"], ["track", site.track], ["doctor"],
            ] {
                let result = try await ChildProcess.run(
                    [Products.locationctl] + command, environment: ["LOCATIOND_SOCKET": site.socket])
                #expect([0, 78].contains(result.code), "\(command): \(result.errors)")
                texts += [result.output, result.errors]
            }
            for text in texts {
                #expect(try text.firstMatch(of: Regex(#"[0-9]:[0-9]{2}\.[0-9]{4}"#)) == nil, "\(text)")
            }
        }
    }

    @Test("allow until logout without a session names the alternative, and decides nothing") func allowUntilLogout()
        async throws
    {
        guard access("/run/systemd/sessions", F_OK) != 0 else { return }
        try await DaemonSite.run { daemon in
            let site = daemon.site
            let client = "org.locationd.locationctl"
            try site.declare(client, executable: Products.locationctl, policy: [:])
            #expect(try await site.locationctl("config", "reload").code == 0)
            let before = try await site.locationctl("clients", "--format", "json").output
            let result = try await site.locationctl("allow", client, "--until-logout")
            #expect(result.code != 0 && result.output == "")
            #expect(
                result.errors == "systemd-logind reports no session of yours that could end. Use --for or --until.\n")
            #expect(try await site.locationctl("clients", "--format", "json").output == before)
        }
    }

    @Test("follow without logind explains that use cannot be detected, and how to allow it", arguments: [true, false])
    func followWithoutLogind(inTerminal: Bool) async throws {
        guard access("/run/systemd/sessions", F_OK) != 0 else { return }
        let site = try DaemonSite()
        try site.declare("org.locationd.locationctl", executable: Products.locationctl, policy: [:])
        let daemon = try await site.start()
        #expect(try await site.locationctl("allow", "org.locationd.locationctl").code == 0)
        let words = "because systemd-logind is not running"
        if inTerminal {
            let terminal = try await Tmux(site, columns: 100)
            try await terminal.enter("\(Products.locationctl) follow")
            try await terminal.wait { $0.contains("systemd-logind is not running") }
            try await terminal.press("q")
            try await terminal.end()
        } else {
            let follow = try await ChildProcess([Products.locationctl, "follow", "--socket", site.socket])
            let line = try #require(try await follow.errors.receive())
            #expect(line.contains(words) && line.contains("allow --always"), "\(line)")
            follow.signal(SIGTERM)
            _ = try await follow.exitCode()
        }
        try await daemon.stop()
    }

    @Test(
        "watch writes to standard error how many locations were skipped because it was too slow",
        arguments: ["text", "json"])
    func missed(format: String) async throws {
        try await DaemonSite.run { daemon in
            let watch = try await ChildProcess(
                [Products.locationctl, "watch", "--format", format, "--socket", daemon.site.socket])
            #expect(try await watch.output.receive() != nil)
            watch.signal(SIGSTOP)
            // The last one is delivered when it reads again.
            try await daemon.site.status("locations that were skipped") { $0.deliveries?.skipped ?? 0 > 1 }
            watch.signal(SIGCONT)
            #expect(try await watch.errors.receive()?.hasPrefix("Missed ") == true)
            watch.signal(SIGTERM)
            _ = try await watch.exitCode()
        }
    }

    @Test("Ctrl-C ends watch with 130, as its help and its man page state")
    func interruption() async throws {
        try await DaemonSite.run { daemon in
            let terminal = try await Tmux(daemon.site)
            try await terminal.enter("clear; \(Products.locationctl) watch")
            try await terminal.wait { $0.contains("simulated") }
            try await terminal.press("C-c")
            try await terminal.wait { $0.contains("^C\nshell>") }
            try await terminal.enter("echo co\"\"de $?")
            try await terminal.wait { $0.contains("\ncode 130\n") }
            try await terminal.end()
        }
        #expect(
            try await ChildProcess.run([Products.locationctl, "watch", "--help"]).output.contains(
                "Ends with Ctrl-C (exit status 130)"))
        #expect(try Self.text("Config/packaging/man/locationctl.1").contains(".It 130\nYou pressed Ctrl-C."))
    }

    @Test("an IPv6 address of gpsd is accepted in brackets")
    func bracketedAddress() async throws {
        let daemon = try await DaemonSite().start(gpsd: "[::1]:1")
        let watch = try await ChildProcess([Products.locationctl, "watch", "--socket", daemon.site.socket])
        let words = try #require(try await watch.errors.receive())
        #expect(words.contains("[::1]:1"), "\(words)")
        watch.signal(SIGTERM)
        _ = try await watch.exitCode()
        try await daemon.stop()
    }

    @Test("track summarizes a recording of gpspipe, which --replay takes, and mentions --replay")
    func recordedReports() async throws {
        let walk = Self.repository.appending(path: "Config/demo/track.json").path
        let result = try await ChildProcess.run([Products.locationctl, "track", walk])
        #expect(result.code == 0)
        #expect(result.output.contains("\n  points    240 in 1 segment\n  length    733 m\n"), "\(result)")
        let help = try await ChildProcess.run([Products.locationctl, "track", "--help"])
        #expect(help.output.contains("gpspipe -w"))
    }

    @Test("a missing client directory is a problem of the configuration")
    func misspeltDirectory() async throws {
        let site = try DaemonSite()
        let directory = site.directory.path + "/client.d"
        try site.configure(["ClientDirectories": ["\(directory)"]])
        let result = try await site.locationctl("config", "check", "--config", site.configuration)
        #expect(result.code == 78)
        #expect(
            result.errors
                == "\(site.configuration): ClientDirectories[0]: \(directory) does not exist. Correct the path, or create the "
                + "directory.\n")
    }

    @Test("bash completes commands, options, files and clients when Tab is pressed")
    func completion() async throws {
        try await DaemonSite.run { daemon in
            let terminal = try await Tmux(daemon.site, columns: 120)
            try "x".write(toFile: terminal.file("evening walk.gpx"), atomically: true, encoding: .utf8)
            try await terminal.enter(
                "export PATH=\(Products.directory):$PATH; locationctl --generate-completion-script bash > script; "
                    + ". ./script; clear")
            try await terminal.wait { $0.hasPrefix("shell>") && !$0.contains("script") }
            for (typed, completed) in [
                ("locationctl reset org.lo", "locationctl reset org.locationd.locationctl"),
                ("locationctl history --client org.ex", "locationctl history --client org.example.Tests"),
                ("locationctl track eve", #"locationctl track evening\ walk.gpx"#),
                ("locationctl follow --rec", "locationctl follow --record"),
                ("locationctl doc", "locationctl doctor"),
            ] {
                try await terminal.press("-l", typed)
                try await terminal.press("Tab")
                try await terminal.wait { $0.contains("shell> " + completed) }
                try await terminal.press("C-u")
                try await terminal.enter("clear")
                try await terminal.wait { !$0.contains("locationctl") }
            }
            try await terminal.end()
        }
    }

    /// The shell commands of a page, block by block.
    private static func blocks(of page: String) throws -> [String] {
        try text("Sources/Programs/LocationDaemon/LocationDaemon.docc/\(page)").split(separator: "   ```\n")
            .enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    @Test(
        "the steps of the introduction lead to a location, whatever the user's umask", arguments: ["002", "022", "077"])
    func trying(umask: String) async throws {
        let home = try TemporaryDirectory()
        let blocks = try Self.blocks(of: "Trying.md")
        #expect(blocks.count == 3)
        // The build is what is beside the tests; the receiver is a recorded walk.
        let commands = blocks.map {
            $0.replacing("make build\n", with: "").replacing(".build/release", with: Products.directory)
        }
        func run(_ block: String) -> [String] {
            ["env", "-u", "LOCATIOND_SOCKET", "HOME=\(home.path)", "bash", "-euc", "umask \(umask)\n\(block)"]
        }
        let root = Self.repository.path
        let prepared = try await ChildProcess.run(run("cd \(root)\n\(commands[0])"))
        #expect(prepared.code == 0, "\(prepared)")
        let replay = "\(root)/Config/demo/track.json"
        let daemon = try await ChildProcess(
            run("exec " + commands[1].drop { $0 == " " }.dropLast() + " --replay \(replay)"))
        try await daemon.error(containing: " listens at ")
        let result = try await ChildProcess.run(run(commands[2]))
        #expect(result.code == 0, "\(result)")
        #expect(result.output.contains("° N, "), "\(result)")
        daemon.signal(SIGTERM)
        #expect(try await daemon.exitCode() == 0)
    }

    @Test("files that others may write are refused with the command that corrects them")
    func writableByOthers() async throws {
        let site = try DaemonSite()
        chmod(site.configuration, 0o664)
        let result = try await ChildProcess.run(
            [Products.locationd, "--config", site.configuration, "--socket", site.socket])
        #expect(result.code == 78)
        #expect(result.errors.contains("run: chmod go-w \(site.configuration)"), "\(result.errors)")
    }

    @Test("a replay that starts over begins a new segment in what follow records, without the way back")
    func loopedReplay() async throws {
        let site = try DaemonSite()
        let file = site.directory.path + "/follow.gpx"
        // 40 s at 10 m/s, twenty times as fast: every two seconds it is 390 m back.
        let reports = (0..<40).map { second in
            let latitude = DaemonSite.latitude + Double(second) * 9.04e-5
            return #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-01-01T00:00:\#(10 + second).000Z","#
                + #""lat":\#(latitude),"lon":98.5,"eph":8.0,"speed":10.0,"track":0.0}"#
        }
        try reports.joined(separator: "\n").write(toFile: site.track, atomically: true, encoding: .utf8)
        let daemon = try await site.start(replay: ["--replay", site.track, "--speed", "20"])
        let follow = try await ChildProcess(
            [
                Products.locationctl, "follow", "--record", file, "--rate", "20", "--format", "json", "--socket",
                site.socket,
            ])
        // Two loops have begun once the way led back twice.
        var (backwards, last) = (0, -90.0)
        while backwards < 2, let line = try await follow.output.receive() {
            let latitude = try json(line, as: TrackingFrame.self).coordinate.latitude
            if latitude < last - 1e-3 { backwards += 1 }
            last = latitude
        }
        follow.signal(SIGTERM)
        _ = try await follow.exitCode()
        let text = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
        #expect(text.split(separator: "<trkseg>").count >= 3)
        let track = try await ChildProcess.run([Products.locationctl, "track", file, "--format", "json"])
        struct Summary: Decodable {
            var segments: Int
            var highestSpeed: Double?
        }
        let summary = try json(track.output, as: Summary.self)
        #expect(summary.segments >= 2)
        #expect(try #require(summary.highestSpeed) < 210)
        try await daemon.stop()
    }

    @Test("the log levels are those of the man page")
    func logLevels() async throws {
        let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
        let help = try await ChildProcess.run([Products.locationd, "--help"])
        let words = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains(levels.joined(separator: ", ")))
        let page = try Self.text("Config/packaging/man/locationd.8").split(separator: ".It Fl -log-level Ar level")[1]
            .split(separator: "\n").prefix(12).joined(separator: " ")
        for level in levels { #expect(page.contains(".Cm \(level)"), "\(level)") }
    }
}
