package import LocationPolicy

/// A file in force in the client directories, and the files it replaces.
private struct ClientFile {
    let path: String
    let name: String
    /// The index of its directory; a later one overrides.
    let rank: Int
    let replaced: [String]
}

/// A declaration in a file, and the line of its identifier.
private struct ClientCandidate {
    let file: ClientFile
    let declaration: ClientDeclaration
    let line: Int?
}

/// The declaration in a file.
private struct ClientReading {
    let problems: [ConfigurationProblem]
    /// The declaration, if it has no problems.
    let valid: ClientDeclaration?
    /// A restriction of the client, if its problems leave no doubt how to recognise it.
    let restricted: ClientDeclaration?
    /// The line of its identifier.
    let line: Int?

    init(_ reading: DocumentReading<ClientDeclaration>, line: Int?) {
        problems = reading.problems
        valid = problems.isEmpty ? reading.value : nil
        let doubts = Set(reading.doubts.compactMap(\.steps.first))
        let isRecognised = doubts.isDisjoint(with: [.key("CFBundleIdentifier"), .key("Match")])
        var restricted = isRecognised ? reading.value : nil
        restricted?.policy = ClientPolicy()
        restricted?.policy.isRestricted = true
        self.restricted = restricted
        self.line = line
    }
}

extension Configuration {
    /// Reads the client directories of `daemon`.
    ///
    /// If an existing directory cannot be read or trusted, nothing changes, because it may contain restrictions that
    /// override other files.
    mutating func loadClients(keeping lastGood: Configuration?) {
        guard let directories = daemon.clientDirectories else { return keepClients(of: lastGood) }
        let files: [ClientFile]
        do throws(ConfigurationProblem) {
            files = try Self.clientFiles(in: directories)
        } catch {
            keepClients(of: lastGood)
            let consequence =
                lastGood == nil
                ? "Until this is corrected, no client is declared, and no program gets a location."
                : "Until this is corrected, the previous declarations stay in force."
            problems += [error, ConfigurationProblem(file: error.file, message: consequence)]
            return
        }
        let lastGood = Dictionary((lastGood?.clients ?? []).map { ($0.file, $0) }) { first, _ in first }
        var candidates: [ClientCandidate] = []
        for file in files {
            var isMask = false
            check: do throws(InvalidConfiguration) {
                guard let reading = try reading(file) else {
                    isMask = true
                    break check
                }
                problems += reading.problems
                if let declaration = reading.valid {
                    candidates.append(ClientCandidate(file: file, declaration: declaration, line: reading.line))
                } else {
                    candidates += refuse(file, earlier: lastGood[file.path], recognised: reading.restricted)
                }
            } catch {
                problems += error.problems
                candidates += refuse(file, earlier: lastGood[file.path], recognised: nil)
            }
            hiddenFiles += file.replaced.map { HiddenFile(file: $0, replacement: file.path, isMasked: isMask) }
        }
        clients = unique(candidates).sorted { $0.identifier < $1.identifier }
        reportAmbiguity()
    }

    /// Reports declarations with the same criteria: a process that matches them gets nothing.
    private mutating func reportAmbiguity() {
        for group in Dictionary(grouping: clients, by: \.match.criteria).values where group.count > 1 {
            for (index, client) in group.enumerated() {
                guard let other = group[..<index].first(where: { $0.match.sharesUsers(with: client.match) }) else {
                    continue
                }
                problems.append(
                    ConfigurationProblem(
                        file: client.file, keyPath: "Match",
                        message: "\(other.file) matches the same program, so neither \(other.identifier) nor "
                            + "\(client.identifier) gets a location. Remove one of the files, or add a criterion to one."
                    ))
            }
        }
    }

    /// Reports configured client directories that do not exist, except for the default ones.
    mutating func reportMissingDirectories(file: String) {
        let defaults = DaemonConfiguration().clientDirectories ?? []
        for (index, directory) in (daemon.clientDirectories ?? []).enumerated()
        where !defaults.contains(directory) && !ConfigurationFile.exists(directory) {
            problems.append(
                ConfigurationProblem(
                    file: file, keyPath: "ClientDirectories[\(index)]",
                    message: "\(directory) does not exist. Correct the path, or create the directory."))
        }
    }

