import LocationConfiguration
import LocationPolicy
import LocationSources
import LocationUsage
import Logging
import NIOCore
import Varlink

/// The access to the core for parts of the daemon outside its event loop, which start, reload and stop it. Events on
/// the loop itself use `assumeIsolated`.
actor Hub {
    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }
    nonisolated let logger: Logger

    /// The core. Use it on the event loop only, which is checked.
    nonisolated var core: Core {
        eventLoop.preconditionInEventLoop()
        return confined
    }
    private nonisolated let confined: Core
    /// Identifies peers, and looks up only executables that the configuration names.
    nonisolated let identification: PeerIdentification
    /// Loads the configuration, given the one in force.
    private let loadConfiguration: @Sendable (Configuration?) throws -> Configuration
    /// Makes the source for a configuration, if that has one; `nil` if the configuration does not decide about the source.
    private var makeSource: (@Sendable (DaemonConfiguration) -> (any LocationSource)?)?
    /// The front end, whose limits follow the configuration, and its server.
    private var frontEnd: VarlinkFrontEnd?
    private var server: VarlinkServer?
    /// The GeoClue door, if it is open.
    private var geoClue: GeoClueDoor?
    /// True if the GeoClue door is open unless the configuration disables it.
    private var servesGeoClueByDefault = false

    /// - Parameter share: the scheduler of users' work on the loop; only tests pass another one, for a loop whose clock
    ///   stands still.
    init(
        eventLoop: any EventLoop, logger: Logger, decisions: DecisionKeeper, kept: DecisionKeeper.Kept,
        share: sending LoopShare? = nil,
        loadConfiguration: @escaping @Sendable (Configuration?) throws -> Configuration
    ) throws {
        self.eventLoop = eventLoop
        self.logger = logger
        self.loadConfiguration = loadConfiguration
        let configuration = try loadConfiguration(nil)
        identification = PeerIdentification(eventLoop: eventLoop)
        identification.namedExecutables = configuration.namedExecutables
        confined = Core(
            eventLoop: eventLoop, logger: logger, disk: decisions, kept: kept, configuration: configuration,
            share: share ?? LoopShare(eventLoop: eventLoop))
    }

    /// The configuration in force.
    var configuration: Configuration { core.configuration }

    /// Forwards an event of the source.
    func receive(_ event: SourceEvent) { core.publisher.receive(event) }

    /// Forwards events about the use of processes.
    func receive(_ events: [UsageEvent]) { core.use.receive(events) }

    /// Sets the source of locations and the monitor of use.
    ///
    /// - Parameter makeSource: makes the source for a changed configuration; `nil` if the configuration does not decide
    ///   about it.
    func attach(
        _ source: (any LocationSource)?, _ usage: any UsageWatching,
        makeSource: (@Sendable (DaemonConfiguration) -> (any LocationSource)?)? = nil
    ) {
        core.publisher.setSource(source)
        core.use.setMonitor(usage)
        self.makeSource = makeSource
    }

    /// Sets the limit of open files, and logs its effect.
    func setFileLimit(_ limit: OpenFileLimit) {
        core.fileLimit = limit
        let configured = core.configuration.daemon.limits.connectionsPerUser
        guard limit.connectionsPerUser < configured else { return }
        logger.notice(
            """
            ConnectionsPerUser is \(limit.connectionsPerUser) instead of \(configured) for all but root, because the service \
            may open only \(limit.count) files. To raise that, set LimitNOFILE= with: sudo systemctl edit locationd.service
            """)
    }

    /// Sets the front end, whose limits then follow the configuration.
    func attach(_ frontEnd: VarlinkFrontEnd, listeningAt server: VarlinkServer?) {
        self.frontEnd = frontEnd
        self.server = server
        server?.limits = ServerLimits(core.configuration.daemon.limits)
    }

    /// Opens the GeoClue front end if the configuration enables it.
    ///
    /// - Parameter isDefault: true if it is enabled without a setting.
    func openGeoClue(isDefault: Bool) {
        servesGeoClueByDefault = isDefault
        let settings = core.configuration.daemon.geoClue
        guard settings.isEnabled ?? isDefault else { return }
        let door = GeoClueDoor(hub: self, address: settings.busAddress)
        geoClue = door
        door.open()
    }

    /// Reloads the configuration. Refused parts leave the previous ones in force.
    func reload() -> [ConfigurationProblem] {
        let before = core.configuration.daemon
        do {
            core.configuration = try loadConfiguration(core.configuration)
            identification.namedExecutables = core.configuration.namedExecutables
            core.directory.setDeclarations(core.configuration)
            core.authorizer.promptTimeout = core.configuration.daemon.promptTimeout
            core.authorizer.decisionsPerUser = core.configuration.daemon.limits.decisionsPerUser
            core.accesses.historyDays = core.configuration.daemon.historyDays
            core.reauthorizeAll()
            applySettings(insteadOf: before)
        } catch {
            logger.error("The configuration could not be reloaded: \(error)")
        }
        reportProblems()
        return core.configuration.problems
    }

    /// Applies the settings that parts hold copies of.
    private func applySettings(insteadOf before: DaemonConfiguration) {
        let now = core.configuration.daemon
        // Open connections keep their limits.
        server?.limits = ServerLimits(now.limits)
        frontEnd?.setLimits(now.limits)
        if now.geoClue != before.geoClue {
            geoClue?.close()
            geoClue = nil
            openGeoClue(isDefault: servesGeoClueByDefault)
        }
        geoClue?.reconsider()
        if (now.gpsd, now.preferredDevice) != (before.gpsd, before.preferredDevice), let makeSource {
            let source = makeSource(now)
            let device = now.preferredDevice.map { ", from \($0) while it works" } ?? ""
            logger.notice("Locations come from \(source?.status.endpoint ?? "nowhere")\(device) from now on.")
            core.publisher.setSource(source)
        }
    }

    /// Logs the refused parts of the configuration.
    func reportProblems() {
        for problem in core.configuration.problems {
            logger.error("Refused: \(problem)", metadata: JournalMessage.refused.metadata)
        }
    }

    /// Stops the front end if nobody is connected. Returns true if it has stopped.
    func endIfUnused() -> Bool {
        guard geoClue?.isUnused ?? true, server?.shutdownIfUnused() == true else { return false }
        server = nil
        return true
    }

    /// Shuts the parts down. The front end ends waiting calls.
    func shutdown() {
        (server, frontEnd) = (nil, nil)
        geoClue?.close()
        geoClue = nil
        core.shutdown()
    }
}
