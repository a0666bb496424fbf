import FoundationEssentials
import Glibc
import LocationModel
import TestSupport
import Testing

@Suite("locationctl follow", .serialized, .timeLimit(.minutes(10)))
struct FollowTests {
    /// The recorded walk that ships with the sources.
    private static let walk = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Config/demo/track.json").path

    /// Runs a test with a daemon that replays the walk, and a terminal.
    private func run(
        environment: [String] = [], _ test: (Tmux, DaemonProcess) async throws -> Void
    ) async throws {
        let site = try DaemonSite()
        try FileManager.default.removeItem(atPath: site.track)
        try FileManager.default.copyItem(atPath: Self.walk, toPath: site.track)
        let daemon = try await site.start()
        let terminal = try await Tmux(site, environment: environment)
        do {
            try await test(terminal, daemon)
        } catch {
            try await terminal.end()
            throw error
        }
        try await terminal.end()
        try await daemon.stop()
    }

    /// Starts the view in the terminal, below something that is to be there afterwards, and waits for the first frame.
    private func follow(_ terminal: Tmux, _ options: String = "") async throws -> String {
        try await terminal.enter("stty -a > before; clear; echo something before")
        try await terminal.wait { $0.hasPrefix("something before") && $0.contains("shell>") }
        try await terminal.enter("\(Products.locationctl) follow \(options)")
        return try await terminal.wait { $0.contains("° N") && $0.contains("Fix now") }
    }

    /// Waits for the shell, and looks whether everything is as it was.
    private func expectRestored(_ terminal: Tmux, code: Int32) async throws {
        try await terminal.wait { $0.split(separator: "\n").last == "shell>" }
        // The cursor is visible, what is typed is echoed, and only what stood there before stands above it.
        try await terminal.enter("echo co\"\"de $?; stty -a > after; echo do\"\"ne")
        let screen = try await terminal.wait { $0.contains("\ndone\n") }
        #expect(screen.contains("something before\n"))
        #expect(screen.contains("\ncode \(code)\n"))
        #expect(!screen.contains("° N"))
        let (before, after) = (try terminal.text("before"), try terminal.text("after"))
        #expect(after == before, "before: \(before)after: \(after)")
    }

