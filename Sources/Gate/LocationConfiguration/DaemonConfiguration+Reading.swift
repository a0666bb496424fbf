import GPSDProtocol
import LocationModel
import LocationPolicy

extension DaemonConfiguration {
    /// Reads a document as the daemon's configuration. Its keys replace those of `base`, each with everything in it.
    ///
    /// - Parameter refused: the settings for keys whose values are refused, or that a misspelt key may have been meant for.
    static func read(
        _ document: PropertyListDocument, over base: DaemonConfiguration = DaemonConfiguration(),
        refused: DaemonConfiguration = .inDoubt
    ) -> DocumentReading<DaemonConfiguration> {
        var reading = DocumentReading(document) { reader in
            var daemon = base
            daemon.gpsd = reader.oneOrMore("GPSD", GPSD.init(reading:), apart: \.address) ?? daemon.gpsd
            reader.dictionary("Modem") { daemon.usesModem = $0.boolean("Enabled") ?? false }
            if let location = reader.dictionary("FixedLocation", { FixedLocation(reading: $0) }) {
                daemon.fixedPosition = location.map { .configured($0) } ?? daemon.fixedPosition
            }
            reader.dictionary("WiFi") { daemon.usesWiFi = $0.boolean("Enabled") ?? false }
            reader.dictionary("GeoClue") { daemon.geoClue.read($0) }
            daemon.clientDirectories = reader.strings("ClientDirectories", .path) ?? daemon.clientDirectories
            daemon.agents = reader.strings("Agents", .path) ?? daemon.agents
            reader.dictionary("Limits") { daemon.limits = Limits(reading: $0) }
            daemon.defaultRules =
                reader.dictionary("DefaultPolicy") { $0.rules("Rules", of: .machine) } ?? daemon.defaultRules
            daemon.promptTimeout = reader.integer("PromptTimeout", in: 5...3600) ?? daemon.promptTimeout
            daemon.historyDays = reader.integer("HistoryDays", in: 0...longestHistory) ?? daemon.historyDays
            daemon.resetUnusedAfter = reader.integer("ResetUnusedAfter", in: 0...3650) ?? daemon.resetUnusedAfter
            daemon.exitOnIdle = reader.integer("ExitOnIdle", in: 1...86_400) ?? daemon.exitOnIdle
            return daemon
        }
        for key in SettingInDoubt.keys(reading.doubts) { reading.value?.take(key, from: refused) }
        let limits = ListPath.root.key("Limits")
        reading.value?.limits.take(
            Set(reading.doubts.filter { $0.parent == limits }.compactMap(\.lastKey)), from: refused.limits)
        return reading
    }

    private mutating func take(_ key: SettingInDoubt, from other: DaemonConfiguration) {
        switch key {
        case .gpsd: gpsd = other.gpsd
        case .modem: usesModem = other.usesModem
        case .fixedPosition: fixedPosition = other.fixedPosition
        case .wifi: usesWiFi = other.usesWiFi
        case .geoClue: geoClue = other.geoClue
        case .clientDirectories: clientDirectories = other.clientDirectories
        case .agents: agents = other.agents
        case .limits: limits = other.limits
        case .defaultPolicy: defaultRules = other.defaultRules
        case .promptTimeout: promptTimeout = other.promptTimeout
        case .historyDays: historyDays = other.historyDays
        case .resetUnusedAfter: resetUnusedAfter = other.resetUnusedAfter
        case .exitOnIdle: exitOnIdle = other.exitOnIdle
        }
    }
}

/// A key of the daemon's file whose value is in doubt.
enum SettingInDoubt: String, CaseIterable {
    case gpsd = "GPSD"
    case modem = "Modem"
    case fixedPosition = "FixedLocation"
    case wifi = "WiFi"
    case geoClue = "GeoClue"
    case clientDirectories = "ClientDirectories"
    case agents = "Agents"
    case limits = "Limits"
    case defaultPolicy = "DefaultPolicy"
    case promptTimeout = "PromptTimeout"
    case historyDays = "HistoryDays"
    case resetUnusedAfter = "ResetUnusedAfter"
    case exitOnIdle = "ExitOnIdle"

    /// The keys in doubt, in the order of the cases.
    static func keys(_ paths: [ListPath]) -> [SettingInDoubt] {
        let keys = Set(paths.compactMap(Self.init(path:)))
        return allCases.filter(keys.contains)
    }

