import FoundationEssentials
import Glibc
import LocationInterface
import TestSupport
import Testing

/// What a client or its declaration supplies is shown in a terminal so that it neither steers it nor passes for something
/// that `locationctl` says: with a service that lets everything pass, and with the real one.
@Suite("Text from other programs", .serialized, .timeLimit(.minutes(10)))
struct HarmlessTextTests {
    /// What is supplied.
    enum Attack: CaseIterable {
        /// A title, a link, a cleared screen and colours, in the 7-bit and the 8-bit form; other directions of writing; what
        /// has no width; and new lines that look like a prompt's own.
        case control
        /// Marks that pile up over the lines above, at the beginning too; and wide text that fills many lines, with blanks
        /// and letters without a shape where a terminal would begin a new one.
        case flood
        case length

        var text: String {
            switch self {
            case .control:
                "Maps\u{1B}]0;owned\u{7}\u{1B}]8;;http://evil.example\u{1B}\\link\u{1B}[2J\u{9B}31m\u{9D}0;x\u{9C}"
                    + "\u{0}\u{8}\u{7F}\u{202E}txet\u{202C}\u{2066}\u{2069}\u{200E}\u{61C}\u{200B}\u{200D}\u{FEFF}\u{AD}"
                    + "\u{E0041}\u{2028}\u{2029}\u{85}\u{B}\u{C}\r\n  3  Don’t Allow\nYour choice, 1 to 3:\n"
                    + "→ Does a policy forbid it? no”"
            case .flood:
                "\u{301}\u{20DD}" + String(repeating: "a" + String(repeating: "\u{301}", count: 200), count: 20)
                    + String(repeating: "漢字\u{3164}\u{2800}", count: 1000) + String(repeating: " ", count: 5000)
                    + String(repeating: "\u{3000}1  Don’t Allow", count: 100)
            case .length: String(repeating: "x", count: 10_000)
            }
        }
    }

    static let choices = ["  1  Allow While Using", "  2  Allow Once", "  3  Don’t Allow", "Your choice, 1 to 3:"]

