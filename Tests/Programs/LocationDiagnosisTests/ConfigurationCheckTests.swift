@testable import LocationDiagnosis
import LocationPolicy
import Testing

@testable import LocationConfiguration

@Suite("Configuration", .timeLimit(.minutes(10)))
struct ConfigurationCheckTests {
    private static func place(_ path: String, owner: UInt32 = 0, mode: UInt32 = 0o755) -> ConfigurationCheck.Place {
        .init(path: path, status: FileStatus(.directory, owner: owner, mode: mode))
    }

    private static func row(
        _ short: [String], _ words: String, _ change: (inout ConfigurationCheck) -> Void = { _ in }
    ) -> Judged<ConfigurationCheck> {
        Judged(
            ConfigurationCheck(file: "/etc/l.plist", problems: .seen([])),
            short.map { $0.replacing(" ", with: " configuration.") },
            words, change)
    }

    static let rows: [Judged<ConfigurationCheck>] = [
        row(["ok refused"], "have no problems"),
        row(["problem refused", "problem refused"], "a: no") { $0.problems = .seen(["a: no", "b: no"]) },
        row(["problem refused"], "run: sudo locationctl config reload") { $0.problems = .seen(["a: no"]) },
        row(
            ["problem refused"],
            "sudo systemctl reset-failed locationd.service locationd.socket && sudo systemctl restart"
        ) {
            $0.problems = .seen(["a: no"])
            $0.isServiceAnswering = false
        },
        row(["problem refused"], "refused: a: no") {
            $0.problems = .seen(["a: no"])
            $0.refusedByService = ["a: no"]
        },
        row(["notChecked refused"], "needs root") { $0.problems = .hidden("needs root") },
        row(["ok refused", "ok writable"], "only root") { $0.places = [place("/etc"), place("/tmp", mode: 0o1777)] },
        row(["ok refused", "problem writable"], "chmod go-w /etc/l") {
            $0.places = [place("/etc"), place("/etc/l", mode: 0o775)]
        },
        row(["ok refused", "problem writable"], "chown root /etc/l") { $0.places = [place("/etc/l", owner: 1000)] },
        row(["ok refused"], "every setting has its default") { $0.exists = false },
        row(["ok refused", "ok writable"], "only root and you") {
            $0.places = [place("/home/l", owner: 1000)]
            $0.trustedOwners = [0, 1000]
        },
        row(["ok refused", "problem inForce"], "locationctl config reload") {
            $0.configuredAddress = "/run/g.sock"
            $0.addressInForce = "127.0.0.1:2947"
        },
        row(["ok refused"], "") {
            $0.configuredAddress = "/run/g.sock"
            $0.addressInForce = "/run/g.sock"
        },
    ]

    @Test("each state of the configuration leads to its findings", arguments: rows)
    func findings(row: Judged<ConfigurationCheck>) { row.verify() }
}

@Suite("Declarations", .timeLimit(.minutes(10)))
struct DeclarationsCheckTests {
    private static func client(_ name: String, _ change: (inout ClientMatch) -> Void) -> ClientDeclaration {
        ClientDeclaration(identifier: name, match: with(ClientMatch(), change), file: "/\(name).plist")
    }

    /// A program as it can be found, whether the service is the system's, and what is wrong with it.
    struct Program: Sendable {
        var evidence: ProgramEvidence
        var isSandboxed: Bool
        var words: String?

        init(
            _ path: String, _ words: String?, _ content: ProgramEvidence.Content = .binary, target: String? = nil,
            closed: String? = nil, isSandboxed: Bool = true
        ) {
            evidence = ProgramEvidence(path, content)
            evidence.target = target
            evidence.closedDirectory = closed
            self.isSandboxed = isSandboxed
            self.words = words
        }
    }

    static let programs: [Program] = [
        Program("/p", nil),
        Program("/p", nil, .unknown),
        Program("/p", "/p does not exist", .absent),
        Program("/p", "is a directory", .directory),
        Program("/p", "chmod +x /p", .notExecutable),
        Program("/p", "the kernel reports /bin/sh", .script(interpreter: "/bin/sh")),
        Program("/p", "the kernel reports /q", target: "/q"),
        Program("/tmp/p", "the service does not see"),
        Program("/var/tmp/p", "the service does not see", .absent),
        Program("/tmp/p", nil, isSandboxed: false),
        Program("/tmpfs/p", nil),
        Program("/home/a/p", "may not enter /home/a", .unknown, closed: "/home/a"),
        Program("/home/a/p", nil, closed: "/home/a", isSandboxed: false),
    ]

