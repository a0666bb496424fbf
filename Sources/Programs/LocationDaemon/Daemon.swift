import GPSDFrontEnd
import GPSDProtocol
import CLinux
import Glibc
import GeoClueFrontEnd
import LinuxPlumbing
import LocationConfiguration
import LocationCore
import LocationInterface
import LocationModel
import LocationSources
import LocationStore
import LocationTracks
import LocationUsage
import PeerIdentification
public import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals
import Varlink
import VarlinkFrontEnd

/// The daemon: creates its parts and runs them until it is stopped.
public struct Daemon: Sendable {
    /// The settings from the command line.
    public struct Options: Sendable {
        /// The daemon's property list; `nil` for the built-in defaults.
        public var configurationFile: String?
        /// The path of the socket, unless the service manager passes one.
        public var socketPath: String
        /// The directory of decisions and history.
        public var stateDirectory: String
        /// The source of locations, in place of the configured one.
        public var source: SourceOverride?
        /// The port of the loopback addresses at which programs of gpsd are served; `nil` for none but what the service
        /// manager passes.
        public var gpsdPort: Int?

        /// Options with these paths.
        public init(
            configurationFile: String?, socketPath: String, stateDirectory: String, source: SourceOverride? = nil,
            gpsdPort: Int? = nil
        ) {
            self.configurationFile = configurationFile
            self.socketPath = socketPath
            self.stateDirectory = stateDirectory
            self.source = source
            self.gpsdPort = gpsdPort
        }
    }

    /// A source of locations on the command line.
    public enum SourceOverride: Sendable {
        /// gpsd at `HOST:PORT` or at the path of a Unix socket.
        case gpsd(String)
        /// A recorded track, repeated, at `speed` times its own pace (above 0).
        case replay(file: String, speed: Double = 1)
    }

    /// The error message for an invalid address in ``SourceOverride/gpsd(_:)``; `nil` for a valid one.
    public static func problem(withAddress address: String) -> String? {
        GPSDAddress(address) == nil ? DaemonError.unusableAddress(address).description : nil
    }

    private let options: Options
    private let logger: Logger

    /// A daemon that is not running yet.
    public init(options: Options, logger: Logger) {
        self.options = options
        self.logger = logger
    }

    /// Makes all threads share one heap. Call it while there is only one thread.
    ///
    /// The event loop owns nearly all memory; further heaps would only reserve address space and hold free pages.
    public static func useOneHeap() {
        precondition(locationd_use_one_heap() == 1, "mallopt(3) knows M_ARENA_MAX")
    }

    /// Runs until SIGTERM, SIGINT or idle exit, then ends all connections in an orderly way. Throws the error that
    /// stopped it.
    public func run() async throws {
        do {
            try await runParts()
        } catch {
            SystemdProtocol.notifyFailure(error)
            throw error
        }
    }

    private func runParts() async throws {
        let fileLimit = raiseFileLimit()
        let configurationFile = options.configurationFile
        let load: @Sendable (Configuration?) throws -> Configuration = {
            try Configuration.load(file: configurationFile, keeping: $0)
        }
        let settings = try load(nil).daemon
        // The singleton loop, which the executable has configured to be the only one.
        let decisions = try openStore(for: MultiThreadedEventLoopGroup.singleton.next())
        var failure: (any Error)?
        do {
            try await run(
                decisions,
                stored: try await decisions.read(
                    historyDays: settings.historyDays, decisionsPerUser: settings.limits.decisionsPerUser), fileLimit,
                load)
        } catch {
            failure = error
        }
        try await decisions.shutdown()
        if let failure { throw failure }
    }

    /// Raises the limit of open files as far as possible: each connection needs a descriptor, and each connected process
    /// another one.
    private func raiseFileLimit() -> Int {
        let (limit, isHighest) = OpenFileLimit.raise()
        if !isHighest { logger.notice("The limit of open files could not be raised; it is \(limit).") }
        return limit
    }

