import GPSDProtocol
import Glibc
import LocationPolicy
import TestSupport
import Testing

@testable import LocationConfiguration

/// A daemon's file that names these client directories.
func directories(_ paths: String...) -> String {
    let strings = paths.map { "<string>\($0)</string>" }.joined()
    return xml("<dict><key>ClientDirectories</key><array>\(strings)</array></dict>")
}

/// A vendor's and an administrator's client directory, and a daemon's file that names both.
struct Machine {
    let directory: TemporaryDirectory
    let main: String

    init() throws {
        directory = try TemporaryDirectory()
        let vendor = try directory.makeDirectory("vendor")
        let etc = try directory.makeDirectory("etc")
        main = try directory.write("locationd.plist", directories(vendor, etc))
    }

    func load(keeping lastGood: Configuration? = nil) throws -> Configuration {
        try Configuration.load(file: main, keeping: lastGood)
    }

    /// The problems with paths inside the machine made relative.
    func problems(_ configuration: Configuration) -> [String] {
        configuration.problems.map { $0.description.replacing("\(directory.path)/", with: "") }
    }

    func path(_ name: String) -> String { "\(directory.path)/\(name)" }
}

extension Configuration {
    var executables: [String: String?] {
        Dictionary(uniqueKeysWithValues: clients.map { ($0.identifier, $0.match.executable) })
    }
}

/// A key of the daemon's file that is refused at a start: its lines, the consequence, and the settings in force.
struct RefusedKey: Sendable, CustomTestStringConvertible {
    let lines: String
    let consequence: String
    let settings: DaemonConfiguration
    var testDescription: String { lines }

    init(_ lines: String, _ consequence: String, _ change: (inout DaemonConfiguration) -> Void) {
        (self.lines, self.consequence) = (lines, consequence)
        var settings = DaemonConfiguration()
        settings.promptTimeout = 7
        change(&settings)
        self.settings = settings
    }
}

