import FoundationEssentials
import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing

/// Transcripts of "Why do I get nothing?": what a person reads, from the real programs.
@Suite("Reasons for receiving nothing", .timeLimit(.minutes(10)))
struct WhyTests {
    /// `locationctl` as a client about which nobody has decided, and as the only agent.
    private func undecidedSite(timeout: Int = 60) throws -> DaemonSite {
        let site = try DaemonSite()
        try site.declare("org.locationd.locationctl", executable: Products.locationctl, policy: [:])
        try site.configure(["PromptTimeout": .integer(timeout)], agents: Products.locationctl)
        return site
    }

    private var isWithoutLogind: Bool { access("/run/systemd/sessions", F_OK) != 0 }

    @Test("while in use without logind: get, watch, explain and doctor name it, and suggest always")
    func withoutLogind() async throws {
        guard isWithoutLogind else { return }
        let daemon = try await undecidedSite().start()
        let site = daemon.site
        #expect(try await site.locationctl("allow", "org.locationd.locationctl").code == 0)
        let words = "because systemd-logind is not running: it has to be allowed at any time."
        let way = "locationctl allow --always org.locationd.locationctl"
        let get = try await site.locationctl("get")
        #expect(get.code == 77)
        #expect(get.errors.contains(words) && get.errors.contains(way), "\(get.errors)")
        // Once, although the service says it to both of get's calls.
        #expect(get.errors.split(separator: "\n").count == 1, "\(get.errors)")
        let watch = try await ChildProcess(
            [Products.locationctl, "watch"], environment: ["LOCATIOND_SOCKET": site.socket])
        let line = try #require(try await watch.errors.receive())
        #expect(line.contains(words) && line.contains(way), "\(line)")
        let explain = try await site.locationctl("explain", "org.locationd.locationctl")
        #expect(explain.output.contains("Is process \(watch.processID) in use now?"), "\(explain.output)")
        #expect(explain.output.contains(words), "\(explain.output)")
        let doctor = try await site.locationctl("doctor", "--format", "json")
        #expect(doctor.code == 78)
        #expect(doctor.output.contains(#""identifier":"user.use""#), "\(doctor.output)")
        watch.signal(SIGINT)
        #expect(try await watch.exitCode() == 128 + SIGINT)
        try await daemon.stop()
    }

    @Test("without gpsd the log, status and watch name its address and ask whether it runs")
    func gpsdRefuses() async throws {
        let site = try DaemonSite()
        let daemon = try await site.start(gpsd: "127.0.0.1:1")
        let watch = try await ChildProcess(
            [Products.locationctl, "watch"], environment: ["LOCATIOND_SOCKET": site.socket])
        let words = "Connection refused at 127.0.0.1:1. Is gpsd running?"
        #expect(try await watch.errors.receive() == "\(words) To find out why, run: locationctl doctor")
        #expect(try await daemon.log(containing: words).hasPrefix(words))
        #expect(try await site.locationctl("status").output.contains(words))
        watch.signal(SIGTERM)
        _ = try await watch.exitCode()
        try await daemon.stop()
    }

    @Test(
        "an unknown host name of gpsd and a missing socket are reported",
        arguments: [
            ("gpsd.invalid:2947", "The name gpsd.invalid of gpsd’s machine cannot be resolved."),
            ("/nonexistent/gpsd.sock", "There is no socket /nonexistent/gpsd.sock."),
        ])
    func gpsdElsewhere(address: String, words: String) async throws {
        let daemon = try await DaemonSite().start(gpsd: address)
        let watch = try await ChildProcess(
            [Products.locationctl, "watch"], environment: ["LOCATIOND_SOCKET": daemon.site.socket])
        #expect(try await daemon.log(containing: words).hasPrefix(words))
        watch.signal(SIGTERM)
        _ = try await watch.exitCode()
        try await daemon.stop()
    }

    @Test("an invalid address of gpsd ends with 64", arguments: ["::1:2947", "host:port", "a/b:1", "host:0"])
    func badAddress(address: String) async throws {
        let result = try await ChildProcess.run([Products.locationd, "--gpsd", address])
        #expect(result.code == 64)
        #expect(result.errors.contains("“\(address)” is not a gpsd address"), "\(result.errors)")
    }