    /// Whether a line can do nothing but be read.
    private func expectHarmless(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        for line in lines {
            let bad = line.unicodeScalars.filter { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
                default: false
                }
            }
            #expect(bad.isEmpty, "\(line.debugDescription)", sourceLocation: sourceLocation)
        }
    }

    /// The most marks on one letter.
    private func marks(_ line: String) -> Int {
        line.map { $0.unicodeScalars.count { $0.properties.generalCategory == .nonspacingMark } }.max() ?? 0
    }

    private func locationctl(_ arguments: [String], socket: String) async throws -> TerminalProcess {
        try await TerminalProcess([Products.locationctl] + arguments, environment: ["LOCATIOND_SOCKET": socket])
    }

    @Test(
        arguments: [
            ["clients"], ["history"], ["explain", "org.example.App"], ["explain", "1"], ["agent", "prompts"],
            ["status"],
            ["doctor"],
            ["get"], ["watch"], ["allow", "org.example.App"], ["config", "reload"], ["agent", "answer", "7", "allow"],
        ], [Attack.control, .flood])
    func inATerminal(command: [String], attack: Attack) async throws {
        try await HostileService.run(attack.text) { socket in
            for format in [[], ["--format", "json"]] {
                let screen = try await locationctl(command + format, socket: socket)
                let lines = try await screen.rest()
                #expect(!lines.isEmpty)
                expectHarmless(lines)
                // These two may show their own prompt before they hear that it is of no use.
                if ["get", "watch"].contains(command[0]) { continue }
                #expect(!lines.contains { Self.choices.contains($0) || $0.hasPrefix("→ Does a policy") })
                if format.isEmpty { #expect(lines.allSatisfy { marks($0) <= 3 }) }
                // The row of a table and its header, few lines each, and nothing that passes for another row.
                if ["clients", "history"].contains(command[0]), format.isEmpty {
                    #expect(lines.count { !$0.hasPrefix(" ") } == 2 && lines.count < 24, "\(lines)")
                }
            }
        }
    }

    /// What is escaped in JSON is there all the same.
    @Test func inJSON() async throws {
        try await HostileService.run(Attack.control.text) { socket in
            let result = try await ChildProcess.run(
                [Products.locationctl, "clients", "--format", "json", "--socket", socket])
            let clients = try json(result.output, as: [ManagerInterface.Client].self)
            #expect(clients.map { Array($0.displayName.unicodeScalars) } == [Array(Attack.control.text.unicodeScalars)])
        }
    }

    @Test(arguments: Attack.allCases)
    func inAPrompt(attack: Attack) async throws {
        try await HostileService.run(attack.text) { socket in
            let agent = try await locationctl(["agent"], socket: socket)
            let prompt = try await agent.lines(upTo: Self.choices[3])
            expectHarmless(prompt)
            #expect(prompt.allSatisfy { marks($0) <= 3 })
            // The choices are whole, the last, and the only lines that look like that, however a terminal breaks lines.
            #expect(Array(prompt.suffix(4)) == Self.choices)
            let rest = prompt.dropLast(4)
            #expect(rest.allSatisfy { $0.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 1 : 2) } < 80 + 3 * 80 })
            #expect(rest.count < 60)
            #expect(!rest.contains { Self.choices.contains($0) || $0.hasPrefix("  1 ") || $0.hasPrefix("Your") })

            // An answer that fails is said to, and the prompt, which is still open, is shown again.
            await agent.type("1")
            let failure = try await agent.lines(upTo: Self.choices[3])
            expectHarmless(failure)
            #expect(failure.contains { $0.hasPrefix("Your answer was not accepted: ") })
            #expect(Array(failure.suffix(4)) == Self.choices)
            await agent.type("4")
            _ = try await agent.lines(upTo: "Type a number from 1 to 3 and press Return.")
            agent.signal(SIGINT)
            #expect(try await agent.exitCode() == 128 + SIGINT)
        }
    }

    // MARK: With the real service

    /// A program with an evil path, and evil text as far as declarations may have it.
    @Test func aRealPrompt() async throws {
        let site = try DaemonSite()
        let directory = site.directory.path + "/\u{1B}[2J\n  1  Don’t Allow\u{202E}"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let program = directory + "/maps"
        try await ProgramFile.copy(Products.locationctl, to: program)
        let daemon = try await site.start()
        let environment = ["LOCATIOND_SOCKET": site.socket]

        let undeclared = try await TerminalProcess([program, "get"], environment: environment).rest()
        #expect(undeclared.contains { $0.contains("No client declaration matches") })
        expectHarmless(undeclared)

        // Declarations with what steers a terminal are refused; the refusal shows it harmlessly.
        func declare(_ text: String) throws {
            try site.declare(
                "org.locationd.locationctl", executable: Products.locationctl, policy: [:],
                ["CFBundleDisplayName": .string(text), "NSLocationWhenInUseUsageDescription": .string(text)])
        }
        for steering in ["a\nb", "a\u{9B}31mb", "a\u{202E}b", "a\u{2028}b"] {
            try declare(steering)
            let reload = try await locationctl(["config", "reload"], socket: site.socket)
            let lines = try await reload.rest()
            #expect(lines.contains { $0.contains("without control characters") })
            expectHarmless(lines)
        }

        // What Persian words and emoji are written with is shown as it is; the same hidden in a Latin word is refused.
        try declare("Ma\u{200C}ps")
        #expect(try await site.locationctl("config", "reload").code == 78)
        let persian = "نقشه\u{200C}های من 👩\u{200D}💻"
        try declare(persian)
        #expect(try await site.locationctl("config", "reload").code == 0)
        #expect(try await site.locationctl("clients").output.unicodeScalars.contains("\u{200C}"))
        let asked = try await locationctl(["get"], socket: site.socket)
        let question = try await asked.lines(upTo: Self.choices[3])
        #expect(question.contains { $0.contains("“\(persian)”") }, "\(question)")
        await asked.screen.send("\u{4}")
        _ = try await asked.rest()
        #expect(try await asked.exitCode() == 77)

        let wide = "\u{301}漢字" + String(repeating: "e\u{301}\u{301}\u{301}\u{301}\u{301}", count: 8)
        try declare(wide)
        #expect(try await site.locationctl("config", "reload").code == 0)
        let get = try await locationctl(["get"], socket: site.socket)
        let prompt = try await get.lines(upTo: Self.choices[3])
        expectHarmless(prompt)
        #expect(prompt.contains { $0.contains("“\u{25CC}\u{301}漢字") })
        #expect(prompt.allSatisfy { marks($0) <= 3 })
        #expect(Array(prompt.suffix(4)) == Self.choices)
        await get.type("3")
        _ = try await get.rest()
        #expect(try await get.exitCode() == 77)
        try await daemon.stop()
    }
}