@Suite(.timeLimit(.minutes(10))) struct LoadingTests {
    let machine: Machine
    var directory: TemporaryDirectory { machine.directory }

    init() throws { machine = try Machine() }

    @Test("without files every setting has its default")
    func defaultsApplyWithoutFiles() throws {
        let configuration = try Configuration.load(file: nil, defaultFile: machine.path("none"), keeping: nil)
        #expect(configuration.daemon == DaemonConfiguration())
        let missing = machine.path("none")
        #expect(throws: InvalidConfiguration([.init(file: missing, message: "This file does not exist.")])) {
            try Configuration.load(file: missing)
        }
    }

    @Test("a file replaces the file of the same name in an earlier directory")
    func laterDirectoryOverridesSameName() throws {
        try directory.write("vendor/a.plist", client("org.example.A", executable: "/usr/bin/vendor"))
        try directory.write("vendor/b.plist", client("org.example.B"))
        try directory.write("etc/a.plist", client("org.example.A", executable: "/usr/bin/etc"))
        let configuration = try machine.load()
        #expect(
            configuration.executables == ["org.example.A": "/usr/bin/etc", "org.example.B": "/usr/bin/org.example.B"])
        #expect(configuration.problems == [])
        #expect(
            configuration.hiddenFiles == [
                .init(file: machine.path("vendor/a.plist"), replacement: machine.path("etc/a.plist"), isMasked: false)
            ])
    }

    @Test("an empty file or a link to /dev/null masks a declaration")
    func emptyFileOrNullLinkMasks() throws {
        try directory.write("vendor/a.plist", client("org.example.A"))
        try directory.write("vendor/b.plist", client("org.example.B"))
        try directory.write("etc/a.plist", "")
        symlink("/dev/null", machine.path("etc/b.plist"))
        let configuration = try machine.load()
        #expect(configuration.clients == [] && configuration.problems == [])
        #expect(configuration.hiddenFiles.map(\.isMasked) == [true, true])
        #expect(Configuration.check(file: machine.path("etc/b.plist")).kind == .mask)
    }

    @Test("only visible files with the suffix .plist are read")
    func onlyVisiblePropertyListsAreRead() throws {
        try directory.write("etc/.a.plist", "x")
        try directory.write("etc/a.plist~", "x")
        try directory.write("etc/README", "x")
        let configuration = try machine.load()
        #expect(configuration.clients == [] && configuration.problems == [])
    }

    @Test("a duplicate identifier is reported, and one file counts")
    func duplicateIdentifierIsReported() throws {
        try directory.write("vendor/c.plist", client("org.example.A", executable: "/usr/bin/c"))
        try directory.write("vendor/d.plist", client("org.example.A", executable: "/usr/bin/d"))
        let first = try machine.load()
        #expect(first.executables == ["org.example.A": "/usr/bin/c"])
        let advice = "Remove one; to override a file give the other the same name in a later directory."
        #expect(
            machine.problems(first) == [
                "vendor/d.plist:3: CFBundleIdentifier: org.example.A is declared by vendor/c.plist, so this file has no effect. \(advice)"
            ])
        // What the administrator says counts more than what a vendor says.
        try directory.write("etc/e.plist", client("org.example.A", executable: "/usr/bin/e"))
        let second = try machine.load()
        #expect(second.executables == ["org.example.A": "/usr/bin/e"])
        #expect(
            machine.problems(second)
                == ["c", "d"].map {
                    "vendor/\($0).plist:3: CFBundleIdentifier: org.example.A is declared by etc/e.plist, so this file has no effect. \(advice)"
                })
    }

    @Test("a refused file leaves the others in force, and its own last version")
    func refusedFileKeepsItsLastVersion() throws {
        try directory.write("etc/a.plist", client("org.example.A", executable: "/usr/bin/old"))
        try directory.write("etc/b.plist", client("org.example.B"))
        let before = try machine.load()
        try directory.write("etc/a.plist", client("org.example.A", "<key>Polic</key><dict/>"))
        try directory.write("etc/b.plist", client("org.example.B", executable: "/usr/bin/new"))
        // Twice: what is kept is kept again.
        var now = before
        for _ in 1...2 {
            now = try machine.load(keeping: now)
            #expect(now.executables == ["org.example.A": "/usr/bin/old", "org.example.B": "/usr/bin/new"])
            #expect(
                machine.problems(now) == [
                    "etc/a.plist:5: Polic: This key is not known; did you mean Policy?",
                    "etc/a.plist: The previous version stays in force.",
                ])
        }
        unlink(machine.path("etc/a.plist"))
        #expect(try machine.load(keeping: now).executables == ["org.example.B": "/usr/bin/new"])
    }

    @Test("a refused file does not bring back the one that it replaces")
    func refusedOverrideStillMasks() throws {
        try directory.write("vendor/a.plist", client("org.example.A"))
        let before = try machine.load()
        try directory.write("etc/a.plist", "<plist>")
        let expected = [
            "etc/a.plist:1: This is not well-formed XML: no element found.",
            "etc/a.plist: Until this is corrected, its client is not declared, and not by vendor/a.plist either. "
                + "Programs without a declaration get no location meanwhile.",
        ]
        for lastGood in [nil, before] {
            let configuration = try machine.load(keeping: lastGood)
            #expect(configuration.clients == [] && machine.problems(configuration) == expected)
            // The program that it restricts, perhaps, must not pass for an undeclared one.
            #expect(!configuration.areClientsKnown)
        }
        unlink(machine.path("etc/a.plist"))
        #expect(try machine.load(keeping: machine.load(keeping: before)).areClientsKnown)
    }

    /// Lines of a declaration in which restrictions are mistyped, and their problem.
    static let mistypedRestrictions = [
        (
            "<key>Policy</key><dict><key>Restricte</key><true/></dict>",
            "Policy.Restricte: This key is not known; did you mean Restricted?"
        ),
        (
            "<key>Policy</key><dict><key>Restricted</key><string>yes</string></dict>",
            "Policy.Restricted: This must be a boolean, not a string."
        ),
        (
            "<key>Policy</key><dict><key>MaximumAccuracy</key><string>rough</string></dict>",
            "Policy.MaximumAccuracy: This must be full or reduced, not \"rough\"."
        ),
        (
            "<key>Polici</key><dict><key>Restricted</key><true/></dict>",
            "Polici: This key is not known; did you mean Policy?"
        ),
        ("<key>Policy</key><array/>", "Policy: This must be a dictionary, not an array."),
    ]

    @Test("a client whose restriction is mistyped is restricted", arguments: mistypedRestrictions)
    func mistypedRestriction(lines: String, problem: String) throws {
        try directory.write("etc/a.plist", client("org.example.A", lines))
        let configuration = try machine.load()
        #expect(configuration.clients.map(\.identifier) == ["org.example.A"])
        #expect(configuration.clients.map(\.policy.isRestricted) == [true])
        #expect(configuration.executables == ["org.example.A": "/usr/bin/org.example.A"])
        #expect(configuration.areClientsKnown)
        #expect(
            machine.problems(configuration) == [
                "etc/a.plist:5: \(problem)",
                "etc/a.plist: Until this is corrected, org.example.A gets no location.",
            ])
    }

    static let refusedKeys: [RefusedKey] = {
        let noGPSD = "GPSD: Until this is corrected, the service asks no gpsd, and there are no locations."
        let noGeoClue = "GeoClue: Until this is corrected, programs that ask GeoClue get no location."
        let noClients =
            "ClientDirectories: Until this is corrected, no client is declared, and no program gets a location."
        let noAgents = "Agents: Until this is corrected, only root can answer prompts and decide."
        return [
            RefusedKey("<key>GPSD</key><dict><key>Sockt</key><string>/run/s</string></dict>", noGPSD) { $0.gpsd = [] },
            RefusedKey("<key>GPSD</key><dict><key>Port</key><integer>0</integer></dict>", noGPSD) { $0.gpsd = [] },
            RefusedKey("<key>GPS</key><dict><key>Socket</key><string>/run/s</string></dict>", noGPSD) { $0.gpsd = [] },
            RefusedKey("<key>GPSD</key><string>/run/s</string>", noGPSD) { $0.gpsd = [] },
            RefusedKey(
                "<key>Modem</key><dict><key>Enabled</key><string>yes</string></dict>",
                "Modem: Until this is corrected, the receivers of modems are not used."
            ) { $0.usesModem = false },
            RefusedKey("<key>GeoClue</key><dict><key>Enabeld</key><false/></dict>", noGeoClue) {
                $0.geoClue.isEnabled = false
            },
            RefusedKey("<key>GeoClue</key><false/>", noGeoClue) { $0.geoClue.isEnabled = false },
            RefusedKey("<key>Geoclu</key><dict/>", noGeoClue) { $0.geoClue.isEnabled = false },
            RefusedKey("<key>ClientDirectories</key><array><string>a</string></array>", noClients) {
                $0.clientDirectories = nil
            },
            RefusedKey("<key>ClientDirectory</key><array/>", "") { _ in },
            RefusedKey("<key>ClientDirectorie</key><array/>", noClients) { $0.clientDirectories = nil },
            RefusedKey("<key>Agent</key><array/>", noAgents) { $0.agents = [] },
            RefusedKey("<key>Agents</key><string>/usr/bin/env</string>", noAgents) { $0.agents = [] },
            // What is left of the list grants less than the list.
            RefusedKey("<key>Agents</key><array><string>env</string><string>/usr/bin/env</string></array>", "") {
                $0.agents = ["/usr/bin/env"]
            },
            RefusedKey(
                "<key>HistoryDay</key><integer>0</integer>",
                "HistoryDays: Until this is corrected, all of the history is kept."
            ) {
                $0.historyDays = 3650
            },
            RefusedKey(
                "<key>ResetUnusedAfter</key><integer>-1</integer>",
                "ResetUnusedAfter: Until this is corrected, no permission is reset for lack of use."
            ) {
                $0.resetUnusedAfter = 0
            },
            RefusedKey(
                "<key>ExitOnIdle</key><integer>0</integer>",
                "ExitOnIdle: Until this is corrected, the default is in force."
            ) { _ in },
            RefusedKey("<key>Limits</key><array/>", "Limits: Until this is corrected, the default is in force.") {
                $0.limits.decisionsPerUser = 4096
            },
            // Nothing is deleted.
            RefusedKey("<key>Limits</key><dict><key>DecisionPerUser</key><integer>4000</integer></dict>", "") {
                $0.limits.decisionsPerUser = 4096
            },
            // Each limit counts by itself.
            RefusedKey(
                "<key>Limits</key><dict><key>PipelinedCalls</key><integer>1</integer><key>ConnectionsPerUser</key>"
                    + "<integer>9</integer><key>MessageSize</key><integer>1</integer></dict>", ""
            ) { $0.limits.connectionsPerUser = 9 },
            RefusedKey("<key>Colour</key><true/>", "") { _ in },
        ]
    }()

    @Test(
        "a key that is refused or mistyped does not keep the service from starting, and grants nothing",
        arguments: refusedKeys)
    func refusedKeyGrantsNothing(row: RefusedKey) throws {
        let file = try directory.write(
            "keys.plist", xml("<dict><key>PromptTimeout</key><integer>7</integer>\n\(row.lines)</dict>"))
        let configuration = try Configuration.load(file: file)
        #expect(configuration.daemon == row.settings)
        #expect(!configuration.problems.isEmpty)
        let consequences = configuration.problems.map(\.description).filter { $0.contains("Until this is corrected") }
        #expect(consequences == (row.consequence.isEmpty ? [] : ["\(file): \(row.consequence)"]))
        #expect(configuration.areClientsKnown == (row.settings.clientDirectories != nil))
        #expect(row.settings.clientDirectories != nil || configuration.clients.isEmpty)
    }

    @Test("on a reload a refused key keeps its value, and the valid ones count")
    func refusedKeyKeepsValueOnReload() throws {
        try directory.write("etc/a.plist", client("org.example.A"))
        let lists = directories(machine.path("vendor"), machine.path("etc"))
        func write(_ lines: String) throws {
            try directory.write("locationd.plist", lists.replacing("</dict>", with: "\n\(lines)</dict>"))
        }
        try write(
            "<key>HistoryDays</key><integer>7</integer><key>Limits</key><dict><key>ConnectionsPerUser</key><integer>5</integer></dict>"
        )
        let before = try machine.load()
        try write(
            """
            <key>HistoryDays</key><true/>
            <key>Agent</key><array/>
            <key>PromptTimeout</key><integer>9</integer>
            <key>Limits</key><dict><key>ConnectionsPerUser</key><integer>0</integer></dict>
            """)
        try directory.write("etc/b.plist", client("org.example.B"))
        // Twice: what is kept is kept again.
        var now = before
        for _ in 1...2 {
            now = try machine.load(keeping: now)
            var expected = before.daemon
            expected.promptTimeout = 9
            #expect(now.daemon == expected)
            #expect(now.clients.map(\.identifier) == ["org.example.A", "org.example.B"])
            #expect(
                machine.problems(now) == [
                    "locationd.plist:3: HistoryDays: This must be an integer, not a boolean.",
                    "locationd.plist:4: Agent: This key is not known; did you mean Agents?",
                    "locationd.plist:6: Limits.ConnectionsPerUser: This must be from 1 to 65536, not 0.",
                    "locationd.plist: Agents: The previous value stays in force.",
                    "locationd.plist: HistoryDays: The previous value stays in force.",
                ])
        }
    }

    @Test("a daemon file that cannot be read prevents a start, and leaves the last settings on a reload")
    func unreadableDaemonFilePreventsStartNotReload() throws {
        try directory.write("etc/a.plist", client("org.example.A"))
        let before = try machine.load()
        for content in ["", "<plist>", xml("<array/>")] {
            try directory.write("locationd.plist", content)
            #expect(throws: InvalidConfiguration.self) { try machine.load() }
            let after = try machine.load(keeping: before)
            #expect(after.daemon == before.daemon && after.clients == before.clients)
            #expect(machine.problems(after).last == "locationd.plist: The previous settings stay in force.")
        }
    }

    @Test("the keys of drop-ins replace the same keys of the daemon's file, in the order of their names")
    func dropIns() throws {
        try directory.write(
            "locationd.plist",
            xml(
                """
                <dict><key>GPSD</key><dict><key>Port</key><integer>1</integer><key>Device</key><string>/d</string></dict>
                <key>HistoryDays</key><integer>7</integer><key>ExitOnIdle</key><integer>60</integer></dict>
                """))
        _ = try directory.makeDirectory("locationd.plist.d")
        try directory.write(
            "locationd.plist.d/a.plist",
            xml("<dict><key>GPSD</key><dict/><key>HistoryDays</key><integer>8</integer></dict>"))
        try directory.write("locationd.plist.d/b.plist", xml("<dict><key>HistoryDays</key><integer>9</integer></dict>"))
        try directory.write("locationd.plist.d/empty.plist", "")
        try directory.write("locationd.plist.d/other", "not read")
        let daemon = try machine.load().daemon
        #expect(daemon.gpsd == [.init()], "a key replaces everything in it")
        #expect(daemon.historyDays == 9)
        #expect(daemon.exitOnIdle == 60)
    }

    @Test("a refused key of a drop-in grants nothing, unless a later drop-in has it")
    func refusedKeyOfADropIn() throws {
        let before = try machine.load()
        _ = try directory.makeDirectory("locationd.plist.d")
        let agents = "<key>Agents</key><array><string>/usr/bin/env</string></array>"
        try directory.write("locationd.plist.d/a.plist", xml("<dict>\(agents)</dict>"))
        try directory.write("locationd.plist.d/b.plist", xml("<dict><key>Agents</key><true/></dict>"))
        let refused = "locationd.plist.d/b.plist:2: Agents: This must be an array, not a boolean."
        let started = try machine.load()
        #expect(started.daemon.agents == [])
        #expect(
            machine.problems(started) == [
                refused,
                "locationd.plist.d/b.plist: Agents: Until this is corrected, only root can answer prompts and decide.",
            ])
        #expect(try machine.load(keeping: before).daemon == before.daemon)
        try directory.write("locationd.plist.d/c.plist", xml("<dict>\(agents)</dict>"))
        let corrected = try machine.load()
        #expect(corrected.daemon.agents == ["/usr/bin/env"])
        #expect(machine.problems(corrected) == [refused])
    }

    @Test("a drop-in that cannot be read prevents a start, and leaves the last settings on a reload")
    func unreadableDropIn() throws {
        let before = try machine.load()
        _ = try directory.makeDirectory("locationd.plist.d")
        try directory.write("locationd.plist.d/a.plist", "<plist>")
        #expect(throws: InvalidConfiguration.self) { try machine.load() }
        try directory.write("locationd.plist", xml("<dict/>"))
        #expect(try machine.load(keeping: before).daemon == before.daemon)
    }

    @Test("a drop-in that others can write to is refused")
    func writableDropIn() throws {
        _ = try directory.makeDirectory("locationd.plist.d")
        try directory.write("locationd.plist.d/a.plist", xml("<dict/>"))
        chmod(machine.path("locationd.plist.d/a.plist"), 0o666)
        #expect(throws: InvalidConfiguration.self) { try machine.load() }
        chmod(machine.path("locationd.plist.d/a.plist"), 0o644)
        chmod(machine.path("locationd.plist.d"), 0o777)
        #expect(throws: InvalidConfiguration.self) { try machine.load() }
    }
}

