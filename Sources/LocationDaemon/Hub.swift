import LocationConfiguration
import LocationPolicy
import LocationSources
import LocationUsage
import Logging
import NIOCore
import Varlink

/// The way into the core for everything that does not live on its event loop: the parts of the daemon that start, reload and
/// end it. Events of the loop itself come in by `assumeIsolated`.
actor Hub {
    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }
    nonisolated let logger: Logger

    /// The core. To be used on the event loop only, which is checked.
    nonisolated var core: Core {
        eventLoop.preconditionInEventLoop()
        return confined
    }
    private nonisolated let confined: Core
    /// Who peers are. It looks only for executables that the configuration names.
    nonisolated let identification: PeerIdentification
    /// Reads the configuration, given what is in force.
    private let loadConfiguration: @Sendable (Configuration?) throws -> Configuration
    /// Makes the source that a configuration names, where the configuration decides that.
    private var makeSource: (@Sendable (DaemonConfiguration) -> any LocationSource)?
    /// The door, whose limits follow the configuration, and what it listens at.
    private var frontEnd: VarlinkFrontEnd?
    private var server: VarlinkServer?
    /// The GeoClue door, where it is open, and whether it is where the configuration does not say.
    private var geoClue: GeoClueDoor?
    private var servesGeoClueByDefault = false

    /// - Parameter share: how users share the loop; another one for a loop whose clock stands still.
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

    /// Passes on what the source reports.
    func receive(_ event: SourceEvent) { core.publisher.receive(event) }

    /// Passes on what the evidence says of processes.
    func receive(_ events: [UsageEvent]) { core.use.receive(events) }

    /// Sets where locations come from and who watches whether clients are in use.
    ///
    /// - Parameter makeSource: makes the source that a changed configuration names; `nil` where it does not decide that.
    func attach(
        _ source: any LocationSource, _ usage: any UsageWatching,
        makeSource: (@Sendable (DaemonConfiguration) -> any LocationSource)? = nil
    ) {
        core.publisher.setSource(source)
        core.use.setMonitor(usage)
        self.makeSource = makeSource
    }

    /// Sets the door, whose limits follow the configuration from then on.
    func attach(_ frontEnd: VarlinkFrontEnd, listeningAt server: VarlinkServer?) {
        self.frontEnd = frontEnd
        self.server = server
        server?.limits = ServerLimits(core.configuration.daemon.limits)
    }

    /// Opens the GeoClue door, if the configuration says so.
    ///
    /// - Parameter isDefault: whether it is open where the configuration does not say.
    func openGeoClue(isDefault: Bool) {
        servesGeoClueByDefault = isDefault
        let settings = core.configuration.daemon.geoClue
        guard settings.isEnabled ?? isDefault else { return }
        let door = GeoClueDoor(hub: self, address: settings.busAddress)
        geoClue = door
        door.open()
    }

    /// Reads the configuration again. What is refused leaves what was there in force.
    func reload() -> [ConfigurationProblem] {
        let before = core.configuration.daemon
        do {
            core.configuration = try loadConfiguration(core.configuration)
            identification.namedExecutables = core.configuration.namedExecutables
            core.directory.setDeclarations(core.configuration)
            core.authorizer.promptTimeout = core.configuration.daemon.promptTimeout
            core.accesses.historyDays = core.configuration.daemon.historyDays
            core.reauthorizeAll()
            applySettings(insteadOf: before)
        } catch {
            logger.error("The configuration could not be read again: \(error)")
        }
        reportProblems()
        return core.configuration.problems
    }

    /// Puts settings into force that nobody looks up when they are needed.
    private func applySettings(insteadOf before: DaemonConfiguration) {
        let now = core.configuration.daemon
        // Connections that are open keep the limits they were made with.
        server?.limits = ServerLimits(now.limits)
        frontEnd?.setLimits(now.limits)
        if now.geoClue != before.geoClue {
            geoClue?.close()
            geoClue = nil
            openGeoClue(isDefault: servesGeoClueByDefault)
        }
        if (now.gpsd, now.preferredDevice) != (before.gpsd, before.preferredDevice), let makeSource {
            let source = makeSource(now)
            let device = now.preferredDevice.map { ", from \($0) while it works" } ?? ""
            logger.notice("Locations come from \(source.status.endpoint)\(device) from now on.")
            core.publisher.setSource(source)
        }
    }

    /// Says in the log what was refused.
    func reportProblems() {
        for problem in core.configuration.problems {
            logger.error("Refused: \(problem)", metadata: JournalMessage.refused.metadata)
        }
    }

    /// Ends the door, if nobody is connected. Says whether it did.
    func endIfUnused() -> Bool {
        guard server?.shutdownIfUnused() == true else { return false }
        server = nil
        return true
    }

    /// Ends the parts; whoever still waits is ended by the door.
    func shutdown() {
        (server, frontEnd) = (nil, nil)
        geoClue?.close()
        geoClue = nil
        core.shutdown()
    }
}