    @Test("a program that the service cannot recognize is a problem, with its remedy", arguments: programs)
    func program(program: Program) {
        let path = program.evidence.path
        let isWell = program.words == nil
        Judged(
            DeclarationsCheck(clients: [Self.client("a") { $0.executable = path }]),
            [isWell ? "ok client.program" : "problem client.program"], program.words ?? "1 declared"
        ) {
            $0.programs = [path: program.evidence]
            $0.isSandboxed = program.isSandboxed
        }.verify()
        Judged(AgentsCheck(agents: [path]), [isWell ? "ok agent.program" : "problem agent.program"], "") {
            $0.programs = [path: program.evidence]
            $0.isSandboxed = program.isSandboxed
        }.verify()
    }

    @Test("a package may declare what is not installed, and name agents that are not")
    func absentPrograms() {
        var client = Self.client("a") { $0.executable = "/p" }
        let absent = ["/p": ProgramEvidence("/p", .absent), "/usr/bin/gnome-shell": ProgramEvidence("/p", .absent)]
        let here = Self.client("b") { $0.executable = "/q" }
        client.file = "/usr/share/locationd/clients.d/a.plist"
        Judged(
            DeclarationsCheck(clients: [client, here]), ["ok client.program"],
            "2 declared, 1 of them for programs that are not installed"
        ) { $0.programs = absent }.verify()
        client.file = "/etc/locationd/clients.d/a.plist"
        Judged(DeclarationsCheck(clients: [client]), ["problem client.program"], "/p does not exist") {
            $0.programs = absent
        }.verify()
        Judged(AgentsCheck(agents: ["/usr/bin/gnome-shell"]), ["ok agent.program"], "") { $0.programs = absent }
            .verify()
    }

    @Test("a configuration without clients gets advice")
    func noClients() {
        #expect(DeclarationsCheck(clients: []).short == ["advice client.program"])
    }

    @Test("a declaration of only an interpreter gets advice, which declares the script's unit")
    func declaredInterpreter() {
        let python = Self.client("a") { $0.executable = "/usr/bin/python3.11" }
        let check = DeclarationsCheck(clients: [python])
        #expect(check.short == ["ok client.program", "advice client.program"])
        #expect(check.text.contains("all Python programs") && check.text.contains("--user-unit NAME"))
        var unit = python
        unit.match.userUnit = "where.service"
        #expect(DeclarationsCheck(clients: [unit]).short == ["ok client.program"])
    }

    @Test("a configuration without agents gets advice")
    func noAgents() {
        #expect(AgentsCheck(agents: []).short == ["advice agent.program"])
    }

    private static func unit(_ name: String, _ state: String?, _ short: [String]) -> Judged<DeclarationsCheck> {
        let evidence: Evidence<UnitState> =
            if let state { .seen(with(UnitState(name)) { $0.loadState = state }) } else { .hidden("no systemd") }
        return Judged(DeclarationsCheck(clients: [client("a") { $0.systemdUnit = name }]), short, "") {
            $0.units = [name: evidence]
        }
    }

    static let units: [Judged<DeclarationsCheck>] = [
        unit("a.service", "loaded", ["ok client.program"]),
        unit("a.service", "not-found", ["ok client.program", "advice client.unit"]),
        unit("a.service", "masked", ["problem client.unit"]),
        unit("a.scope", "not-found", ["ok client.program"]),
        unit("a.service", nil, ["ok client.program", "notChecked client.unit"]),
    ]

    @Test("a masked unit is a problem, and one that does not exist now gets advice", arguments: units)
    func unit(row: Judged<DeclarationsCheck>) { row.verify() }

    @Test("a user id without a user gets advice")
    func unknownUser() {
        let client = Self.client("a") {
            $0.executable = "/p"
            $0.users = [0, 4242]
        }
        let check = with(DeclarationsCheck(clients: [client])) { $0.unknownUsers = [4242, 4243] }
        #expect(check.short == ["ok client.program", "advice client.user"])
        #expect(check.text.contains("user 4242"))
    }

