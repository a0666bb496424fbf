import LocationPolicy

extension Configuration {
    /// Reads the daemon's own file and all client directories.
    ///
    /// - Parameters:
    ///   - file: the daemon's file; `nil` for `DaemonConfiguration.defaultFile`. Without the default file everything is
    ///     at its default; any other file must exist.
    ///   - lastGood: what is in force now, on a reload.
    /// - Returns: what is to be in force from now on. A refused file of a client leaves the others in force; where
    ///   `lastGood` has an earlier version of that very file, that stays. Otherwise nothing of the file is in force, nor
    ///   of a file it would replace: what it was to forbid must not be permitted by a slip in it. A client
    ///   directory that cannot be read or trusted leaves all of `lastGood.clients` in force, or none; a refused file of
    ///   the daemon leaves `lastGood.daemon`.
    /// - Throws: the problems of the daemon's own file, if there is no `lastGood`.
    public static func load(
        file: String?, keeping lastGood: Configuration? = nil
    ) throws(InvalidConfiguration) -> Configuration {
        try load(file: file, defaultFile: DaemonConfiguration.defaultFile, keeping: lastGood)
    }

    static func load(
        file: String?, defaultFile: String, keeping lastGood: Configuration?
    ) throws(InvalidConfiguration) -> Configuration {
        var configuration = Configuration()
        let file = file ?? defaultFile
        do throws(InvalidConfiguration) {
            configuration.daemon = try daemon(file, isOptional: file == defaultFile)
        } catch {
            guard let lastGood else { throw error }
            configuration.daemon = lastGood.daemon
            configuration.problems = error.problems
            configuration.problems.append(
                ConfigurationProblem(file: file, message: "The settings read before stay in force."))
        }
        configuration.loadClients(keeping: lastGood)
        configuration.reportMissingDirectories(file: file)
        return configuration
    }

    private static func daemon(
        _ file: String, isOptional: Bool
    ) throws(InvalidConfiguration) -> DaemonConfiguration {
        guard let bytes = try ConfigurationFile.read(file) else {
            if isOptional { return DaemonConfiguration() }
            throw InvalidConfiguration([ConfigurationProblem(file: file, message: "This file does not exist.")])
        }
        return try DaemonConfiguration.read(PropertyListDocument(bytes, file: file)).result.get()
    }
}
