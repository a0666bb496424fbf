import FoundationEssentials
import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing

/// What people mistype, and what is missing where they run a command: each gets an answer that says what to do.
@Suite("Mistakes at the command line", .timeLimit(.minutes(10)))
struct MistakesTests {
    @Test(
        "a mistyped command is answered with the one that was meant",
        arguments: [
            (["gte"], "Error: There is no command gte. Did you mean get?"),
            (["stauts", "--format", "json"], "Error: There is no command stauts. Did you mean status?"),
            (["config", "chek"], "Error: There is no command config chek. Did you mean config check?"),
            (["rules", "foo"], "Error: There is no command rules foo. There are: list, add, remove, try."),
            (["where"], "Error: There is no command where. Did you mean get?"),
            (["prompts"], "Error: There is no command prompts. Did you mean agent prompts?"),
            (["--units", "imperial", "status"], "Error: The command status has no option --units."),
            (["a\u{1B}[2Jb"], "Error: There is no command a\u{FFFD}[2Jb."),
        ])
    func mistyped(arguments: [String], complaint: String) async throws {
        let result = try await ChildProcess.run([Products.locationctl] + arguments)
        #expect(result.code == 64)
        #expect(result.output == "")
        #expect(result.errors == "\(complaint)\n  See 'locationctl --help' for all commands.\n")
    }

    @Test(
        "options of the program itself, and help, are not taken for commands",
        arguments: ["--version", "--help", "help", "-h"])
    func ownOptions(option: String) async throws {
        let result = try await ChildProcess.run([Products.locationctl, option])
        #expect(result.code == 0)
        #expect(result.errors == "")
    }

    @Test("a command of a package that is not installed says which one it is", arguments: ["map", "privacy"])
    func missingPackage(command: String) async throws {
        let directory = try TemporaryDirectory()
        let program = directory.path + "/locationctl"
        try await ProgramFile.copy(Products.locationctl, to: program)
        let result = try await ChildProcess.run([program, command])
        #expect(result.code == 1)
        #expect(result.output == "")
        #expect(result.errors.contains("run: sudo apt install ./locationd-map_*.deb"))
    }

    @Test("a misspelt client is reported as unknown, not as one without a history")
    func history() async throws {
        try await DaemonSite.run { daemon in
            let result = try await daemon.site.locationctl("history", "--client", "org.example.Test")
            #expect(result.code == 1)
            #expect(result.errors == "No client org.example.Test is declared. Did you mean org.example.Tests?\n")
            let none = try await daemon.site.locationctl("history", "--client", "org.example.Tests")
            #expect(none.output == "No program received your location in that time.\n")
        }
    }

    @Test("without the service each command points to doctor", arguments: ["get", "clients", "off", "agent prompts"])
    func noService(command: String) async throws {
        let directory = try TemporaryDirectory()
        let words = command.split(separator: " ").map(String.init)
        let result = try await ChildProcess.run(
            [Products.locationctl] + words + ["--socket", directory.path + "/none"])
        #expect(result.code == 69)
        #expect(result.errors.hasSuffix("\nTo find out why, run: locationctl doctor\n"))
    }

    @Test("a terminal's agent without a terminal is refused: it would take prompts that nobody sees")
    func agentWithoutTerminal() async throws {
        try await DaemonSite.run { daemon in
            let result = try await daemon.site.locationctl("agent")
            #expect(result.code == 1)
            #expect(result.errors.hasPrefix("There is no terminal to answer in."))
            #expect(try await !daemon.site.status().hasAgent)
        }
    }

    @Test("a position in the south or west is not taken for an option")
    func southernPosition() async throws {
        let result = try await ChildProcess.run([
            Products.locationctl, "search", "cafe", "--near", "-33.86,151.2", "--limit", "0",
        ])
        // Understood as far as the limit, which is wrong.
        #expect(result.errors.hasPrefix("Error: --limit takes 1 to 100."), "\(result.errors)")
    }

