import LocationPolicy

extension Configuration {
    /// Reads the daemon's configuration and all client directories.
    ///
    /// - Parameters:
    ///   - file: the daemon's file; `nil` for `DaemonConfiguration.defaultFile`. Without the default file everything is
    ///     at its default; any other file must exist. The keys of its drop-ins (`dropInDirectory(of:)`) replace the same
    ///     keys, in the order of the drop-ins' names.
    ///   - lastGood: the configuration in force, on a reload.
    /// - Returns: the configuration for use from now on. A refused client file leaves the others in force; if
    ///   `lastGood` has an earlier version of that file, that one stays. Otherwise neither the file is in force nor one
    ///   that it would replace, because an error in a file must not permit what it was meant to forbid. A client
    ///   directory that cannot be read or trusted leaves all of `lastGood.clients` in force, or none; a refused daemon
    ///   file or drop-in leaves `lastGood.daemon`.
    /// - Throws: the problems of the daemon's own file and its drop-ins, if there is no `lastGood`.
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
                ConfigurationProblem(file: file, message: "The previous settings stay in force."))
        }
        configuration.loadClients(keeping: lastGood)
        configuration.reportMissingDirectories(file: file)
        return configuration
    }

    private static func daemon(
        _ file: String, isOptional: Bool
    ) throws(InvalidConfiguration) -> DaemonConfiguration {
        var daemon = DaemonConfiguration()
        if let bytes = try ConfigurationFile.read(file) {
            daemon = try DaemonConfiguration.read(PropertyListDocument(bytes, file: file)).result.get()
        } else if !isOptional {
            throw InvalidConfiguration([ConfigurationProblem(file: file, message: "This file does not exist.")])
        }
        for dropIn in try dropIns(of: file) {
            guard let bytes = try ConfigurationFile.read(dropIn), !bytes.isEmpty else { continue }
            let document = try PropertyListDocument(bytes, file: dropIn)
            daemon = try DaemonConfiguration.read(document, over: daemon).result.get()
        }
        return daemon
    }

    /// The directory of the drop-ins of the daemon's file: property lists whose keys replace the same keys of the file.
    public static func dropInDirectory(of file: String) -> String { file + ".d" }

    private static func dropIns(of file: String) throws(InvalidConfiguration) -> [String] {
        let directory = dropInDirectory(of: file)
        do throws(ConfigurationProblem) {
            return try ConfigurationFile.names(in: directory).map { "\(directory)/\($0)" }
        } catch {
            throw InvalidConfiguration([error])
        }
    }
}