@Suite(.timeLimit(.minutes(10))) struct TrustTests {
    let machine: Machine
    var directory: TemporaryDirectory { machine.directory }

    init() throws { machine = try Machine() }

    @Test("files that others can write to are refused", arguments: [0o664, 0o646, 0o666] as [mode_t])
    func fileWritableByOthersIsRefused(mode: mode_t) throws {
        try directory.write("etc/a.plist", client("org.example.A"), mode: mode)
        let configuration = try machine.load()
        #expect(configuration.clients == [])
        let file = machine.path("etc/a.plist")
        #expect(
            configuration.problems.first
                == .init(file: file, message: "This can be written by others than its owner; run: chmod go-w \(file)"))
        #expect(Configuration.check(file: file).problems == [configuration.problems[0]])
    }

    @Test("a directory that others can write to leaves all last declarations in force")
    func directoryWritableByOthersKeepsLastDeclarations() throws {
        try directory.write("vendor/a.plist", client("org.example.A"))
        let before = try machine.load()
        try directory.write("vendor/b.plist", client("org.example.B"))
        let etc = machine.path("etc")
        chmod(etc, 0o777)
        let reloaded = try machine.load(keeping: before)
        #expect(reloaded.clients == before.clients)
        #expect(
            reloaded.problems.map(\.description) == [
                "\(etc): This can be written by others than its owner; run: chmod go-w \(etc)",
                "\(etc): Until this is corrected, the previous declarations stay in force.",
            ])
        let started = try machine.load()
        #expect(started.clients == [] && !started.areClientsKnown && reloaded.areClientsKnown)
        #expect(
            started.problems.last?.message
                == "Until this is corrected, no client is declared, and no program gets a location.")
    }

    @Test("files of another user are refused", .enabled(if: geteuid() == 0, "only root can give files away"))
    func fileOfAnotherUserIsRefused() throws {
        let file = try directory.write("etc/a.plist", client("org.example.A"))
        chown(file, 4711, 0)
        let configuration = try machine.load()
        #expect(configuration.clients == [])
        #expect(
            configuration.problems.first?.message
                == "This belongs to user 4711 and not to root; run: chown root \(file)")
    }

    @Test("files that cannot be read are refused", .enabled(if: geteuid() != 0, "root can read everything"))
    func unreadableFileIsRefused() throws {
        let file = try directory.write("etc/a.plist", client("org.example.A"), mode: 0)
        #expect(Configuration.check(file: file).problems.map(\.message) == ["This cannot be read: Permission denied."])
    }

    @Test("anything but a regular file is refused without blocking")
    func onlyRegularFilesAreRead() throws {
        mkfifo(machine.path("etc/a.plist"), 0o644)
        _ = try directory.makeDirectory("etc/b.plist")
        symlink("c.plist", machine.path("etc/c.plist"))
        symlink("nowhere", machine.path("etc/d.plist"))
        symlink("/dev/zero", machine.path("etc/e.plist"))
        let undeclared =
            "Until this is corrected, its client is not declared. Programs without a declaration get no location meanwhile."
        #expect(
            machine.problems(try machine.load()) == [
                "etc/a.plist: This is not a regular file.", "etc/a.plist: \(undeclared)",
                "etc/b.plist: This is not a regular file.", "etc/b.plist: \(undeclared)",
                "etc/c.plist: This cannot be read: Too many levels of symbolic links.", "etc/c.plist: \(undeclared)",
                "etc/d.plist: This cannot be read: No such file or directory.", "etc/d.plist: \(undeclared)",
                "etc/e.plist: This is not a regular file.", "etc/e.plist: \(undeclared)",
            ])
    }

    @Test("a configured directory that is missing is reported, and so is a file in its place")
    func unusableDirectory() throws {
        rmdir(machine.path("etc"))
        let problems = machine.problems(try machine.load())
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("locationd.plist: ClientDirectories[1]: ") == true, "\(problems)")
        #expect(problems.first?.hasSuffix("etc does not exist. Correct the path, or create the directory.") == true)
        try directory.write("etc", "")
        #expect(machine.problems(try machine.load()).first == "etc: This cannot be read: Not a directory.")
    }

    @Test("a second declaration of one program is reported, unless they are for different users")
    func secondDeclaration() throws {
        try directory.write("etc/a.plist", client("org.example.A", executable: "/usr/bin/weather"))
        try directory.write("etc/b.plist", client("org.example.B", executable: "/usr/bin/weather"))
        let problems = machine.problems(try machine.load())
        #expect(problems.count == 1)
        #expect(
            problems.first?.contains("neither org.example.A nor org.example.B gets a location") == true, "\(problems)")
        for (name, user) in [("a", 1), ("b", 2)] {
            let match =
                "<key>Executable</key><string>/usr/bin/weather</string>"
                + "<key>Users</key><array><integer>\(user)</integer></array>"
            try directory.write(
                "etc/\(name).plist",
                xml(
                    "<dict><key>CFBundleIdentifier</key><string>org.example.\(name)</string>"
                        + "<key>Match</key><dict>\(match)</dict></dict>"))
        }
        #expect(try machine.load().problems == [])
    }
}
