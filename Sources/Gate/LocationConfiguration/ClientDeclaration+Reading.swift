import LocationModel
import LocationPolicy

extension ClientDeclaration {
    /// The longest usage description in bytes, so that a prompt can show all of it.
    private static let usageDescription = TextRule.line(512)
    /// The greatest number of recipients and the longest name of one in bytes, so that a prompt can show all of them.
    private static let (recipientCount, recipient) = (8, TextRule.line(128))

    /// Reads a document as a client's declaration.
    static func read(_ document: PropertyListDocument) -> DocumentReading<ClientDeclaration> {
        DocumentReading(document) { reader in
            let identifier = reader.string("CFBundleIdentifier", .identifier)
            if !reader.has("CFBundleIdentifier") {
                reader.report("CFBundleIdentifier", "This key is missing; it names the client: org.example.Weather.")
            }
            let match = reader.dictionary("Match", ClientMatch.init(reading:))
            if !reader.has("Match") {
                reader.report("Match", "This key is missing; it says how to recognise the client.")
            }
            var declaration = ClientDeclaration(
                identifier: identifier ?? "", match: match ?? ClientMatch(), file: document.file)
            declaration.readDescriptions(reader)
            declaration.policy = reader.dictionary("Policy", ClientPolicy.init(reading:)) ?? ClientPolicy()
            declaration.launch = reader.dictionary("Launch") { LaunchUnit(reading: $0, of: declaration.match) } ?? nil
            return declaration
        }
    }

    private mutating func readDescriptions(_ reader: DictionaryReader) {
        let rule = Self.usageDescription
        displayName = reader.string("CFBundleDisplayName", .line(128)) ?? identifier
        whenInUseUsageDescription = reader.string("NSLocationWhenInUseUsageDescription", rule)
        let always = ["NSLocationAlwaysAndWhenInUseUsageDescription", "NSLocationAlwaysUsageDescription"]
        alwaysUsageDescription = always.compactMap { reader.string($0, rule) }.first
        // The first prompt of a client that requests *always* shows the when-in-use text, so the other alone is not
        // sufficient.
        if let key = always.first(where: reader.has), !reader.has("NSLocationWhenInUseUsageDescription") {
            reader.report(key, "NSLocationWhenInUseUsageDescription is missing; the first prompt needs it.")
        }
        isReducedAccuracyDefault = reader.boolean("NSLocationDefaultAccuracyReduced") ?? false
        temporaryFullAccuracyPurposes =
            reader.stringsByKey("NSLocationTemporaryUsageDescriptionDictionary", keys: .line(128), rule) ?? [:]
        readRecipients(reader)
        for (path, mode) in reader.array("UIBackgroundModes") ?? [] {
            if mode == .string("location") {
                hasLocationBackgroundMode = true
            } else {
                reader.log.report(path, "The only background mode known is the string location.")
            }
        }
    }

    private mutating func readRecipients(_ reader: DictionaryReader) {
        guard let recipients = reader.strings("Recipients", Self.recipient) else { return }
        let count = reader.array("Recipients")?.count ?? 0
        if count == 0 { reader.report("Recipients", "This names no recipient; add one or remove the key.") }
        if count > Self.recipientCount {
            reader.report(
                "Recipients",
                "This must name at most \(Self.recipientCount) recipients, not \(count); name groups of them.")
        }
        self.recipients = recipients
    }
}

extension ClientMatch {
    fileprivate init(reading reader: DictionaryReader) {
        self.init()
        executable = reader.string("Executable", .path)
        systemdUnit = reader.string("SystemdUnit", .unit)
        userUnit = reader.string("UserUnit", .unit)
        flatpakID = reader.string("FlatpakID", .identifier)
        securityLabel = reader.string("SecurityLabel", .line(4095))
        desktopID = reader.string("DesktopID", .line(255))
        users = Self.users(reader)
        let criteria = ["Executable", "SystemdUnit", "UserUnit", "FlatpakID", "SecurityLabel"]
        if !criteria.contains(where: reader.has) {
            reader.log.report(
                reader.path, "This matches no program; add at least one of \(criteria.joined(separator: ", ")).")
        }
    }

    private static func users(_ reader: DictionaryReader) -> Set<UInt32>? {
        guard let elements = reader.array("Users") else { return nil }
        if elements.isEmpty { reader.report("Users", "This excludes every user; to include all, remove the key.") }
        var users: Set<UInt32> = []
        for (path, value) in elements {
            do throws(UserName.Unknown) {
                switch value {
                case .integer(let number): users.insert(try UserName.id(number))
                case .string(let text):
                    guard let text = reader.log.check(text, .line(255), at: path) else { continue }
                    users.insert(try UserName.id(of: text))
                default: reader.log.report(path, "This must be a user's name or number, not \(value.kind).")
                }
            } catch {
                reader.log.report(path, error.message)
            }
        }
        return users
    }
}

extension LaunchUnit {
    /// The unit, or `nil` if it is refused.
    fileprivate init?(reading reader: DictionaryReader, of match: ClientMatch) {
        let (system, user) = (
            reader.string("SystemdUnit", .launchedUnit), reader.string("UserUnit", .launchedUnit)
        )
        switch (reader.has("SystemdUnit"), reader.has("UserUnit")) {
        case (true, true):
            reader.report("UserUnit", "A client has one unit: remove SystemdUnit or UserUnit.")
            return nil
        case (false, false):
            reader.log.report(reader.path, "This names no unit; add SystemdUnit or UserUnit.")
            return nil
        default: break
        }
        if let system {
            // Otherwise a user could have a program of the system, or of another user, started by running another program
            // of the client.
            guard match.systemdUnit == system else {
                reader.report(
                    "SystemdUnit",
                    "Only a unit that the client's programs run in can be started: add it to Match as SystemdUnit.")
                return nil
            }
            self = .system(system)
        } else if let user {
            guard match.systemdUnit == nil, match.userUnit == nil || match.userUnit == user else {
                reader.report(
                    "UserUnit", "The programs of this unit would not be the client's: Match requires another unit.")
                return nil
            }
            self = .user(user)
        } else {
            return nil
        }
    }
}

extension ClientPolicy {
    fileprivate init(reading reader: DictionaryReader) {
        self.init()
        maximumAuthorization = reader.choice("MaximumAuthorization", of: Level.self) ?? maximumAuthorization
        presetAuthorization = reader.choice("PresetAuthorization", of: Level.self)
        maximumAccuracy = reader.choice("MaximumAccuracy", of: AccuracyAuthorization.self) ?? maximumAccuracy
        isRestricted = reader.boolean("Restricted") ?? isRestricted
        rules = reader.rules("Rules", of: .client)
        guard let preset = presetAuthorization else { return }
        if preset > maximumAuthorization {
            reader.report(
                "PresetAuthorization",
                "\(preset.rawValue) is more than MaximumAuthorization (\(maximumAuthorization.rawValue)) permits.")
        }
        if isRestricted {
            reader.report("PresetAuthorization", "A Restricted client gets no location; remove one of the two keys.")
        }
    }
}