    @Test func view() async throws {
        try await run { terminal, _ in
            let screen = try await follow(terminal)
            let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines[0].hasPrefix(" north up  simulated "))
            #expect(lines[0].contains("│ 52.47"))
            #expect(lines[1].contains("│ 13.40"))
            #expect(lines[2].contains("│ ±"))
            for words in ["km/h", "satellites", "distance", "time", "├", " m ", "? help"] {
                #expect(screen.contains(words), "\(words)")
            }
            // The satellites and a trail come with time.
            try await terminal.wait { $0.contains("9 of 11") }

            try await terminal.press("c")
            try await terminal.wait {
                $0.hasPrefix(" course up  simulated ") && $0.contains("The map follows you, course up.")
            }
            try await terminal.press("n")
            try await terminal.wait { $0.hasPrefix(" north up") }
            try await terminal.press("Left")
            try await terminal.wait { $0.hasPrefix(" not following") && $0.contains("You moved the map") }
            try await terminal.press("f")
            try await terminal.wait { $0.hasPrefix(" north up") }
            let bar = try await terminal.screen().split(separator: "\n").first { $0.contains("├") }
            try await terminal.press("-", "-", "-", "-")
            try await terminal.wait { $0.split(separator: "\n").first { $0.contains("├") } != bar }
            try await terminal.press("?")
            try await terminal.wait { $0.contains("q  quit") }
            try await terminal.press("?")

            try await terminal.paste("quit\nq\nfff")
            try await terminal.press("F5", "X", "c")
            try await terminal.wait { $0.hasPrefix(" course up") }

            try await terminal.resize(columns: 40, rows: 12)
            try await terminal.wait { $0.hasPrefix(" 52.47") && $0.contains(" course up") && !$0.contains("│") }
            try await terminal.resize(columns: 20, rows: 5)
            try await terminal.wait { $0.hasPrefix(" 52.47") && $0.contains("° E\n ±") && $0.contains("km/h") }
            try await terminal.resize(columns: 120, rows: 40)
            try await terminal.wait {
                $0.hasPrefix(" course up") && $0.split(separator: "\n").first?.contains("│") == true
            }
            try await terminal.resize(columns: 80, rows: 24)
            try await terminal.wait { $0.split(separator: "\n").first?.prefix(55).last == "│" }
            try await terminal.press("q")
            try await expectRestored(terminal, code: 0)
        }
    }

    @Test("each key that interrupts the view restores the terminal", arguments: [("C-c", SIGINT), ("C-\\", SIGQUIT)])
    func interrupted(key: String, signal: Int32) async throws {
        try await run { terminal, _ in
            _ = try await follow(terminal)
            try await terminal.press(key)
            try await expectRestored(terminal, code: 128 + signal)
        }
    }

    @Test(
        "a view that was stopped, continued and killed restores the terminal",
        arguments: [SIGTERM, SIGHUP, SIGABRT, SIGSEGV])
    func signalled(signal: Int32) async throws {
        try await run { terminal, _ in
            _ = try await follow(terminal)
            try await terminal.press("C-z")
            // What is typed before the shell has taken the terminal back is lost.
            try await terminal.wait { $0.contains("Stopped") && $0.split(separator: "\n").last == "shell>" }
            // A program in the background draws nothing, even if it is told to go on.
            try await terminal.enter("clear; stty -a > stopped; jobs -p > job; bg; jobs; echo do\"\"ne")
            let screen = try await terminal.wait { $0.contains("\ndone\n") }
            #expect(!screen.contains("km/h"))
            #expect(try terminal.text("stopped") == terminal.text("before"))
            try await terminal.enter("clear; echo something before; fg")
            try await terminal.wait { $0.contains("° N") }
            kill(try #require(Int32(terminal.text("job").split(separator: "\n").first ?? "")), signal)
            try await expectRestored(terminal, code: 128 + signal)
        }
    }

    @Test func terminalWithoutUnicodeAndColours() async throws {
        try await run { terminal, _ in
            _ = try await follow(terminal)
            #expect(try await terminal.styledScreen().contains("[1m\u{1b}[36m"))
            try await terminal.press("q")
            try await expectRestored(terminal, code: 0)
            try await terminal.enter("clear; export LC_ALL=C NO_COLOR=1; \(Products.locationctl) follow")
            let screen = try await terminal.wait { $0.contains("52.47") && $0.contains("Fix now") }
            #expect(screen.utf8.allSatisfy { $0 == 10 || (0x20...0x7e).contains($0) })
            let styled = try await terminal.styledScreen()
            #expect(styled.contains("[1m"))
            for colour in 30...37 { #expect(!styled.contains("[\(colour)m")) }
        }
    }

    @Test(
        "the prompt opens before the view, as no other agent can show it",
        arguments: [("1", "? help"), ("3", "You do not allow")])
    func asked(answer: String, outcome: String) async throws {
        let site = try DaemonSite()
        try site.declare("org.locationd.locationctl", executable: Products.locationctl, policy: [:])
        try site.configure(agents: Products.locationctl)
        let daemon = try await site.start()
        let terminal = try await Tmux(site)
        try await terminal.enter("stty -a > before; clear; echo something before")
        try await terminal.wait { $0.hasPrefix("something before") }
        try await terminal.enter("\(Products.locationctl) follow")
        try await terminal.wait { $0.hasPrefix("something before") && $0.contains("Your choice, 1 to 3:") }
        try await terminal.enter(answer)
        // Whether it counts as in use depends on the machine; the view is shown either way.
        try await terminal.wait { $0.contains(outcome) }
        if answer == "1" { try await terminal.press("q") }
        try await expectRestored(terminal, code: answer == "1" ? 0 : 77)
        try await terminal.end()
        try await daemon.stop()
    }

    @Test func serviceThatGoesAndComesBack() async throws {
        try await run { terminal, daemon in
            _ = try await follow(terminal)
            daemon.process.signal(SIGKILL)
            _ = try await daemon.process.exitCode()
            try await terminal.wait { $0.contains("The location service has stopped. Waiting for it") }
            let again = try await daemon.site.start()
            try await terminal.wait { $0.contains("Fix now") }
            try await again.stop()
            try await terminal.wait { $0.contains("The location service has stopped. Waiting for it") }
            try await terminal.press("q")
            try await expectRestored(terminal, code: 0)
        }
    }

    @Test func revoked() async throws {
        let site = try DaemonSite()
        try site.declare("org.locationd.locationctl", executable: Products.locationctl, policy: [:])
        let daemon = try await site.start()
        #expect(try await site.locationctl("allow", "org.locationd.locationctl", "--always").code == 0)
        let terminal = try await Tmux(site)
        _ = try await follow(terminal)
        #expect(try await site.locationctl("deny", "org.locationd.locationctl").code == 0)
        try await terminal.wait { $0.contains("You do not allow") }
        try await expectRestored(terminal, code: 77)
        try await terminal.end()
        try await daemon.stop()
    }

    @Test("frames arrive at the requested rate, and a dumb terminal gets lines", arguments: ["xterm", "dumb"])
    func count(kind: String) async throws {
        try await run { terminal, _ in
            try await terminal.enter(
                "clear; TERM=\(kind) \(Products.locationctl) follow --count 3 --rate 20; echo co\"\"de $?")
            let screen = try await terminal.wait { $0.contains("code 0") }
            #expect(screen.split(separator: "\n").count { $0.contains("° N, ") } == (kind == "dumb" ? 3 : 0))
        }
    }

    @Test func linesWithoutATerminal() async throws {
        try await DaemonSite.run { daemon in
            let text = try await daemon.site.locationctl("follow", "--count", "3", "--rate", "20")
            #expect(text.code == 0)
            #expect(text.isPlain)
            #expect(text.output.split(separator: "\n").count { $0.contains("98.76") && $0.contains("simulated") } == 3)
            let objects = try await daemon.site.locationctl(
                "follow", "--count", "3", "--rate", "20", "--format", "json")
            let frames = try objects.output.split(separator: "\n").map { try json(String($0), as: TrackingFrame.self) }
            #expect(frames.count == 3)
            #expect(frames.allSatisfy { $0.sourceInformation?.isSimulated == true && $0.span > 0 })
        }
    }

    @Test func recording() async throws {
        try await run { terminal, _ in
            _ = try await follow(terminal, "--record walk.gpx")
            try await terminal.wait { $0.contains("● walk.gpx") && $0.contains("Fix now") }
            try await terminal.press("r")
            try await terminal.wait { $0.contains("recorded into walk.gpx.") && !$0.contains("● walk") }
            try await terminal.press("r")
            try await terminal.wait { $0.contains("Recording into 2") && $0.contains("● 2") }
            // A fix comes at least with the next second.
            try await terminal.press("f")
            try await terminal.wait { $0.hasPrefix(" not following") && !$0.contains("Recording into") }
            try await terminal.press("q")
            try await terminal.wait { $0.contains("recorded into 2") && !$0.contains("km/h") }
            try await terminal.enter(
                "clear; for f in *.gpx; do \(Products.locationctl) track $f || echo ba\"\"d; done; echo do\"\"ne")
            let screen = try await terminal.wait { $0.contains("\ndone\n") }
            #expect(screen.split(separator: "points").count == 3)
            #expect(!screen.contains("bad"))

            // A file that is there is not written over, and the view does not begin.
            try await terminal.enter("clear; \(Products.locationctl) follow --record walk.gpx; echo co\"\"de $?")
            let refusal = try await terminal.wait { $0.contains("code ") }
            #expect(refusal.contains("walk.gpx: there is such a file already"))
            #expect(refusal.contains("code 1"))
        }
    }

    @Test func recordingWithoutATerminal() async throws {
        try await DaemonSite.run { daemon in
            let file = daemon.site.directory.path + "/walk.geojson"
            let result = try await daemon.site.locationctl("follow", "--count", "30", "--rate", "20", "--record", file)
            #expect(result.code == 0)
            #expect(result.errors.hasSuffix("recorded into \(file).\n"))
            let track = try await daemon.site.locationctl("track", file)
            #expect(track.code == 0)
            #expect(track.output.contains("points"))
        }
    }

    @Test(
        "a signal ends a recording without a terminal with its closing sentence, and then the program",
        arguments: [SIGINT, SIGTERM])
    func interruptedRecording(signal: Int32) async throws {
        try await DaemonSite.run { daemon in
            let file = daemon.site.directory.path + "/walk.gpx"
            let follow = try await ChildProcess(
                [Products.locationctl, "follow", "--record", file, "--rate", "20", "--socket", daemon.site.socket])
            for _ in 0..<30 { _ = try #require(try await follow.output.receive()) }
            follow.signal(signal)
            let sentence = try await follow.error(containing: "recorded into")
            #expect(sentence.hasSuffix("recorded into \(file)."))
            #expect(try await follow.exitCode() == 128 + signal)
            let text = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
            #expect(text.hasSuffix("</trkseg>\n</trk>\n</gpx>\n"), "finished, without padding")
        }
    }
}