    /// The declaration in these directories that is for exactly the processes of `match`, read like the service; `nil`
    /// without one.
    package static func declaration(
        conflictingWith match: ClientMatch, in directories: [String]
    ) -> (identifier: String, file: String)? {
        var configuration = Configuration()
        configuration.daemon.clientDirectories = directories
        configuration.loadClients(keeping: nil)
        return configuration.clients.first { $0.match.overlap(with: match) == .ambiguous }
            .map { ($0.identifier, $0.file) }
    }

    /// The files in a directory that declare a client, read like the service.
    package static func files(declaring client: String, in directory: String) -> [String] {
        var configuration = Configuration()
        configuration.daemon.clientDirectories = [directory]
        configuration.loadClients(keeping: nil)
        return configuration.clients.filter { $0.identifier == client }.map(\.file)
    }

    /// The files in force: of several with the same name, the one in the last directory.
    private static func clientFiles(in directories: [String]) throws(ConfigurationProblem) -> [ClientFile] {
        var files: [String: ClientFile] = [:]
        for (rank, directory) in directories.enumerated() {
            for name in try ConfigurationFile.names(in: directory) {
                let earlier = files[name].map { $0.replaced + [$0.path] } ?? []
                files[name] = ClientFile(path: "\(directory)/\(name)", name: name, rank: rank, replaced: earlier)
            }
        }
        return files.values.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
    }

    /// Keeps the clients of `lastGood`; without one none is declared.
    private mutating func keepClients(of lastGood: Configuration?) {
        clients = lastGood?.clients ?? []
        hiddenFiles = lastGood?.hiddenFiles ?? []
        areClientsKnown = lastGood?.areClientsKnown ?? false
    }

    /// The content of a file; `nil` if the file is empty or gone.
    private func reading(_ file: ClientFile) throws(InvalidConfiguration) -> ClientReading? {
        guard let bytes = try ConfigurationFile.read(file.path), !bytes.isEmpty else { return nil }
        let document = try PropertyListDocument(bytes, file: file.path)
        return ClientReading(
            ClientDeclaration.read(document), line: document.line(of: .root.key("CFBundleIdentifier")))
    }

    /// The declaration in place of a refused one, if there is any: the previous version, or a restriction of the client.
    private mutating func refuse(
        _ file: ClientFile, earlier: ClientDeclaration?, recognised: ClientDeclaration?
    ) -> [ClientCandidate] {
        let message: String
        if earlier != nil {
            message = "The previous version stays in force."
        } else if let recognised {
            message = "Until this is corrected, \(recognised.identifier) gets no location."
        } else {
            areClientsKnown = false
            let replaced = file.replaced.last.map { ", and not by \($0) either" } ?? ""
            message =
                "Until this is corrected, its client is not declared\(replaced). Programs without a declaration get no "
                + "location meanwhile."
        }
        problems.append(ConfigurationProblem(file: file.path, message: message))
        return [earlier ?? recognised].compactMap { $0 }.map { ClientCandidate(file: file, declaration: $0, line: nil) }
    }

    /// The declarations with unique identifiers: of duplicates the one in a later directory counts, and within a
    /// directory the one in the file whose name comes first.
    private mutating func unique(_ candidates: [ClientCandidate]) -> [ClientDeclaration] {
        var chosen: [String: ClientDeclaration] = [:]
        let inOrder = candidates.sorted { ($1.file.rank, $0.file.name) < ($0.file.rank, $1.file.name) }
        for candidate in inOrder {
            let declaration = candidate.declaration
            guard let other = chosen[declaration.identifier] else {
                chosen[declaration.identifier] = declaration
                continue
            }
            problems.append(
                ConfigurationProblem(
                    file: declaration.file, keyPath: "CFBundleIdentifier", line: candidate.line,
                    message: "\(declaration.identifier) is declared by \(other.file), so this file has no effect. "
                        + "Remove one; to override a file give the other the same name in a later directory."))
        }
        return Array(chosen.values)
    }
}