    private init?(path: ListPath) {
        guard case .key(let name)? = path.steps.first, let key = Self(rawValue: name) else { return nil }
        // A refused agent leaves the others in force, and a refused limit the other limits. A refused part of a rule leaves
        // the stricter rule that is read without it.
        if path.steps.count > 1, [.agents, .limits].contains(key) { return nil }
        if key == .defaultPolicy, path.steps.count > 2 { return nil }
        self = key
    }

    /// The effect at a start, as a sentence.
    var consequence: String {
        let effect =
            switch self {
            case .gpsd: "the service asks no gpsd, and there are no locations."
            case .modem: "the receivers of modems are not used."
            case .fixedPosition: "there is no fixed position."
            case .wifi: "no server is asked for a location by Wi-Fi."
            case .geoClue: "programs that ask GeoClue get no location."
            case .clientDirectories: "no client is declared, and no program gets a location."
            case .agents: "only root can answer prompts and decide."
            case .defaultPolicy: "no program gets a location."
            case .historyDays: "all of the history is kept."
            case .resetUnusedAfter: "no permission is reset for lack of use."
            case .limits, .promptTimeout, .exitOnIdle: "the default is in force."
            }
        return "Until this is corrected, \(effect)"
    }
}

extension FixedLocation {
    /// The position in a dictionary; `nil` for an invalid one.
    fileprivate init?(reading reader: DictionaryReader) {
        let latitude = reader.number("Latitude", in: -90...90)
        let longitude = reader.number("Longitude", in: -180...180)
        let altitude = reader.number("Altitude", in: Self.altitudes)
        let accuracy = reader.number("HorizontalAccuracy", in: Self.accuracies)
        for key in ["Latitude", "Longitude"] where !reader.has(key) { reader.report(key, "This key is missing.") }
        guard let latitude, let longitude, let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            return nil
        }
        self.init(coordinate: coordinate, altitude: altitude, horizontalAccuracy: accuracy ?? Self.defaultAccuracy)
    }
}

extension DaemonConfiguration.GPSD {
    fileprivate init(reading reader: DictionaryReader) {
        let host = reader.string("Host", .host)
        let port = reader.integer("Port", in: 1...65_535)
        let socket = reader.string("Socket", .socketPath)
        if reader.has("Socket"), reader.has("Host") || reader.has("Port") {
            reader.report("Socket", "Give either Socket, or Host and Port.")
        }
        self.init(
            socket.map { .unix(path: $0) }
                ?? .tcp(host: host ?? GPSDAddress.defaultHost, port: port ?? GPSDAddress.defaultPort),
            preferredDevice: reader.string("Device", .line(255)))
    }
}

extension DaemonConfiguration.GeoClue {
    fileprivate mutating func read(_ reader: DictionaryReader) {
        isEnabled = reader.boolean("Enabled")
        busAddress = reader.string("BusAddress", .line(1024))
    }
}

extension DaemonConfiguration.Limits {
    fileprivate init(reading reader: DictionaryReader) {
        self.init()
        forEach { key, value, range in value = reader.integer(key, in: range) ?? value }
    }

    /// Takes the limits with these keys from `other`.
    fileprivate mutating func take(_ keys: Set<String>, from other: Self) {
        var (other, values) = (other, [String: Int]())
        other.forEach { key, value, _ in values[key] = value }
        forEach { key, value, _ in if keys.contains(key) { value = values[key] ?? value } }
    }

    private mutating func forEach(_ body: (_ key: String, _ value: inout Int, _ range: ClosedRange<Int>) -> Void) {
        body("ConnectionsPerUser", &connectionsPerUser, 1...65_536)
        body("SubscriptionsPerUser", &subscriptionsPerUser, 1...65_536)
        body("BytesPerUser", &bytesPerUser, 65_536...1_073_741_824)
        body("MessageSize", &messageSize, 4096...16_777_216)
        body("DecisionsPerUser", &decisionsPerUser, 16...Self.mostDecisionsPerUser)
        body("ConditionsPerClient", &conditionsPerClient, 1...10_000)
        body("Conditions", &conditions, 1...1_000_000)
        body("MonitorStreamsPerClient", &monitorStreamsPerClient, 1...65_536)
        body("RulesPerUser", &rulesPerUser, 1...1000)
        body("PlacesPerUser", &placesPerUser, 1...1000)
    }
}
