extension Configuration {
    /// Reads the daemon's configuration and all client directories.
    ///
    /// - Parameters:
    ///   - file: the daemon's file; `nil` for `DaemonConfiguration.defaultFile`. Without the default file everything is
    ///     at its default; any other file must exist. The keys of its drop-ins (`dropInDirectory(of:)`) replace the same
    ///     keys, in the order of the drop-ins' names.
    ///   - lastGood: the configuration in force, on a reload.
    /// - Returns: the configuration for use from now on, and its problems. An error in a file must not permit what the
    ///   file was meant to forbid:
    ///   - Of the daemon's file and its drop-ins, all valid keys are in force. A refused key keeps its value of `lastGood`;
    ///     without one it grants nothing (``DaemonConfiguration/inDoubt``). Unknown keys have no effect, but one that looks
    ///     like a misspelt key counts as that key, refused. A file that cannot be read leaves all of `lastGood.daemon`.
    ///   - A refused client file leaves the others in force, and its own version in `lastGood`. Without one its client is
    ///     restricted or, if the client cannot be recognised by the file, not declared; files that it would replace stay
    ///     replaced. A client directory that cannot be read or trusted leaves all of `lastGood.clients` in force, or none.
    /// - Throws: the problems of the daemon's own file or a drop-in that cannot be read, if there is no `lastGood`.
    public static func load(
        file: String?, keeping lastGood: Configuration? = nil
    ) throws(InvalidConfiguration) -> Configuration {
        try load(file: file, defaultFile: DaemonConfiguration.defaultFile, keeping: lastGood)
    }

    /// Reads the configuration for a user who may not read all of it: drop-ins that only the service can read are left out.
    package static func load(leavingOutUnreadable file: String) throws(InvalidConfiguration) -> Configuration {
        try load(file: file, defaultFile: DaemonConfiguration.defaultFile, keeping: nil, leavingOutUnreadable: true)
    }

    static func load(
        file: String?, defaultFile: String, keeping lastGood: Configuration?, leavingOutUnreadable: Bool = false
    ) throws(InvalidConfiguration) -> Configuration {
        var configuration = Configuration()
        let file = file ?? defaultFile
        do throws(InvalidConfiguration) {
            try configuration.loadDaemon(
                file, isOptional: file == defaultFile, keeping: lastGood?.daemon, leavingOutUnreadable)
        } catch {
            guard let lastGood else { throw error }
            configuration.daemon = lastGood.daemon
            configuration.problems += error.problems
            configuration.problems.append(
                ConfigurationProblem(file: file, message: "The previous settings stay in force."))
        }
        configuration.loadClients(keeping: lastGood)
        configuration.reportMissingDirectories(file: file)
        return configuration
    }

    private mutating func loadDaemon(
        _ file: String, isOptional: Bool, keeping lastGood: DaemonConfiguration?, _ leavingOutUnreadable: Bool
    ) throws(InvalidConfiguration) {
        var doubts: [SettingInDoubt: String] = [:]
        func add(_ bytes: [UInt8], _ file: String) throws(InvalidConfiguration) {
            let reading = DaemonConfiguration.read(
                try PropertyListDocument(bytes, file: file), over: daemon, refused: lastGood ?? .inDoubt)
            guard let value = reading.value else { throw InvalidConfiguration(reading.problems) }
            daemon = value
            problems += reading.problems
            // A later file replaces the whole value of a key, and so resolves doubts about it.
            for key in SettingInDoubt.allCases where reading.keys.contains(key.rawValue) { doubts[key] = nil }
            for key in SettingInDoubt.keys(reading.doubts) { doubts[key] = file }
        }
        if let bytes = try ConfigurationFile.read(file) {
            try add(bytes, file)
        } else if !isOptional {
            throw InvalidConfiguration([ConfigurationProblem(file: file, message: "This file does not exist.")])
        }
        for dropIn in try Self.dropIns(of: file) {
            if leavingOutUnreadable, ConfigurationFile.isUnreadable(dropIn) {
                unreadableDropIns.append(dropIn)
                continue
            }
            if let bytes = try ConfigurationFile.read(dropIn), !bytes.isEmpty { try add(bytes, dropIn) }
        }
        for key in SettingInDoubt.allCases {
            guard let file = doubts[key] else { continue }
            problems.append(
                ConfigurationProblem(
                    file: file, keyPath: key.rawValue,
                    message: lastGood == nil ? key.consequence : "The previous value stays in force."))
        }
    }

    /// The directory of the drop-ins of the daemon's file: property lists whose keys replace the same keys of the file.
    public static func dropInDirectory(of file: String) -> String { file + ".d" }

    static func dropIns(of file: String) throws(InvalidConfiguration) -> [String] {
        let directory = dropInDirectory(of: file)
        do throws(ConfigurationProblem) {
            return try ConfigurationFile.names(in: directory).map { "\(directory)/\($0)" }
        } catch {
            throw InvalidConfiguration([error])
        }
    }
}