    private func openStore(for eventLoop: any EventLoop) throws -> DecisionStore {
        let (store, opening) = try LocationStore.open(directory: options.stateDirectory, now: .now())
        opening.log(to: logger, directory: options.stateDirectory)
        return DecisionStore(store, eventLoop: eventLoop, now: { .now() })
    }

    private func run(
        _ decisions: DecisionStore, stored: DecisionStore.StoredState, _ fileLimit: Int,
        _ load: @escaping @Sendable (Configuration?) throws -> Configuration
    ) async throws {
        let core = try Core(logger: logger, disk: decisions, stored: stored, loadConfiguration: load)
        let hub = Hub(core)
        await hub.withCore { core in
            core.limitConnections(byFiles: fileLimit)
            core.reportProblems()
        }
        try await attachParts(to: hub)
        let identifier = PeerIdentifier(eventLoop: core.eventLoop)
        let frontEnds = (
            varlink: try VarlinkFrontEnd(core: core, identifier: identifier),
            geoClue: GeoClueFrontEnd(
                core: core, identifier: identifier, isEnabledByDefault: isInstalled ? { GeoClueAlias.isSet } : { false }
            ),
            gpsd: GPSDFrontEnd(core: core, identifier: identifier)
        )
        let limits = await hub.withCore { $0.configuration.daemon.limits }
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(
                    service: ListenerService(
                        varlink: frontEnds.varlink, geoClue: frontEnds.geoClue, gpsd: frontEnds.gpsd,
                        limits: ServerLimits(limits), hub: hub, socketPath: options.socketPath,
                        gpsdPort: options.gpsdPort, logger: logger),
                    successTerminationBehavior: .gracefullyShutdownGroup),
                .init(
                    service: ReloadService(
                        signals: await UnixSignalsSequence(trapping: .sighup), hub: hub, logger: logger)),
                .init(service: Heartbeat(hub: hub)),
                .init(
                    service: StoreWatch(decisions: decisions), failureTerminationBehavior: .gracefullyShutdownGroup),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: quiet(logger))
        configuration.maximumGracefulShutdownDuration = .milliseconds(900)
        var failure: (any Error)?
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch {
            failure = error
        }
        await hub.withCore { $0.shutdown() }
        if let failure { throw failure }
    }

    /// True if it runs with the configuration file of an installed daemon, false for a trial with another one.
    private var isInstalled: Bool {
        (options.configurationFile ?? DaemonConfiguration.defaultFile) == DaemonConfiguration.defaultFile
    }

    private func attachParts(to hub: Hub) async throws {
        let eventLoop = hub.eventLoop
        let handler: @Sendable (SourceEvent) -> Void = { event in hub.core.receive(event) }
        let usage = UsageMonitor(eventLoop: eventLoop, logger: logger) { events in
            hub.core.receive(events)
        }
        let bus = SystemBus(eventLoop: eventLoop)
        let sources = ConfiguredSources(
            instead: try options.source.map(ConfiguredSources.Instead.init), bus: bus, logger: logger)
        await hub.withCore { core in
            core.setMonitor(usage)
            core.setUnitStarter(SystemUnitStarter(bus: bus))
            core.setWatches(WallClockMonitor(eventLoop: eventLoop), SurroundingsMonitor(bus: bus))
            let group = SourceGroup(eventLoop: eventLoop, compass: sources.compass, handler: handler)
            core.setSources(group, sources.definitions)
        }
    }

    /// The logger for the lifecycle library, which logs every step at info level: too many lines beside the daemon's own.
    private func quiet(_ logger: Logger) -> Logger {
        var quiet = logger
        if quiet.logLevel >= .info { quiet.logLevel = .error }
        return quiet
    }
}

/// A part that runs as long as the daemon and is named after its type.
///
/// The lifecycle library names each part by printing it. Without a description that would print everything the part
/// refers to, two thirds of the time of a start.
protocol DaemonPart: Service, CustomStringConvertible {}

extension DaemonPart {
    var description: String { "\(Self.self)" }
}

