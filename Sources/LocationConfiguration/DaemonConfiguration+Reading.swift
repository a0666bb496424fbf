extension DaemonConfiguration {
    /// Reads a document as the daemon's configuration. Its keys replace those of `base`, each with everything in it.
    static func read(
        _ document: PropertyListDocument, over base: DaemonConfiguration = DaemonConfiguration()
    ) -> DocumentReading<DaemonConfiguration> {
        DocumentReading(document) { reader in
            var daemon = base
            reader.dictionary("GPSD") { daemon.readGPSD($0) }
            reader.dictionary("GeoClue") { daemon.geoClue.read($0) }
            daemon.clientDirectories = reader.strings("ClientDirectories", .path) ?? daemon.clientDirectories
            daemon.agents = reader.strings("Agents", .path) ?? daemon.agents
            reader.dictionary("Limits") { daemon.limits = Limits(reading: $0) }
            daemon.promptTimeout = reader.integer("PromptTimeout", in: 5...3600) ?? daemon.promptTimeout
            daemon.historyDays = reader.integer("HistoryDays", in: 0...3650) ?? daemon.historyDays
            daemon.exitOnIdle = reader.integer("ExitOnIdle", in: 1...86_400) ?? daemon.exitOnIdle
            return daemon
        }
    }

    private mutating func readGPSD(_ reader: DictionaryReader) {
        let host = reader.string("Host", .host)
        let port = reader.integer("Port", in: 1...65_535)
        let socket = reader.string("Socket", .socketPath)
        preferredDevice = reader.string("Device", .line(255))
        if reader.has("Socket"), reader.has("Host") || reader.has("Port") {
            reader.report("Socket", "Give either Socket, or Host and Port.")
        }
        gpsd =
            socket.map { .unix(path: $0) }
            ?? .tcp(host: host ?? Endpoint.defaultHost, port: port ?? Endpoint.defaultPort)
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
        connectionsPerUser = reader.integer("ConnectionsPerUser", in: 1...65_536) ?? connectionsPerUser
        subscriptionsPerUser = reader.integer("SubscriptionsPerUser", in: 1...65_536) ?? subscriptionsPerUser
        bytesPerUser = reader.integer("BytesPerUser", in: 65_536...1_073_741_824) ?? bytesPerUser
        messageSize = reader.integer("MessageSize", in: 4096...16_777_216) ?? messageSize
        decisionsPerUser = reader.integer("DecisionsPerUser", in: 16...4096) ?? decisionsPerUser
    }
}
