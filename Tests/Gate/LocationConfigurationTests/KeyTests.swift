import GPSDProtocol
import FoundationEssentials
import LocationConfiguration
import LocationModel
import LocationPolicy
import TestSupport
import Testing

/// What each key takes, and what is said of what it does not take.
@Suite(.timeLimit(.minutes(10))) struct KeyTests {
    /// Lines of a daemon's dictionary, the first on line 3.
    static func daemon(_ lines: String) -> String { xml("<dict>\n\(lines)\n</dict>") }

    /// Lines of a declaration's dictionary, the first on line 5.
    static func declaration(_ lines: String) -> String { client("org.example.Weather", lines) }

    static func match(_ lines: String) -> String {
        xml("<dict>\n<key>CFBundleIdentifier</key><string>a</string>\n<key>Match</key><dict>\n\(lines)\n</dict></dict>")
    }

    static func policy(_ lines: String) -> String { declaration("<key>Policy</key><dict>\n\(lines)\n</dict>") }

    static let daemonRows: [(String, [String])] = [
        ("", []),
        (
            "<key>HistoryDay</key><integer>3</integer>\n<key>Colour</key><true/>",
            [
                "F:3: HistoryDay: This key is not known; did you mean HistoryDays?",
                "F:4: Colour: This key is not known here.",
            ]
        ),
        ("<key>HistoryDays</key>\n<string>3</string>", ["F:3: HistoryDays: This must be an integer, not a string."]),
        (
            "<key>HistoryDays</key><integer>3x</integer>",
            ["F:3: HistoryDays: This must be an integer, not a date, data or an unreadable number."]
        ),
        ("<key>HistoryDays</key><integer>-1</integer>", ["F:3: HistoryDays: This must be from 0 to 3650, not -1."]),
        ("<key>PromptTimeout</key><integer>4</integer>", ["F:3: PromptTimeout: This must be from 5 to 3600, not 4."]),
        ("<key>ExitOnIdle</key><integer>0</integer>", ["F:3: ExitOnIdle: This must be from 1 to 86400, not 0."]),
        (
            "<key>Limits</key>\n<dict>\n<key>MessageSize</key><integer>1</integer>\n<key>messagesise</key><true/></dict>",
            [
                "F:5: Limits.MessageSize: This must be from 4096 to 16777216, not 1.",
                "F:6: Limits.messagesise: This key is not known here.",
            ]
        ),
        ("<key>Modem</key><dict><key>Enabled</key><true/></dict>", []),
        (
            "<key>Modem</key><dict><key>Enabled</key><integer>1</integer></dict>",
            ["F:3: Modem.Enabled: This must be a boolean, not an integer."]
        ),
        ("<key>Modem</key><true/>", ["F:3: Modem: This must be a dictionary, not a boolean."]),
        ("<key>WiFi</key>\n<dict><key>Enabled</key><true/></dict>", []),
        (
            "<key>WiFi</key>\n<dict><key>Enabled</key><string>yes</string></dict>",
            ["F:4: WiFi.Enabled: This must be a boolean, not a string."]
        ),
        (
            "<key>Limits</key>\n<dict>\n<key>RulesPerUser</key><integer>0</integer>\n<key>PlacesPerUser</key><integer>1001</integer></dict>",
            [
                "F:5: Limits.RulesPerUser: This must be from 1 to 1000, not 0.",
                "F:6: Limits.PlacesPerUser: This must be from 1 to 1000, not 1001.",
            ]
        ),
        ("<key>Limits</key><array/>", ["F:3: Limits: This must be a dictionary, not an array."]),
        (
            "<key>ClientDirectories</key><array>\n<string>/etc/a</string>\n<string>b</string>\n<string>/etc/a</string>\n<true/></array>",
            [
                "F:5: ClientDirectories[1]: This must be an absolute path without \"//\", \".\" or \"..\" in it and without \"/\" at its end.",
                "F:6: ClientDirectories[2]: This is in the array already; keep one of the two.",
                "F:7: ClientDirectories[3]: This must be a string, not a boolean.",
            ]
        ),
        (
            "<key>Agents</key><string>/usr/bin/locationctl</string>",
            ["F:3: Agents: This must be an array, not a string."]
        ),
        (
            "<key>GPSD</key><dict>\n<key>Socket</key><string>/run/gpsd.sock</string>\n<key>Port</key><integer>0</integer></dict>",
            [
                "F:4: GPSD.Socket: Give either Socket, or Host and Port.",
                "F:5: GPSD.Port: This must be from 1 to 65535, not 0.",
            ]
        ),
        (
            "<key>GPSD</key><dict><key>Host</key><string>a b</string></dict>",
            ["F:3: GPSD.Host: This must be a host name or an IP address."]
        ),
        (
            "<key>GPSD</key><dict><key>Socket</key><string>/\(String(repeating: "a", count: 107))</string></dict>",
            ["F:3: GPSD.Socket: This must be at most 107 bytes long, not 108."]
        ),
        (
            "<key>FixedLocation</key><dict>\n<key>Latitude</key><integer>91</integer>\n<key>Altitude</key><string>x</string></dict>",
            [
                "F:3: FixedLocation.Longitude: This key is missing.",
                "F:4: FixedLocation.Latitude: This must be from -90 to 90, not 91.",
                "F:5: FixedLocation.Altitude: This must be a number, not a string.",
            ]
        ),
        (
            "<key>GPSD</key><dict><key>Device</key><string> </string></dict>",
            ["F:3: GPSD.Device: This must not be empty."]
        ),
    ]

    @Test("an invalid key of the daemon's file is reported with line, key and remedy", arguments: daemonRows)
    func invalidDaemonKeyIsReported(lines: String, expected: [String]) throws {
        #expect(try problems(Self.daemon(lines).utf8) == expected)
    }

    static let clientRows: [(String, [String])] =
        [
            (declaration(""), []),
            (
                xml(
                    "<dict>\n<key>CFBundleIdentifer</key><string>a</string>\n<key>UIBackgroundModes</key><array/></dict>"
                ),
                [
                    "F:2: CFBundleIdentifier: This key is missing; it names the client: org.example.Weather.",
                    "F:2: Match: This key is missing; it says how to recognise the client.",
                    "F:3: CFBundleIdentifer: This key is not known; did you mean CFBundleIdentifier?",
                ]
            ),
            (client(""), ["F:3: CFBundleIdentifier: This must not be empty."]),
        ]
        + ["a b", "a..b", ".a", "ä", "../a", "a/b"].map {
            (
                client($0),
                [
                    "F:3: CFBundleIdentifier: An identifier is letters, digits, \"-\" and \"_\", in parts with a single \".\" between them, such as org.example.Weather."
                ]
            )
        }
        + ["bin/a", "/", "/usr//a", "/usr/./a", "/usr/../a", "/usr/a/"].map {
            (
                client("a", executable: $0),
                [
                    "F:4: Match.Executable: This must be an absolute path without \"//\", \".\" or \"..\" in it and without \"/\" at its end."
                ]
            )
        }
        + [
            (
                match(""),
                [
                    "F:4: Match: This matches no program; add at least one of Executable, SystemdUnit, UserUnit, FlatpakID, SecurityLabel."
                ]
            ),
            (
                match("<key>Users</key><array><string>root</string></array>"),
                [
                    "F:4: Match: This matches no program; add at least one of Executable, SystemdUnit, UserUnit, FlatpakID, SecurityLabel."
                ]
            ),
            (
                match("<key>SystemdUnit</key><string>weather</string>"),
                [
                    "F:5: Match.SystemdUnit: This must name a unit that programs run in, with its suffix: .service or .scope."
                ]
            ),
            (
                match("<key>UserUnit</key><string>a b.service</string>"),
                ["F:5: Match.UserUnit: A unit name is letters, digits and \":-_.@\\\"; see systemd-escape(1)."]
            ),
            (match("<key>UserUnit</key><string>app-a\\x2db@1.service</string>"), []),
            (
                match("<key>SecurityLabel</key><string>a&#10;b</string>"),
                ["F:5: Match.SecurityLabel: This must be one line without control characters or invisible ones."]
            ),
            (
                match(
                    "<key>FlatpakID</key><string>org.example.A</string>\n<key>Users</key><array>\n<string>root</string><integer>5</integer><string>77</string>\n<string>no-such-user</string>\n<integer>-1</integer>\n<string>4294967295</string>\n<true/></array>"
                ),
                [
                    "F:8: Match.Users[3]: There is no user \"no-such-user\"; create it first or name another.",
                    "F:9: Match.Users[4]: A user id is a number from 0 to 4294967294.",
                    "F:10: Match.Users[5]: A user id is a number from 0 to 4294967294.",
                    "F:11: Match.Users[6]: This must be a user's name or number, not a boolean.",
                ]
            ),
            (
                match("<key>Executable</key><string>/a</string>\n<key>Users</key><array/>"),
                ["F:6: Match.Users: This excludes every user; to include all, remove the key."]
            ),
            (
                declaration("<key>NSLocationAlwaysUsageDescription</key><string>x</string>"),
                [
                    "F:5: NSLocationAlwaysUsageDescription: NSLocationWhenInUseUsageDescription is missing; the first prompt needs it."
                ]
            ),
            (
                declaration(
                    "<key>NSLocationWhenInUseUsageDescription</key><string> </string>\n<key>NSLocationAlwaysUsageDescription</key><string>\(String(repeating: "x", count: 513))</string>"
                ),
                [
                    "F:5: NSLocationWhenInUseUsageDescription: This must not be empty.",
                    "F:6: NSLocationAlwaysUsageDescription: This must be at most 512 bytes long, not 513.",
                ]
            ),
            (
                declaration(
                    "<key>NSLocationTemporaryUsageDescriptionDictionary</key><dict>\n<key>a.b</key><string/>\n<key></key><string>x</string></dict>"
                ),
                [
                    "F:6: NSLocationTemporaryUsageDescriptionDictionary[\"a.b\"]: This must not be empty.",
                    "F:7: NSLocationTemporaryUsageDescriptionDictionary[\"\"]: The key: This must not be empty.",
                ]
            ),
            (declaration("<key>Recipients</key><array><string>The office</string></array>"), []),
            (
                declaration("<key>Recipients</key><string>The office</string>"),
                ["F:5: Recipients: This must be an array, not a string."]
            ),
            (
                declaration("<key>Recipients</key><array/>"),
                ["F:5: Recipients: This names no recipient; add one or remove the key."]
            ),
            (
                declaration(
                    "<key>Recipients</key>\n<array>\n<string>a&#10;b</string>\n<string>\(String(repeating: "x", count: 129))</string>\n<string>a</string>\n<string>a</string>\n<true/></array>"
                ),
                [
                    "F:7: Recipients[0]: This must be one line without control characters or invisible ones.",
                    "F:8: Recipients[1]: This must be at most 128 bytes long, not 129.",
                    "F:10: Recipients[3]: This is in the array already; keep one of the two.",
                    "F:11: Recipients[4]: This must be a string, not a boolean.",
                ]
            ),
            (
                declaration(
                    "<key>Recipients</key><array>\((1...9).map { "<string>\($0)</string>" }.joined())</array>"),
                ["F:5: Recipients: This must name at most 8 recipients, not 9; name groups of them."]
            ),
            (
                declaration(
                    "<key>UIBackgroundModes</key><array><string>location</string><string>audio</string></array>"),
                ["F:5: UIBackgroundModes[1]: The only background mode known is the string location."]
            ),
            (
                policy(
                    "<key>MaximumAuthorization</key><string>whenInUse</string>\n<key>PresetAuthorization</key><string>always</string>\n<key>Restricted</key><true/>"
                ),
                [
                    "F:7: Policy.PresetAuthorization: A Restricted client gets no location; remove one of the two keys.",
                    "F:7: Policy.PresetAuthorization: always is more than MaximumAuthorization (whenInUse) permits.",
                ]
            ),
            (
                policy(
                    "<key>MaximumAuthorization</key><string>Always</string>\n<key>MaximumAccuracy</key><string>\u{202E}x</string>\n<key>restricted</key><true/>"
                ),
                [
                    "F:6: Policy.MaximumAuthorization: This must be whenInUse or always, not \"Always\".",
                    "F:7: Policy.MaximumAccuracy: This must be full or reduced, not \"\\u{202e}x\".",
                    "F:8: Policy.restricted: This key is not known; did you mean Restricted?",
                ]
            ),
        ]

    private static func launch(_ launch: String, match: String = "<key>SystemdUnit</key><string>a@1.service</string>")
        -> String
    {
        xml(
            "<dict>\n<key>CFBundleIdentifier</key><string>a</string>\n<key>Match</key><dict>\(match)</dict>\n"
                + "<key>Launch</key><dict>\n\(launch)\n</dict></dict>")
    }

    /// `Launch`, and the problems.
    static let launchRows: [(String, [String])] = [
        (launch("<key>SystemdUnit</key><string>a@1.service</string>"), []),
        (
            launch("<key>UserUnit</key><string>a.service</string>", match: "<key>Executable</key><string>/a</string>"),
            []
        ),
        (
            launch(
                "<key>UserUnit</key><string>a.service</string>", match: "<key>UserUnit</key><string>a.service</string>"),
            []
        ),
        (launch(""), ["F:5: Launch: This names no unit; add SystemdUnit or UserUnit."]),
        (
            launch("<key>SystemUnit</key><string>a@1.service</string>"),
            [
                "F:5: Launch: This names no unit; add SystemdUnit or UserUnit.",
                "F:6: Launch.SystemUnit: This key is not known; did you mean SystemdUnit?",
            ]
        ),
        (
            launch("<key>SystemdUnit</key><string>a@1.service</string><key>UserUnit</key><string>a.service</string>"),
            ["F:6: Launch.UserUnit: A client has one unit: remove SystemdUnit or UserUnit."]
        ),
        (
            launch("<key>SystemdUnit</key><string>b.service</string>"),
            [
                "F:6: Launch.SystemdUnit: Only a unit that the client's programs run in can be started: add it to Match as SystemdUnit."
            ]
        ),
        (
            launch(
                "<key>SystemdUnit</key><string>a.service</string>", match: "<key>Executable</key><string>/a</string>"),
            [
                "F:6: Launch.SystemdUnit: Only a unit that the client's programs run in can be started: add it to Match as SystemdUnit."
            ]
        ),
        (
            launch(
                "<key>UserUnit</key><string>a.service</string>", match: "<key>UserUnit</key><string>b.service</string>"),
            [
                "F:6: Launch.UserUnit: The programs of this unit would not be the client's: Match requires another unit."
            ]
        ),
        (
            launch("<key>UserUnit</key><string>a.service</string>"),
            [
                "F:6: Launch.UserUnit: The programs of this unit would not be the client's: Match requires another unit."
            ]
        ),
        (
            launch("<key>SystemdUnit</key><string>a.scope</string>"),
            ["F:6: Launch.SystemdUnit: Only a service can be started: this must name one, with the suffix .service."]
        ),
        (
            launch("<key>UserUnit</key><string>.service</string>"),
            ["F:6: Launch.UserUnit: Only a service can be started: this must name one, with the suffix .service."]
        ),
        (
            launch("<key>UserUnit</key><string>../a.service</string>"),
            ["F:6: Launch.UserUnit: A unit name is letters, digits and \":-_.@\\\"; see systemd-escape(1)."]
        ),
        (
            launch("<key>UserUnit</key><string>@a.service</string>"),
            ["F:6: Launch.UserUnit: A unit name does not start with \"@\"."]
        ),
        (
            launch("<key>UserUnit</key><string>a@.service</string>"),
            [
                "F:6: Launch.UserUnit: This is a template, which cannot be started: add the instance, such as a@1.service."
            ]
        ),
    ]

    @Test(
        "a unit to start is a service of the client's own, or refused with line, key and remedy", arguments: launchRows)
    func launchNamesOneUnitOfTheClient(text: String, expected: [String]) throws {
        #expect(try problems(text.utf8) == expected)
    }

    @Test("an invalid key of a declaration is reported with line, key and remedy", arguments: clientRows)
    func declarations(text: String, expected: [String]) throws {
        #expect(try problems(text.utf8) == expected)
    }

    @Test("every key of a declaration is read")
    func everyKeyOfADeclarationIsRead() throws {
        let keys: Plain = [
            "CFBundleIdentifier": "org.example.Weather", "CFBundleDisplayName": "Weather",
            "NSLocationWhenInUseUsageDescription": "Rain?", "NSLocationAlwaysUsageDescription": "Older.",
            "NSLocationAlwaysAndWhenInUseUsageDescription": "Storm!", "NSLocationDefaultAccuracyReduced": true,
            "NSLocationTemporaryUsageDescriptionDictionary": ["Route": "To lead you."],
            "UIBackgroundModes": ["location"],
            "Match": [
                "Executable": "/usr/bin/weather", "SystemdUnit": "weather.service", "UserUnit": "app-weather.scope",
                "FlatpakID": "org.example.Weather", "SecurityLabel": "weather (enforce)", "Users": ["root", 7, "8"],
            ],
            "Policy": [
                "MaximumAuthorization": "always", "PresetAuthorization": "whenInUse", "MaximumAccuracy": "reduced",
                "Restricted": false,
            ],
            "Launch": ["SystemdUnit": "weather.service"],
        ]
        let directory = try TemporaryDirectory()
        let clients = try directory.makeDirectory("clients.d")
        let file = try directory.write("clients.d/weather.plist", keys.list())
        let main = try directory.write("locationd.plist", directories(clients))

        var match = ClientMatch()
        match.executable = "/usr/bin/weather"
        match.systemdUnit = "weather.service"
        match.userUnit = "app-weather.scope"
        match.flatpakID = "org.example.Weather"
        match.securityLabel = "weather (enforce)"
        match.users = [0, 7, 8]
        var expected = ClientDeclaration(identifier: "org.example.Weather", match: match, file: file)
        expected.displayName = "Weather"
        expected.whenInUseUsageDescription = "Rain?"
        expected.alwaysUsageDescription = "Storm!"
        expected.isReducedAccuracyDefault = true
        expected.temporaryFullAccuracyPurposes = ["Route": "To lead you."]
        expected.hasLocationBackgroundMode = true
        expected.policy.presetAuthorization = .whenInUse
        expected.policy.maximumAccuracy = .reduced
        expected.launch = .system("weather.service")
        #expect(try Configuration.load(file: main).clients == [expected])
    }

    @Test("every key of the daemon's file is read")
    func everyKeyOfTheDaemonIsRead() throws {
        let keys: Plain = [
            "GPSD": ["Socket": "/run/gpsd.sock", "Device": "/dev/ttyS0"], "ClientDirectories": ["/nowhere/a"],
            "Agents": ["/opt/agent"], "PromptTimeout": 5, "HistoryDays": 0, "ResetUnusedAfter": 7,
            "ExitOnIdle": 9,
            "Limits": [
                "ConnectionsPerUser": 1, "SubscriptionsPerUser": 2, "BytesPerUser": 65_536, "MessageSize": 4096,
                "DecisionsPerUser": 16, "ConditionsPerClient": 1, "Conditions": 2, "RulesPerUser": 3,
                "PlacesPerUser": 4, "MonitorStreamsPerClient": 5,
            ],
        ]
        let directory = try TemporaryDirectory()
        var expected = DaemonConfiguration()
        expected.gpsd = [.init(.unix(path: "/run/gpsd.sock"), preferredDevice: "/dev/ttyS0")]
        expected.clientDirectories = ["/nowhere/a"]
        expected.agents = ["/opt/agent"]
        expected.promptTimeout = 5
        expected.historyDays = 0
        expected.resetUnusedAfter = 7
        expected.exitOnIdle = 9
        expected.limits.connectionsPerUser = 1
        expected.limits.subscriptionsPerUser = 2
        expected.limits.bytesPerUser = 65_536
        expected.limits.messageSize = 4096
        expected.limits.decisionsPerUser = 16
        expected.limits.conditionsPerClient = 1
        expected.limits.conditions = 2
        expected.limits.rulesPerUser = 3
        expected.limits.placesPerUser = 4
        expected.limits.monitorStreamsPerClient = 5
        #expect(try Configuration.load(file: directory.write("d.plist", keys.list())).daemon == expected)

        let host = try directory.write(
            "h.plist", Self.daemon("<key>GPSD</key><dict><key>Host</key><string>::1</string></dict>"))
        #expect(try Configuration.load(file: host).daemon.gpsd == [.init(.tcp(host: "::1"))])
    }

    @Test("GPSD may be an array, of which each gpsd is read by itself")
    func severalGPSD() throws {
        let directory = try TemporaryDirectory()
        func read(_ elements: String) throws -> Configuration {
            let list = Self.daemon("<key>GPSD</key><array>\(elements)</array>")
            return try Configuration.load(file: directory.write("several.plist", list))
        }
        let boat = "<dict><key>Host</key><string>boat.example</string><key>Device</key><string>/dev/a</string></dict>"
        let stick = "<dict><key>Socket</key><string>/run/gpsd.sock</string></dict>"
        let both = try read(boat + stick)
        #expect(both.problems.isEmpty)
        #expect(
            both.daemon.gpsd == [
                .init(.tcp(host: "boat.example"), preferredDevice: "/dev/a"), .init(.unix(path: "/run/gpsd.sock")),
            ])
        #expect(try read("").daemon.gpsd == [], "a machine without gpsd")
        let twice = try read(boat + boat)
        #expect(twice.problems.map(\.keyPath) == ["GPSD[1]", "GPSD"])
        #expect(twice.daemon.gpsd == [], "which of the two is meant is in doubt")
        #expect(try read("<string>boat.example</string>").problems.map(\.keyPath) == ["GPSD[0]", "GPSD"])
    }

    @Test("the shipped files are valid and contain the defaults")
    func shippedFilesAreValidAndStateDefaults() throws {
        let config = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Config")
        func content(_ name: String) throws -> Data { try Data(contentsOf: config.appending(path: name)) }
        let directory = try TemporaryDirectory()
        let main = try directory.write("locationd.plist", content("locationd.plist"))
        let check = Configuration.check(file: main)
        #expect(check.kind == .daemon && check.problems == [])
        #expect(try Configuration.load(file: main).daemon == DaemonConfiguration())

        let names = try FileManager.default.contentsOfDirectory(atPath: config.appending(path: "clients.d").path)
        let clients = try directory.makeDirectory("clients.d")
        for name in names {
            let check = try Configuration.check(
                file: directory.write("clients.d/\(name)", content("clients.d/\(name)")))
            #expect(check.kind == .client && check.problems == [], "\(name)")
        }
        // All of them at once: no identifier comes twice, no program has two, and each file is named for its client.
        let together = try Configuration.load(
            file: directory.write("all.plist", directories(clients)))
        #expect(together.problems == [] && together.clients.count == names.count && names.count > 9)
        #expect(Set(together.clients.map(\.match)).count == names.count)
        for client in together.clients {
            #expect(client.file.hasSuffix("/\(client.identifier).plist"))
            #expect(client.whenInUseUsageDescription?.isEmpty == false && client.displayName != client.identifier)
        }
    }
}