/// Runs the server until shutdown or idle exit.
private struct ListenerService: DaemonPart {
    let varlink: VarlinkFrontEnd
    let geoClue: GeoClueFrontEnd
    let gpsd: GPSDFrontEnd
    let limits: ServerLimits
    let hub: Hub
    let socketPath: String
    let gpsdPort: Int?
    let logger: Logger

    func run() async throws {
        let (passed, ports) = try SystemdProtocol.listeningSockets(portsNamed: FrontEndKind.gpsd.name)
        for port in ports { try await gpsd.listen(at: .descriptor(port)) }
        if let gpsdPort { try await listen(atGPSDPort: gpsdPort) }
        // Anybody may connect, because access is decided by client.
        let address = passed.map { VarlinkServer.Address.descriptor($0) } ?? .path(socketPath, mode: 0o666)
        let server = try await VarlinkServer.bind(
            varlink, to: address, on: hub.eventLoop, limits: limits, logger: logger)
        logger.notice(
            "locationd \(serviceVersion) listens at \(passed == nil ? socketPath : "the socket it was passed").",
            metadata: JournalMessage.started.metadata)
        await hub.withCore { core in
            varlink.server = server
            core.add(varlink)
            core.add(geoClue)
            core.add(gpsd)
        }
        SystemdProtocol.notifyReady()
        try await withGracefulShutdownHandler {
            try await server.run()
        } onGracefulShutdown: {
            SystemdProtocol.notifyStopping()
            // The handler must not block, and the server's run() returns when this has finished.
            Task {
                await server.shutdown(
                    replying: VarlinkFrontEnd.stopping, within: .milliseconds(500))
            }
        }
        logger.notice("locationd has stopped.", metadata: JournalMessage.ended.metadata)
    }

    private func listen(atGPSDPort port: Int) async throws {
        do {
            try await gpsd.listen(at: .port(port))
        } catch {
            throw DaemonError.portNotAvailable(port, "\(error)")
        }
        logger.notice("Programs of gpsd are served at port \(port).")
    }
}

/// Reloads the configuration on SIGHUP.
private struct ReloadService: DaemonPart {
    /// Trapped before the daemon is ready, because a SIGHUP may come as soon as it is.
    let signals: UnixSignalsSequence
    let hub: Hub
    let logger: Logger

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            SystemdProtocol.notifyReloading()
            let problems = await hub.withCore { $0.reload() }
            logger.notice(
                "Reloaded the configuration: \(problems.isEmpty ? "all of it is in force" : "some of it was refused").",
                metadata: JournalMessage.reloaded.metadata)
            SystemdProtocol.notifyReady()
        }
    }
}

/// Stops the daemon when its store is damaged: the next start sets the file aside and logs that.
private struct StoreWatch: DaemonPart {
    let decisions: DecisionStore

    func run() async throws {
        for await damage in decisions.damages.cancelOnGracefulShutdown() { throw damage }
    }
}

extension Daemon {
    /// The exit status for the service manager (sysexits.h).
    public static func exitCode(for error: any Error) -> Int32 {
        switch error {
        case is InvalidConfiguration: EX_CONFIG
        case DaemonError.portNotAvailable: EX_OSERR
        case is DaemonError, is UnusableListeningSocket: EX_CONFIG
        case is TrackError: EX_NOINPUT
        case is VarlinkServerError: EX_OSERR
        case is StoreError: EX_IOERR
        default: EXIT_FAILURE
        }
    }
}

/// An error that keeps the daemon from running.
public enum DaemonError: Error, CustomStringConvertible {
    /// The address of gpsd is invalid.
    case unusableAddress(String)
    /// The daemon cannot listen at this port, with the reason.
    case portNotAvailable(Int, String)

    /// A sentence with the problem and its remedy.
    public var description: String {
        switch self {
        case .unusableAddress(let address):
            "“\(address)” is not a gpsd address: give HOST:PORT, [IPv6 ADDRESS]:PORT or the absolute path of a Unix "
                + "socket."
        case .portNotAvailable(let port, let reason):
            "Programs of gpsd cannot be served at port \(port), because it cannot be opened: \(reason). gpsd may use it."
        }
    }
}