    /// Two matches, and what is said of them; `problem` where no process could be told from the other.
    struct Pair: Sendable {
        var one: ClientMatch
        var other: ClientMatch
        var outcome: String?

        init(_ one: ClientMatch, _ other: ClientMatch, _ outcome: String?) {
            self.one = one
            self.other = other
            self.outcome = outcome
        }
    }

    private static func match(
        _ executable: String? = "/p", userUnit: String? = nil, systemdUnit: String? = nil, users: Set<UInt32>? = nil
    ) -> ClientMatch {
        with(ClientMatch()) {
            $0.executable = executable
            $0.userUnit = userUnit
            $0.systemdUnit = systemdUnit
            $0.users = users
        }
    }

    static let pairs: [Pair] = [
        Pair(match(), match("/q"), nil),
        Pair(match(), match(), "problem"),
        Pair(match(), match(userUnit: "p.service"), "b has the criteria of a and more"),
        Pair(match(userUnit: "p.service"), match(), "a has the criteria of b and more"),
        Pair(match(), match(nil, systemdUnit: "p.service"), nil),
        // Other users' processes.
        Pair(match(users: [1]), match(users: [2]), nil),
        Pair(match(users: [1, 2]), match(users: [2]), "problem"),
        Pair(match(users: [1]), match(), "problem"),
        Pair(match(), with(match()) { $0.desktopID = "org.example.P" }, "b has the criteria of a and more"),
        // To the kernel these are two files.
        Pair(match("/caf\u{e9}"), match("/cafe\u{301}"), nil),
    ]

    @Test("declarations that match the same program are reported", arguments: pairs)
    func overlap(pair: Pair) {
        let clients = [Self.client("a") { $0 = pair.one }, Self.client("b") { $0 = pair.other }]
        let outcome = pair.outcome
        let found = DeclarationsCheck(clients: clients).findings.filter { $0.topic == .clientAmbiguous }
        switch outcome {
        case nil: #expect(found == [])
        case "problem": #expect(found.map(\.severity) == [.problem])
        case let words?:
            #expect(found.map(\.severity) == [.advice])
            #expect(found.first?.found.contains(words) == true)
        }
        // What the service itself makes of a process with all that the two ask for.
        var peer = PeerIdentity(userID: 1, processID: 1)
        let registry = ClientRegistry(clients)
        peer.executable = "/p"
        peer.userUnit = "p.service"
        peer.claimedDesktopID = "org.example.P"
        peer.userID = clients.reduce(Set([1, 2])) { $0.intersection($1.match.users ?? [1, 2]) }.first ?? 1
        let isAmbiguous = if case .ambiguous = registry.recognise(peer) { true } else { false }
        #expect(isAmbiguous == (outcome == "problem"))
    }

    @Test("the project's own programs may share an executable")
    func ownPrograms() {
        func topics(_ identifier: String) -> [Topic] {
            let (one, other) = (Self.match(), Self.match(systemdUnit: "p.service"))
            let clients = [
                Self.client("org.locationd.locationctl") { $0 = one }, Self.client(identifier) { $0 = other },
            ]
            return DeclarationsCheck(clients: clients).findings.map(\.topic)
        }
        #expect(!topics("org.locationd.timezone").contains(.clientAmbiguous))
        #expect(topics("org.example.timezone").contains(.clientAmbiguous))
    }

    @Test("replaced and masked declarations are reported")
    func hiddenFiles() {
        let check = with(DeclarationsCheck(clients: [])) {
            $0.hiddenFiles = [
                .init(file: "/usr/a.plist", replacement: "/etc/a.plist", isMasked: false),
                .init(file: "/usr/b.plist", replacement: "/etc/b.plist", isMasked: true),
            ]
        }
        #expect(check.short == ["ok client.program", "advice client.hidden", "advice client.hidden"])
        #expect(check.text.contains("/etc/a.plist replaces /usr/a.plist"))
        #expect(check.text.contains("/etc/b.plist masks the declaration in /usr/b.plist"))
    }
}