    @Test("get without a terminal reports at once that no agent can ask the user, and ends at its timeout")
    func noAgentAndNoTerminal() async throws {
        let daemon = try await undecidedSite().start()
        let get = try await ChildProcess(
            [Products.locationctl, "get", "--timeout", "1"], environment: ["LOCATIOND_SOCKET": daemon.site.socket])
        #expect(
            try await get.errors.receive()?.hasPrefix(
                "The prompt whether locationctl may use your location cannot be shown") == true)
        #expect(
            try await get.errors.receive()?.hasPrefix(
                "The prompt whether locationctl may use your location was not answered within 1 s") == true)
        #expect(try await get.exitCode() == 77)
        try await daemon.stop()
    }

    @Test("get with an agent elsewhere reports that the prompt is open there")
    func agentElsewhere() async throws {
        let daemon = try await undecidedSite().start()
        let environment = ["LOCATIOND_SOCKET": daemon.site.socket]
        let agent = try await TerminalProcess([Products.locationctl, "agent"], environment: environment)
        try await daemon.site.status("an agent") { $0.hasAgent }
        let get = try await ChildProcess([Products.locationctl, "get"], environment: environment)
        #expect(
            try await get.errors.receive()?.hasPrefix(
                "Your agent shows the prompt whether locationctl may use your location.") == true
        )
        _ = try await agent.lines(upTo: "Your choice, 1 to 3:")
        await agent.type("3")
        #expect(try await get.errors.receive()?.contains("You do not allow") == true)
        #expect(try await get.exitCode() == 77)
        agent.signal(SIGINT)
        _ = try await agent.exitCode()
        try await daemon.stop()
    }

    @Test(
        "Ctrl-D at a prompt withdraws it with a message, and nothing is decided", arguments: ["get", "watch"])
    func endOfInput(command: String) async throws {
        let daemon = try await undecidedSite().start()
        let environment = ["LOCATIOND_SOCKET": daemon.site.socket]
        let terminal = try await TerminalProcess([Products.locationctl, command], environment: environment)
        _ = try await terminal.lines(upTo: "Your choice, 1 to 3:")
        await terminal.screen.send("\u{4}")
        let rest = try await terminal.rest()
        #expect(rest.last == "You gave no answer. Nothing was decided.", "\(rest)")
        #expect(try await terminal.exitCode() == 77)
        #expect(try await daemon.site.locationctl("agent", "prompts").output == "No prompt waits for your answer.\n")
        #expect(try await daemon.site.locationctl("clients").output.contains("not decided"))
        try await daemon.stop()
    }

    @Test("switched-off services are named as the cause, with the switch")
    func servicesOff() async throws {
        try await DaemonSite.run { daemon in
            let site = daemon.site
            let watch = try await ChildProcess(
                [Products.locationctl, "watch"], environment: ["LOCATIOND_SOCKET": site.socket])
            _ = try await watch.output.receive()
            #expect(try await site.locationctl("off").code == 0)
            let words = "Location services are off for you. To switch them on, run: locationctl on"
            // Before it, the replayed receiver may have been late.
            #expect(try await watch.errors.rest().split(separator: "\n").last == Substring(words))
            #expect(try await watch.exitCode() == 77)
            for command in ["get", "follow"] {
                let result = try await site.locationctl(command)
                #expect(result.code == 77)
                #expect(result.errors == "\(words)\n", "\(command)")
            }
            #expect(try await site.locationctl("on").code == 0)
            #expect(try await site.locationctl("off", "--system").code == 0)
            #expect(
                try await site.locationctl("get").errors.contains(
                    "To switch them on, run: sudo locationctl on --system"))
        }
    }

    @Test("significant changes require always, and a provisional always is named as such")
    func always() async throws {
        let site = try undecidedSite()
        try site.declare(
            "org.locationd.locationctl", executable: Products.locationctl, policy: [:],
            ["NSLocationAlwaysAndWhenInUseUsageDescription": "For a long test."])
        let daemon = try await site.start()
        let environment = ["LOCATIOND_SOCKET": site.socket]
        #expect(try await site.locationctl("allow", "org.locationd.locationctl").code == 0)
        let refused = try await site.locationctl("watch", "--significant")
        #expect(refused.code == 77)
        #expect(refused.errors.contains("requires permission at any time"), "\(refused.errors)")

        #expect(try await site.locationctl("reset", "org.locationd.locationctl").code == 0)
        let watch = try await TerminalProcess(
            [Products.locationctl, "watch", "--significant"], environment: environment)
        _ = try await watch.lines(upTo: "Your choice, 1 to 3:")
        await watch.type("1")
        try await daemon.log(containing: "provisionalAlways, decided by")
        #expect(try await site.locationctl("clients").output.contains("always (provisional)"))
        watch.signal(SIGINT)
        _ = try await watch.exitCode()
        try await daemon.stop()
    }

    @Test("explain accepts the path of a program: declared, a link, undeclared, absent or a script")
    func explainPath() async throws {
        try await DaemonSite.run { daemon in
            let site = daemon.site
            let directory = site.directory.path
            let link = directory + "/link"
            #expect(symlink(Products.locationctl, link) == 0)
            let program = try await site.locationctl("explain", "org.locationd.locationctl")
            for path in [Products.locationctl, link] {
                let explained = try await site.locationctl("explain", path)
                #expect(explained.code == 0)
                #expect(explained.output.contains("Which declaration names"), "\(explained.output)")
                #expect(explained.output.contains("org.locationd.locationctl.plist: Match]"), "\(explained.output)")
                #expect(!explained.output.contains("the user is asked"), "\(explained.output)")
                #expect(
                    explained.output.split(separator: "\n").first == program.output.split(separator: "\n").first)
            }

            let undeclared = try await site.locationctl("explain", Products.locationd)
            #expect(undeclared.output.contains("it is undeclared and receives no location"), "\(undeclared.output)")
            #expect(undeclared.output.contains("clients add --executable"), "\(undeclared.output)")
            #expect(!undeclared.output.contains("the user is asked"), "\(undeclared.output)")

            let absent = try await site.locationctl("explain", directory + "/nothing")
            #expect(absent.code == 1)
            #expect(absent.errors == "\(directory)/nothing: No such file or directory\n")
            let script = directory + "/script"
            try "#!/usr/bin/env python3\n".write(toFile: script, atomically: true, encoding: .utf8)
            #expect(try await site.locationctl("explain", script).errors.contains("is a script"))

            try site.declare("org.example.Gone", executable: directory + "/gone")
            #expect(try await site.locationctl("config", "reload").code == 0)
            let gone = try await site.locationctl("explain", directory + "/gone")
            #expect(gone.output.contains("there is no such file"), "\(gone.output)")
            #expect(gone.output.contains("org.example.Gone"), "\(gone.output)")
        }
    }

    @Test("a misspelt client is answered with the one that was meant")
    func misspelt() async throws {
        try await DaemonSite.run { daemon in
            let result = try await daemon.site.locationctl("reset", "locationctl")
            #expect(result.code == 1)
            #expect(
                result.errors
                    == "No client locationctl is declared. Did you mean org.locationd.locationctl?\n")
        }
    }

    @Test("clients add refuses programs that no declaration by path recognizes, and a second declaration")
    func unusablePrograms() async throws {
        try await DaemonSite.run { daemon in
            let directory = daemon.site.directory.path
            let clients = directory + "/clients.d"
            let script = directory + "/script"
            try "#!/usr/bin/env python3\n".write(toFile: script, atomically: true, encoding: .utf8)
            chmod(script, 0o755)
            let plain = directory + "/plain"
            try "text".write(toFile: plain, atomically: true, encoding: .utf8)
            for (program, words) in [
                (directory, "is a directory"), (script, "is a script. The kernel runs it as /usr/bin/env"),
                (plain, "cannot be executed"),
                (Products.locationctl, "is already declared, as org.locationd.locationctl"),
            ] {
                let result = try await daemon.site.locationctl(
                    "clients", "add", "--executable", program, "--when-in-use", "For a test.", "--directory", clients)
                #expect(result.code == 1)
                #expect(result.errors.contains(words), "\(result.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: clients).count == 2)
            }
            // The directory is made.
            let added = try await daemon.site.locationctl(
                "clients", "add", "--executable", Products.locationd, "--when-in-use", "For a test.", "--directory",
                directory + "/new/clients.d")
            #expect(added.code == 0)
            #expect(access(directory + "/new/clients.d/local.locationd.plist", F_OK) == 0)
        }
    }

    /// The readable part of a written declaration.
    private struct Declared: Decodable {
        var Match: [String: String]
    }

    private func match(of client: String, in clients: String) throws -> [String: String] {
        let bytes = try Data(contentsOf: URL(filePath: "\(clients)/\(client).plist"))
        return try PropertyListDecoder().decode(Declared.self, from: bytes).Match
    }

    @Test("clients add declares a script by its unit, and mentions that a service is never in use")
    func scriptsByUnit() async throws {
        try await DaemonSite.run { daemon in
            let clients = daemon.site.directory.path + "/clients.d"
            func add(_ options: String...) async throws -> ChildProcess.Result {
                try await daemon.site.locationctl(
                    ["clients", "add", "--when-in-use", "For a test.", "--directory", clients] + options)
            }
            let added = try await add("--user-unit", "where")
            #expect(added.code == 0)
            #expect(
                added.output == """
                    Declared where.service as local.where in \(clients)/local.where.plist.
                      undo      locationctl clients remove local.where --directory \(clients)

                    """)
            #expect(added.errors.contains("run: locationctl allow --always local.where"))
            #expect(try match(of: "local.where", in: clients) == ["UserUnit": "where.service"])
            #expect(try await daemon.site.locationctl("allow", "--always", "local.where").code == 0)

            #expect(try await add("--user-unit", "app-map.scope", "--identifier", "local.map").errors == "")
            #expect(
                try await add("--system-unit", "log.service", "--executable", "/bin/sh", "--identifier", "local.log")
                    .code
                    == 0)
            #expect(try match(of: "local.log", in: clients).keys.sorted() == ["Executable", "SystemdUnit"])
            #expect(
                try await add("--user-unit", "where.service", "--identifier", "local.again").errors.contains(
                    "where.service is already declared, as local.where in"))
            #expect(
                try await add("--user-unit", "where.timer", "--identifier", "local.timer").errors.contains(
                    "must name a unit that programs run in"))
            #expect(try await add().code == 64)
            #expect(try await add("--user-unit", "a", "--system-unit", "a").code == 64)
        }
    }

    @Test("clients remove undoes clients add, and reports where else a client is declared")
    func removal() async throws {
        try await DaemonSite.run { daemon in
            let site = daemon.site
            let clients = site.directory.path + "/clients.d"
            func isDeclared() async throws -> Bool {
                try await site.locationctl("clients").output.contains("local.where")
            }
            let added = try await site.locationctl(
                "clients", "add", "--when-in-use", "For a test.", "--directory", clients, "--user-unit", "where")
            let undo = try #require(added.output.split(separator: "undo").last?.split(separator: " ").map(String.init))
            #expect(try await isDeclared())
            let words = undo.drop { $0 != "clients" }.map { String($0.filter { !$0.isNewline }) }
            let removed = try await site.locationctl(Array(words))
            #expect(removed.output == "Removed local.where, which was declared in \(clients)/local.where.plist.\n")
            #expect(removed.code == 0)
            #expect(try await !isDeclared())
            let again = try await site.locationctl(Array(words))
            #expect(again.code == 1)
            #expect(again.errors.hasPrefix("No client local.where is declared in \(clients)."), "\(again.errors)")
            let elsewhere = try await site.locationctl(
                "clients", "remove", "org.example.Tests", "--directory", site.directory.path)
            #expect(elsewhere.code == 1)
            #expect(
                elsewhere.errors.hasPrefix("org.example.Tests is declared in \(clients)/org.example.Tests.plist."),
                "\(elsewhere.errors)")
            #expect(access("\(clients)/org.example.Tests.plist", F_OK) == 0)
        }
    }

    @Test("accuracy accepts the words of its own output and of the interfaces")
    func accuracyWords() async throws {
        try await DaemonSite.run { daemon in
            for (word, words) in [
                ("approximate", "approximate location"), ("exact", "exact location"),
                ("reduced", "approximate location"), ("full", "exact location"),
            ] {
                let said = try await daemon.site.locationctl("accuracy", "org.example.Tests", word)
                #expect(said.code == 0)
                #expect(said.output.contains(words), "\(word): \(said)")
            }
        }
    }

    @Test("in the background of a terminal get reports at once that it cannot prompt")
    func backgroundOfATerminal() async throws {
        let daemon = try await undecidedSite().start()
        let terminal = try await TerminalProcess(
            [
                "/usr/bin/setsid", "--ctty", "--wait", "/bin/sh", "-c",
                "timeout 30 \(Products.locationctl) get --timeout 1; exit $?",
            ],
            environment: ["LOCATIOND_SOCKET": daemon.site.socket])
        let rest = try await terminal.rest()
        #expect(rest.contains { $0.contains("this is not the foreground of a terminal") }, "\(rest)")
        #expect(try await terminal.exitCode() == 77)
        try await daemon.stop()
    }

    @Test("clients add declares an interpreter only with the flag for it, and warns")
    func interpreters() async throws {
        try await DaemonSite.run { daemon in
            let clients = daemon.site.directory.path + "/clients.d"
            let words = [
                "clients", "add", "--executable", "/usr/bin/perl", "--when-in-use", "For a test.", "--directory",
                clients,
            ]
            let refused = try await daemon.site.locationctl(words)
            #expect(refused.code == 1)
            #expect(refused.errors.hasPrefix("This would declare all Perl programs"))
            #expect(refused.errors.contains("clients add --user-unit NAME"))
            let added = try await daemon.site.locationctl(words + ["--every-script"])
            #expect(added.code == 0)
            #expect(added.errors.hasPrefix("Warning: this declares all Perl programs of all users"))
        }
    }

    @Test("each error of a configuration has its own line")
    func severalErrors() async throws {
        let site = try DaemonSite()
        try site.write(
            "locationd.plist",
            list: .dictionary([
                ("HistoryDays", 1), ("PromptTimeout", 9), ("HistoryDays", 1), ("PromptTimeout", 9),
            ]))
        let result = try await ChildProcess.run(
            [Products.locationd, "--config", site.configuration, "--socket", site.socket])
        #expect(result.code == 78)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix("locationd cannot run: \(site.configuration):") }, "\(lines)")
    }

    /// What bash offers for the last word of a command line, with the script that the package installs.
    private func bashOffers(_ daemon: DaemonProcess, _ words: String...) async throws -> Set<String> {
        let script = try await daemon.site.locationctl("--generate-completion-script", "bash")
        #expect(script.code == 0)
        let file = daemon.site.directory.path + "/completion.bash"
        try script.output.write(toFile: file, atomically: true, encoding: .utf8)
        let program = #"""
            export PATH="$2:$PATH" LOCATIOND_SOCKET="$3"; source "$1"; shift 3
            COMP_WORDS=(locationctl "$@"); COMP_CWORD=$#; COMP_LINE="locationctl $*"; COMP_POINT=${#COMP_LINE}
            _locationctl locationctl "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; printf '%s\n' "${COMPREPLY[@]}"
            """#
        let directory = Products.locationctl.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let result = try await ChildProcess.run(
            ["bash", "-c", program, "bash", file, directory, daemon.site.socket] + words)
        #expect(result.code == 0, "\(result.errors)")
        return Set(result.output.split(separator: "\n").map(String.init))
    }

    @Test("bash completes commands, files where a file is expected, directories, and the names of clients")
    func bashCompletion() async throws {
        try await DaemonSite.run { daemon in
            let directory = daemon.site.directory.path
            #expect(try await bashOffers(daemon, "doc") == ["doctor"])
            #expect(
                try await bashOffers(daemon, "doctor", "--config", "\(directory)/locationd.pl")
                    == ["\(directory)/locationd.plist"])
            #expect(try await bashOffers(daemon, "config", "check", "\(directory)/tr") == ["\(directory)/track.json"])
            let directories = try await bashOffers(daemon, "clients", "add", "--directory", "\(directory)/")
            #expect(directories.contains("\(directory)/clients.d") && !directories.contains("\(directory)/track.json"))
            // Not where a name is expected.
            #expect(try await bashOffers(daemon, "get", "--timeout", "\(directory)/tr") == [])
            #expect(try await bashOffers(daemon, "reset", "org.locationd.loc") == ["org.locationd.locationctl"])
            #expect(try await bashOffers(daemon, "history", "--client", "org.loc") == ["org.locationd.locationctl"])
            // An earlier name of a command is understood, and not offered.
            #expect(try await bashOffers(daemon, "agent", "ans") == ["answer"])
            #expect(try await bashOffers(daemon, "ans") == [])
            #expect(try await daemon.site.locationctl("places", "add", "home", "--here").code == 0)
            #expect(try await daemon.site.locationctl("monitor", "add", "gate", "--here").code == 0)
            #expect(try await bashOffers(daemon, "rules", "add", "--inside", "ho") == ["home"])
            #expect(try await bashOffers(daemon, "places", "remove", "ho") == ["home"])
            #expect(try await bashOffers(daemon, "monitor", "remove", "ga") == ["gate"])
        }
    }

    @Test("zsh and fish complete files after the options that take one, and only there", arguments: ["zsh", "fish"])
    func otherCompletion(shell: String) async throws {
        let script = try await ChildProcess.run([Products.locationctl, "--generate-completion-script", shell])
        #expect(script.code == 0)
        func isOfFiles(_ option: String) -> Set<Bool> {
            let lines = script.output.split(separator: "\n")
                .filter { $0.contains(shell == "zsh" ? "'--\(option)[" : "-l '\(option)' ") }
            return Set(lines.map { $0.hasSuffix(shell == "zsh" ? ":_files'" : " -rF") })
        }
        #expect(isOfFiles("config") == [true] && isOfFiles("socket") == [true])
        #expect(isOfFiles("user") == [false] && isOfFiles("format") == [false])
        let names = script.output.split(separator: "\n").filter { $0.contains("---completion reset -- positional@0") }
        #expect(names.count == 1)
    }
}
