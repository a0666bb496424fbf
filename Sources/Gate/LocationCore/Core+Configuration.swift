package import LocationConfiguration
package import LocationSources
import Logging

// The configuration in force, and what follows from it.

extension Core {
    /// The configuration in force, and where it comes from.
    struct Settings {
        var configuration: Configuration
        /// Loads the configuration, given the one in force.
        let load: (Configuration?) throws -> Configuration
        /// Sets the sources that a configuration names. Returns true if any was added or removed.
        var configureSources: ((DaemonConfiguration) -> Bool)?
        /// The number of connections for which there are files, for each user who is not an administrator.
        var connectionsWithFiles = Int.max
    }
}

extension Core {
    /// Adds a front end, which gets the configuration in force.
    package func add(_ frontEnd: any FrontEnd) {
        frontEnds.append(frontEnd)
        frontEnd.apply(configuration)
    }

    /// Sets the sources of locations.
    ///
    /// - Parameter definitions: finds the sources that a configuration names.
    package func setSources(
        _ group: SourceGroup, _ definitions: @escaping (DaemonConfiguration) -> [SourceDefinition]
    ) {
        queue.answer {
            let configure: (DaemonConfiguration) -> Bool = {
                group.configure(definitions($0), preferredDevices: $0.preferredDevices)
            }
            settings.configureSources = configure
            group.onAvailabilityChange = { [weak self] in
                self?.queue.take { self?.frontEnds.forEach { $0.receiveAvailableKinds() } }
            }
            publisher.setSources(group)
            _ = configure(configuration.daemon)
            attachWatchingClients()
        }
    }

    /// The files for everything but the connections of users: the service's own, the reserve of the server, and the share
    /// of administrators.
    private static let reservedFiles = 64
    /// The connections that a user may have in any case.
    private static let leastConnections = 4

    /// Sets the number of files that the service may open, which limits the connections of each user who is not an
    /// administrator: a connection takes a file and its process another one, and one user takes at most half of what there
    /// is.
    package func limitConnections(byFiles files: Int) {
        let limit = max(Self.leastConnections, (files - Self.reservedFiles) / 4)
        settings.connectionsWithFiles = limit
        let configured = configuration.daemon.limits.connectionsPerUser
        guard limit < configured else { return }
        logger.notice(
            """
            ConnectionsPerUser is \(limit) instead of \(configured) for all but root, because the service \
            may open only \(files) files. To raise that, set LimitNOFILE= with: sudo systemctl edit locationd.service
            """)
    }

    /// Reloads the configuration. Refused parts leave the previous ones in force.
    package func reload() -> [ConfigurationProblem] {
        queue.answer {
            let before = configuration.daemon
            do {
                settings.configuration = try settings.load(configuration)
                directory.setDeclarations(configuration)
                authorizer.promptTimeout = configuration.daemon.promptTimeout
                authorizer.decisionsPerUser = configuration.daemon.limits.decisionsPerUser
                accesses.historyDays = configuration.daemon.historyDays
                reauthorizeAll()
                reviewUnused()
                endStreamsOfFormerManagers()
                for part in ManagedPart.allCases { managers.note(part, of: nil) }
                for frontEnd in frontEnds { frontEnd.apply(configuration) }
                configureSources(before)
            } catch {
                logger.error("The configuration could not be reloaded: \(error)")
            }
            reportProblems()
            return configuration.problems
        }
    }

    private func configureSources(_ before: DaemonConfiguration) {
        let now = configuration.daemon
        guard settings.configureSources?(now) == true || now.preferredDevices != before.preferredDevices else { return }
        let devices = now.preferredDevices.joined(separator: " or ")
        let device = devices.isEmpty ? "" : ", from \(devices) while it works"
        let names = publisher.statuses.map(\.endpoint).joined(separator: ", ")
        logger.notice("Locations come from \(names.isEmpty ? "nowhere" : names)\(device) from now on.")
    }

    /// Logs the refused parts of the configuration.
    package func reportProblems() {
        for problem in configuration.problems {
            logger.error("Refused: \(problem)", metadata: JournalMessage.refused.metadata)
        }
    }

    /// Closes the front ends if nobody is connected to any of them. Returns true if they were closed.
    package func closeIfUnused() -> Bool {
        guard !frontEnds.isEmpty, frontEnds.allSatisfy(\.isUnused) else { return false }
        closeFrontEnds()
        return true
    }

    func closeFrontEnds() {
        for frontEnd in frontEnds { frontEnd.close() }
        frontEnds = []
    }
}
