import LocationModel
import LocationPolicy
import Testing

@testable import LocationConfiguration

/// Rules in property lists: what is read, what is refused, and that a refused part never makes a rule limit less.
@Suite("Reading rules", .timeLimit(.minutes(10))) struct RuleReadingTests {
    private static func read(_ dictionary: String, _ id: AccessRule.ID = .init(.user, 7))
        -> (rule: AccessRule, problems: [String])
    {
        let (rule, problems) = AccessRule.read(Array("<plist>\(dictionary)</plist>".utf8), id: id, file: "F")
        return (rule, problems.map { $0.description.replacing("F:1: ", with: "").replacing("F: ", with: "") })
    }

    private static func dict(_ body: String, when: String = "") -> String {
        "<dict>\(when.isEmpty ? "" : "<key>When</key><dict>\(when)</dict>")\(body)</dict>"
    }

    private static let deny = "<key>Deny</key><true/>"

    private static func string(_ key: String, _ value: String) -> String {
        "<key>\(key)</key><string>\(value)</string>"
    }

    private static func strings(_ key: String, _ values: String...) -> String {
        "<key>\(key)</key><array>\(values.map { "<string>\($0)</string>" }.joined())</array>"
    }

    @Test("a rule is read with all its conditions and limits, and written so that it reads the same")
    func wholeRules() {
        let rows = [
            (
                Self.dict(
                    Self.deny + Self.strings("Except", "org.example.Doorbell"), when: Self.string("Inside", "home")),
                "inside home: nobody but org.example.Doorbell"
            ),
            (
                Self.dict(
                    Self.string("MaximumAuthorization", "whenInUse") + Self.string("MaximumAccuracy", "reduced")
                        + "<key>MinimumInterval</key><integer>600</integer>" + Self.strings("Clients", "a.A", "b.B"),
                    when: Self.string("Hours", "22:00-06:30") + Self.strings("Days", "Friday", "Saturday")
                        + Self.string("Outside", "Café &amp; Bar") + "<key>OnBattery</key><true/>"
                        + "<key>SessionLocked</key><true/><key>NobodyPresent</key><true/>"),
                "from 22:00 to 06:30 on Friday and Saturday, outside Café & Bar, on battery, while the screen is locked, "
                    + "while nobody is at the machine: a.A and b.B only while in use, only the approximate location "
                    + "(about 5 km), at most every 10 minutes"
            ),
            (Self.dict(Self.deny, when: Self.string("Hours", "18:00-24:00")), "from 18:00 to 00:00: nobody"),
            (Self.dict(Self.deny, when: Self.string("Hours", "00:00-24:00")), "always: nobody"),
            (Self.dict(Self.deny, when: Self.strings("Days", "Sunday")), "on Sunday: nobody"),
            (Self.dict(Self.deny), "always: nobody"),
        ]
        for (list, sentence) in rows {
            let (rule, problems) = Self.read(list)
            #expect(problems == [])
            #expect(rule.sentence() == sentence)
            let again = AccessRule.read(Array(rule.propertyList.utf8), id: rule.id, file: "F")
            #expect(again.problems == [] && again.rule.sentence() == sentence)
            #expect(again.rule.limit == rule.limit && again.rule.scope == rule.scope)
        }
    }

    @Test("each wrong value is refused with its key and range, and the rule limits at least as much without it")
    func wrongValues() {
        let home = Self.string("Inside", "home")
        let rows: [(String, String, String)] = [
            (
                Self.dict("", when: home),
                "This limits nothing; add at least one of Deny, MaximumAuthorization, "
                    + "MaximumAccuracy, MinimumInterval.", "inside home: nobody"
            ),
            (
                Self.dict("<key>Deny</key><false/>", when: home),
                "Deny: This must be true; to switch it off, remove the key.", "inside home: nobody"
            ),
            (
                Self.dict("<key>Deni</key><true/>", when: home), "Deni: This key is not known; did you mean Deny?",
                "inside home: nobody"
            ),
            (
                Self.dict(Self.string("MaximumAccuracy", "full"), when: home),
                "MaximumAccuracy: This must be reduced, not \"full\".", "inside home: nobody"
            ),
            (
                Self.dict(Self.string("MaximumAuthorization", "always")),
                "MaximumAuthorization: This must be whenInUse, not \"always\".", "always: nobody"
            ),
            (
                Self.dict("<key>MinimumInterval</key><integer>0</integer>", when: home),
                "MinimumInterval: This must be from 1 to 86400, not 0.", "inside home: nobody"
            ),
            (
                Self.dict(Self.string("MaximumAccuracy", "reduced") + "<key>MinimunInterval</key><integer>9</integer>"),
                "MinimunInterval: This key is not known; did you mean MinimumInterval?", "always: nobody"
            ),
            // Conditions that are left out.
            (
                Self.dict(Self.deny, when: Self.string("Hours", "22-6") + home),
                "When.Hours: This must be two different times of day such as 22:00-06:00, from 00:00 to 24:00.",
                "inside home: nobody"
            ),
            (
                Self.dict(Self.deny, when: Self.string("Hours", "06:00-06:00")),
                "When.Hours: This must be two different times of day such as 22:00-06:00, from 00:00 to 24:00.",
                "always: nobody"
            ),
            (
                Self.dict(Self.deny, when: Self.string("Hours", "22:00-06:00") + Self.strings("Days", "Fryday")),
                "When.Days[0]: This must be a day such as Monday, not \"Fryday\"; did you mean Friday?",
                "always: nobody"
            ),
            (
                Self.dict(Self.deny, when: Self.string("Insid", "home") + "<key>OnBattery</key><true/>"),
                "When.Insid: This key is not known; did you mean Inside?", "on battery: nobody"
            ),
            (
                Self.dict(Self.deny, when: "<key>Inside</key><integer>3</integer>"),
                "When.Inside: This must be a string, not an integer.", "always: nobody"
            ),
            (
                Self.dict(Self.deny, when: home + Self.string("Outside", "home")),
                "When.Outside: No location is inside and outside of the same place.", "always: nobody"
            ),
            (
                Self.dict(Self.deny, when: "<key>OnBattery</key><false/>"),
                "When.OnBattery: This must be true; to switch it off, remove the key.", "always: nobody"
            ),
            (
                Self.dict(Self.deny + Self.string("When", "night")), "When: This must be a dictionary, not a string.",
                "always: nobody"
            ),
            // Exceptions that are left out; clients that may be any.
            (
                Self.dict(Self.deny + Self.strings("Except", "a.A", "not an id")),
                "Except[1]: Name a program as locationctl clients does: org.example.Weather, or the path of its file, such "
                    + "as /usr/bin/gpspipe.", "always: nobody but a.A"
            ),
            (
                Self.dict(Self.string("MaximumAccuracy", "reduced") + Self.strings("Clients")),
                "Clients: This names no client; to limit all, remove the key.", "always: nobody"
            ),
            (
                Self.dict(Self.deny + Self.strings("Clients", "a.A") + Self.strings("Except", "b.B")),
                "Clients: Give either Clients or Except.", "always: nobody but b.B"
            ),
            ("<string>nobody</string>", "This must be a dictionary, not a string.", "always: nobody"),
        ]
        for (list, problem, sentence) in rows {
            let (rule, problems) = Self.read(list)
            #expect(problems == [problem])
            #expect(rule.sentence() == sentence, "\(problem)")
        }
        #expect(Self.read("<dict>").rule == AccessRule(.init(.user, 7), limit: .denial))
        #expect(AccessRule.read([], id: .init(.user, 1), file: "F").rule.limit == .denial)
    }

    private static func daemon(_ body: String) throws -> (rules: [AccessRule], problems: [String]) {
        let list = "<plist><dict>\(body)</dict></plist>"
        let reading = DaemonConfiguration.read(try PropertyListDocument(Array(list.utf8), file: "F"))
        return (reading.value?.defaultRules ?? [], reading.problems.map { "\($0.keyPath ?? "")" })
    }

    @Test("rules for all clients are read from the service's file; those in doubt deny")
    func defaultPolicy() throws {
        func policy(_ rules: String) -> String { "<key>DefaultPolicy</key><dict><key>Rules</key>\(rules)</dict>" }
        let good = Self.dict(Self.deny, when: Self.string("Hours", "22:00-06:00"))
        let bad = Self.dict("<key>Dennie</key><true/>", when: "<key>OnBattery</key><true/>")

        #expect(try Self.daemon("").rules == [])
        let (rules, problems) = try Self.daemon(policy("<array>\(good)\(bad)<true/></array>"))
        #expect(rules.map(\.id.description) == ["machine-1", "machine-2", "machine-3"])
        #expect(rules.map { $0.sentence() } == ["from 22:00 to 06:00: nobody", "on battery: nobody", "always: nobody"])
        #expect(problems.sorted() == ["DefaultPolicy.Rules[1].Dennie", "DefaultPolicy.Rules[2]"])
        for doubtful in [
            policy("<string>night</string>"), "<key>DefaultPolicy</key><true/>",
            "<key>DefaultPolice</key><dict><key>Rules</key><array>\(good)</array></dict>",
            "<key>DefaultPolicy</key><dict><key>Rule</key><array>\(good)</array></dict>",
        ] {
            #expect(try Self.daemon(doubtful).rules.map { $0.sentence() } == ["always: nobody"], "\(doubtful)")
        }
    }

    @Test("a client's own rules name no clients, and a mistake in them is a problem of the declaration")
    func clientPolicy() throws {
        func reading(_ rule: String) throws -> DocumentReading<ClientDeclaration> {
            let list = """
                <plist><dict><key>CFBundleIdentifier</key><string>org.example.Weather</string>
                <key>Match</key><dict><key>Executable</key><string>/usr/bin/weather</string></dict>
                <key>Policy</key><dict><key>Rules</key><array>\(rule)</array></dict></dict></plist>
                """
            return ClientDeclaration.read(try PropertyListDocument(Array(list.utf8), file: "F"))
        }
        let good = try reading(Self.dict(Self.deny, when: "<key>OnBattery</key><true/>"))
        #expect(good.problems == [])
        #expect(good.value?.policy.rules.map(\.id.description) == ["client-1"])
        #expect(good.value?.policy.rules.map { $0.sentence() } == ["on battery: nobody"])
        for key in ["Except", "Clients"] {
            let bad = try reading(Self.dict(Self.deny + Self.strings(key, "a.A")))
            #expect(bad.problems.map(\.keyPath) == ["Policy.Rules[0].\(key)"])
            #expect(bad.value?.policy.rules.map { $0.sentence() } == ["always: nobody"])
        }
    }
}