    @Test(
        "output that cannot be written is an error; a reader that has closed its end is not",
        arguments: [
            (">/dev/full", "The output cannot be written: No space left on device.\n"),
            (">&-", "The output cannot be written: Bad file descriptor.\n"), ("| true", ""),
        ])
    func output(redirection: String, complaint: String) async throws {
        try await DaemonSite.run { daemon in
            let script = "set -o pipefail; \"$0\" watch --count 100 \(redirection)"
            let result = try await ChildProcess.run(
                ["/bin/bash", "-c", script, Products.locationctl], environment: ["LOCATIOND_SOCKET": daemon.site.socket]
            )
            #expect(result.code == 1)
            // On a busy machine it is said as well that locations were missed.
            let errors = result.errors.split(separator: "\n").filter { !$0.hasPrefix("Missed ") }
            #expect(errors == complaint.split(separator: "\n"))
        }
    }

    @Test("an empty environment is enough", arguments: ["get", "watch", "follow", "status", "clients"])
    func emptyEnvironment(command: String) async throws {
        try await DaemonSite.run { daemon in
            let result = try await ChildProcess.run(
                ["/usr/bin/env", "-i", Products.locationctl, command, "--socket", daemon.site.socket]
                    + (["watch", "follow"].contains(command) ? ["--count", "1"] : []))
            #expect(result.code == 0)
            #expect(result.errors == "")
        }
    }

    /// An empty variable is what a shell's `LOCATIOND_SOCKET=` leaves.
    @Test("an empty LOCATIOND_SOCKET names no socket")
    func emptyVariable() async throws {
        let result = try await ChildProcess.run(
            [Products.locationctl, "status"], environment: ["LOCATIOND_SOCKET": ""])
        #expect(result.code == 0 || result.errors.contains("/run/locationd/org.locationd"), "\(result)")
    }

    @Test("watch reports that the service was killed, waits, and continues")
    func killedService() async throws {
        let site = try DaemonSite()
        let daemon = try await site.start()
        let watch = try await ChildProcess([Products.locationctl, "watch", "--socket", site.socket])
        _ = try await watch.output.receive()
        daemon.process.signal(SIGKILL)
        _ = try await daemon.process.exitCode()
        #expect(try await watch.nextError() == "The location service is not available. Reconnecting.")
        let again = try await site.start()
        try await site.status("a subscription") { $0.subscriptions == 1 }
        #expect(try await watch.output.receive() != nil)
        watch.signal(SIGTERM)
        _ = try await watch.exitCode()
        try await again.stop()
    }

    @Test(
        "follow in a terminal of any size shows where you are, and leaves it as it was",
        arguments: [(20, 5), (14, 3), (40, 8)])
    func smallTerminal(columns: Int, rows: Int) async throws {
        try await DaemonSite.run { daemon in
            let terminal = try await Tmux(daemon.site, columns: columns, rows: rows)
            try await terminal.enter("c=\(Products.locationctl); clear")
            try await terminal.wait { $0.hasPrefix("shell>") }
            try await terminal.enter("$c follow")
            let screen = try await terminal.wait { $0.contains("12.3") }
            #expect(screen.split(separator: "\n").allSatisfy { $0.count <= columns }, "\(screen)")
            try await terminal.press("q")
            try await terminal.wait { $0.contains("shell>") && !$0.contains("12.3") }
            try await terminal.end()
        }
    }

    @Test(
        "doctor's help does not list the identifiers of findings, and a wrong one is answered with the one that was meant"
    )
    func identifiersOfFindings() async throws {
        let help = try await ChildProcess.run([Products.locationctl, "doctor", "--help"])
        #expect(help.code == 0)
        #expect(help.output.contains("--accept <finding>"))
        #expect(!help.output.contains("receiver.fix"), "\(help.output)")
        for (option, complaint) in [
            ("--accept", "There is no finding gpsd.prot. Did you mean gpsd.port?"),
            (
                "--unaccept",
                "There is no finding nothing. To see the identifiers of what is found, run: locationctl doctor"
            ),
        ] {
            let word = complaint.contains("gpsd") ? "gpsd.prot" : "nothing"
            let result = try await ChildProcess.run([Products.locationctl, "doctor", option, word])
            #expect(result.code == 64)
            #expect(result.errors.contains(complaint), "\(result.errors)")
        }
    }
}
