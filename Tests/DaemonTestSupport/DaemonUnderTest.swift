import Dispatch
import FoundationEssentials
import Glibc
import LinuxPlumbing
package import LocationConfiguration
package import LocationModel
package import LocationPolicy
package import LocationSources
import LocationStore
package import LocationUsage
package import NIOCore
import NIOEmbedded
import Synchronization
package import TestSupport
import Testing

@testable import GeoClueFrontEnd
@testable package import LocationCore
@testable import PeerIdentification
@testable package import Varlink
@testable import VarlinkFrontEnd

/// How a test reaches the daemon. Every test of what is said at its border runs with both.
package enum Transport: CaseIterable, Sendable {
    /// Without a socket, on a loop whose clock stands until the test turns it.
    case inProcess
    /// Over a Unix socket, on the real clock.
    case socket
}

/// A daemon whose source says what the test wants, and whose peers are whoever the test says they are. Everything else
/// is as in `locationd`.
package final class DaemonUnderTest: Sendable {
    package let source = ScriptedSource()
    /// What takes its place when the configuration names another gpsd.
    package let nextSource = ScriptedSource()
    package let usage = ScriptedUsage()
    package let wallClock = ScriptedWallClock()
    package let surroundings = ScriptedSurroundings()
    package let log = LogRecorder()
    /// The directory of the database.
    package let directory: TemporaryDirectory
    private let settings: Settings
    private let core: Core
    private let decisions: DecisionStore
    private let entrance: any Entrance

    /// What the test changes while the daemon runs.
    private final class Settings: Sendable {
        let configuration: Mutex<Configuration>
        /// Who connects next; they are accepted in the order in which they connect.
        let peers = Mutex<[PeerIdentity]>([])
        /// How far the clock on the wall is ahead.
        let clock = Mutex(Duration.zero)
        /// The seconds by which local time is ahead of UTC at a moment.
        let utcOffset = Mutex<@Sendable (Timestamp) -> Int>({ _ in 0 })

        init(_ configuration: Configuration) {
            self.configuration = Mutex(configuration)
        }

        func nextPeer() throws -> PeerIdentity {
            try peers.withLock { peers in
                if peers.isEmpty { throw PeerIdentifier.Failure(description: "it wears a mask") }
                return peers.removeFirst()
            }
        }
    }

    private init(
        _ transport: Transport, _ configuration: Configuration, directory: TemporaryDirectory,
        sessions: [UInt32: [LoginIdentity]]
    ) async throws {
        let settings = Settings(configuration)
        self.settings = settings
        self.directory = directory
        let loop: any EventLoop =
            switch transport {
            case .inProcess: NIOAsyncTestingEventLoop()
            case .socket: ObservedLoops.next()
            }
        let decisions = DecisionStore(
            try LocationStore.open(directory: directory.path, now: .now()).store, eventLoop: loop,
            now: { Timestamp.now().advanced(by: settings.clock.withLock { $0 }) })
        self.decisions = decisions
        let core = try Core(
            logger: log.logger, disk: decisions,
            stored: try await decisions.read(historyDays: configuration.daemon.historyDays),
            // On a loop whose clock stands still the next slice begins at once.
            hasClock: !(loop is NIOAsyncTestingEventLoop),
            clock: RuleClock(now: decisions.now, utcOffset: { moment in settings.utcOffset.withLock { $0 }(moment) })
        ) { _ in settings.configuration.withLock { $0 } }
        self.core = core
        // All peers are this very process, whoever they are taken for.
        let process = try #require(WatchedProcess(processID: getpid()))
        let identifier = PeerIdentifier(eventLoop: loop)
        let service = try VarlinkFrontEnd(
            core: core, identifier: identifier, userID: { _ in nil },
            identify: { _ in loop.makeCompletedFuture { (try settings.nextPeer(), process) } })
        let limits = ServerLimits(configuration.daemon.limits)
        entrance =
            if let loop = loop as? NIOAsyncTestingEventLoop {
                InProcessEntrance(
                    loop: loop,
                    core: try ServerCore(service: service, eventLoop: loop, limits: limits, logger: log.logger))
            } else {
                try await SocketEntrance(
                    path: directory.path + "/socket", service: service, loop: loop, limits: limits, logger: log.logger)
            }
        // On a loop whose clock the test turns, sleeps and dwells go by that clock.
        let (start, loopStart) = (ContinuousClock.now, loop.now)
        let clock: (@Sendable () -> ContinuousClock.Instant)? =
            (loop as? NIOAsyncTestingEventLoop).map { loop in
                { @Sendable in start + .nanoseconds((loop.now - loopStart).nanoseconds) }
            }
        let (source, nextSource, usage) = (source, nextSource, usage)
        let (wallClock, surroundings) = (wallClock, surroundings)
        usage.eventLoop = loop
        usage.tell = { events in core.receive(events) }
        let server = entrance.server
        try await onLoop { core in
            core.setMonitor(usage)
            if let clock {
                (core.publisher.conditions.now, core.publisher.need.sleep.now) = (clock, clock)
                core.disclosures.reduced.now = clock
            }
            surroundings.identities = sessions
            core.setWatches(wallClock, surroundings)
            let initial = configuration.daemon
            // What the source says goes to the core as it is.
            core.setSources(SourceGroup(eventLoop: core.eventLoop) { _ in }) {
                let isFirst = $0.gpsd == initial.gpsd
                return [
                    SourceDefinition(isFirst) { report in
                        let source = isFirst ? source : nextSource
                        source.report = report
                        return source
                    }
                ]
            }
            service.server = server
            core.add(service)
            core.add(GeoClueFrontEnd(core: core, identifier: identifier, isEnabledByDefault: { false }))
        }
    }

    /// Runs a test with a daemon of its own.
    ///
    /// - Parameters:
    ///   - directory: that of an earlier daemon, which this one follows; `nil` for a new one.
    ///   - sessions: the sessions of each user in logind's files.
    package static func run(
        _ transport: Transport, clients: [ClientDeclaration] = [.example()],
        limits: (inout DaemonConfiguration.Limits) -> Void = { _ in },
        in directory: TemporaryDirectory? = nil, sessions: [UInt32: [LoginIdentity]] = [:],
        prepare: (TemporaryDirectory) throws -> Void = { _ in },
        _ test: (DaemonUnderTest) async throws -> Void
    ) async throws {
        let directory = try directory ?? TemporaryDirectory()
        try prepare(directory)
        var configuration = Configuration(clients: clients)
        limits(&configuration.daemon.limits)
        let daemon = try await DaemonUnderTest(
            transport, configuration, directory: directory, sessions: sessions)
        do {
            try await test(daemon)
        } catch {
            await daemon.shutdown()
            throw error
        }
        await daemon.shutdown()
    }

    /// A connection of `peer`; of somebody who cannot be identified if that is `nil`.
    package func connect(as peer: PeerIdentity? = .example()) async throws -> any Peer {
        if let peer { settings.peers.withLock { $0.append(peer) } }
        return try await entrance.connect()
    }

    /// A connection with an open `Subscribe` call.
    package func subscribe(_ parameters: String = "{}", as peer: PeerIdentity = .example()) async throws -> any Peer {
        let before = try await onLoop { Set($0.table.connections.keys) }
        // Over a socket there is no other sign of it before the first location.
        return try await wait(
            for: "a new subscription",
            after: {
                let subscriber = try await connect(as: peer)
                try await subscriber.call("Location.Subscribe", parameters, more: true)
                return subscriber
            },
            until: { core in
                core.table.connections.contains { !before.contains($0.key) && !$0.value.subscriptions.isEmpty }
            })
    }

    /// What the daemon says of its own state, to somebody who is in nobody's way.
    package func status(_ key: String) async throws -> JSONValue? {
        let observer = try await connect(as: .example(nil, user: 0))
        let value = try await observer.ask("Manager.GetServiceStatus")["parameters"]?[key]
        await observer.close()
        return value
    }

    /// The demand of the source.
    package func demand() async throws -> LocationDemand { try await onLoop { [source] _ in source.demand } }

    /// Has the source report this.
    package func emit(_ events: SourceEvent...) async throws {
        for event in events { try await onLoop { $0.receive(event) } }
    }

    /// Has the source report this as soon as it is needed: no timer that starts then can end before.
    package func emitWhenNeeded(_ events: SourceEvent...) async throws {
        let (core, source) = (core, source)
        try await onLoop { _ in
            // From within the call, as the fixed position does.
            source.whenNeeded = { events.forEach { core.receive($0) } }
        }
    }

    /// Waits until the disk has done what it was given, and everybody has heard of it: a rough location goes out only then.
    package func finishDiskWork() async throws {
        repeat {
            // Users take turns, so that others may have work left after this, or begin some when they hear of theirs.
            _ = try await decisions.lastAccess(of: 0).get()
            try await settle()
        } while !decisions.worker.isIdle
    }

    /// Keeps the disk busy until the function that is returned is called: nothing is read from it or written to it.
    package func holdDisk() async -> () -> Void {
        let semaphore = DispatchSemaphore(value: 0)
        await withCheckedContinuation { begun in
            decisions.worker.perform(for: .system, .single, on: core.eventLoop) { (_) throws(StoreError) in
                begun.resume()
                semaphore.wait()
            }.whenFailure { Issue.record("\($0)") }
        }
        return { semaphore.signal() }
    }

    /// What is in the database at its path.
    package func stored() async throws -> (records: [ClientKey: AuthorizationRecord], disabled: Set<UInt32?>) {
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: directory.path + "/locationd.db", toPath: copy.path + "/locationd.db")
        let store = try LocationStore.open(directory: copy.path, now: .now()).store
        return (try store.decisions().mapValues(\.record), Set(try store.disabledServices().keys))
    }

    /// From here on nothing can be read from the disk or written to it.
    package func loseDisk() async {
        // The thread that does it is gone; closing the store after that cannot fail.
        try? await decisions.shutdown()
    }

    /// Changes what the configuration says and has it read again.
    package func reload(_ change: (inout Configuration) -> Void) async throws {
        var configuration = settings.configuration.withLock { $0 }
        change(&configuration)
        settings.configuration.withLock { [configuration] in $0 = configuration }
        try await onLoop { _ = $0.reload() }
    }

    /// Sets the clock on the wall, by so much more or less than it really shows.
    package func setClock(ahead: Duration) { settings.clock.withLock { $0 = ahead } }

    /// Sets the time zone.
    package func setZone(_ utcOffset: @escaping @Sendable (Timestamp) -> Int) {
        settings.utcOffset.withLock { $0 = utcOffset }
    }

    /// Sets the clock on the wall to a time, from which it goes on, and tells of that as the kernel does.
    package func setClock(to time: Timestamp) async throws {
        setClock(ahead: time.duration(since: .now()))
        try await reportClockChange()
    }

    /// Tells of a clock that was set, of another time zone, or of the time that was awaited.
    package func reportClockChange() async throws {
        let wallClock = wallClock
        try await onLoop { _ in wallClock.onChange() }
    }

    /// Lets the time pass, where the test has power over it.
    package func turnClock(by time: TimeAmount) async { await entrance.turnClock(by: time) }

    /// Ends the daemon as SIGTERM does.
    package func shutdown() async {
        await entrance.shutdown()
        // Only a store that was shut down before refuses that.
        try? await decisions.shutdown()
    }

    /// Waits until `trigger` has brought the daemon into a state, in which it must not be before.
    @discardableResult
    package func wait<Result>(
        for what: String, after trigger: () async throws -> Result, until isMet: @escaping @Sendable (Core) -> Bool
    ) async throws -> Result {
        if try await onLoop(isMet) { throw MetBeforeTrigger(what) }
        let result = try await trigger()
        try await ensure(what, until: isMet)
        return result
    }

    /// Waits unless the daemon is in a state already, which is examined after each turn of its loop. Only for an event that may
    /// come before the wait can begin.
    package func ensure(_ what: String, until isMet: @escaping @Sendable (Core) -> Bool) async throws {
        guard entrance is InProcessEntrance else {
            return try await ObservedLoops.ensure(what, on: core.eventLoop) { [core] in isMet(core) }
        }
        // What the test has done is done: only the disk can still change something.
        for _ in 0..<10 {
            if try await onLoop(isMet) { return }
            try await finishDiskWork()
        }
        throw AwaitedInVain(what, because: "the disk has finished")
    }

    /// Waits until so many programs are connected, apart from the test's own questions.
    @discardableResult
    package func wait<Result>(connections: Int, after trigger: () async throws -> Result) async throws -> Result {
        try await wait(for: "\(connections) connections", after: trigger, until: { $0.table.count == connections })
    }

    package func ensure(connections: Int) async throws {
        try await ensure("\(connections) connections") { $0.table.count == connections }
    }

    @discardableResult
    package func wait<Result>(subscriptions: Int, after trigger: () async throws -> Result) async throws -> Result {
        try await wait(
            for: "\(subscriptions) subscriptions", after: trigger,
            until: { $0.publisher.subscriptionCount == subscriptions })
    }

    package func ensure(subscriptions: Int) async throws {
        try await ensure("\(subscriptions) subscriptions") { $0.publisher.subscriptionCount == subscriptions }
    }

    /// Waits until the source is needed and says that it is connected.
    package func waitForSource(after trigger: () async throws -> Void) async throws {
        try await wait(
            for: "a connected source", after: trigger,
            until: { $0.publisher.statuses.first?.connection == .connected })
    }

    /// Waits until so many requests for authorization wait for the user.
    @discardableResult
    package func wait<Result>(requests: Int, after trigger: () async throws -> Result) async throws -> Result {
        try await wait(
            for: "\(requests) requests for authorization", after: trigger,
            until: { $0.authorizer.requestCount == requests })
    }

    package func ensure(requests: Int) async throws {
        try await ensure("\(requests) requests for authorization") { $0.authorizer.requestCount == requests }
    }

    /// Waits until no agent of a desktop is connected.
    package func waitForNoDesktop(after trigger: () async throws -> Void) async throws {
        try await wait(
            for: "the end of the desktop's agent", after: trigger, until: { !$0.desktops.isReported(of: getuid()) })
    }

    /// The levels of users' desktops on disk.
    package func savedDesktopLevels() async throws -> [UInt32: UInt32] {
        try await finishDiskWork()
        return try await decisions.read(historyDays: 30).desktopLevels
    }

    /// Waits until a decision about a client is being saved, and so many actions about it wait for that.
    package func waitForSaving(
        _ client: String, of user: UInt32 = 4242, postponing actions: Int = 0, after trigger: () async throws -> Void
    ) async throws {
        try await wait(
            for: "a decision about \(client) that is being saved", after: trigger,
            until: {
                guard let client = $0.directory.known(client, of: user) else { return false }
                return !client.saving.isEmpty && client.saving.postponedCount >= actions
            })
    }

    /// True if the daemon could exit after this time without events.
    package func isIdle(after time: Duration = .zero) async throws -> Bool {
        return try await core.eventLoop.submit { [core] in core.isIdle(at: .now + time) }.get()
    }

    /// Subscribes through a front end of the test's own: what it is given is recorded.
    package func subscribeThroughAnotherFrontEnd(as peer: PeerIdentity) async throws -> RecordingFrontEnd {
        return try await core.eventLoop.submit { [core] in
            let process = try #require(WatchedProcess(processID: getpid()))
            let connection = try core.open(peer, process, frontEnd: FrontEndKind(name: "Test"))
            let frontEnd = RecordingFrontEnd()
            _ = try core.subscribe(frontEnd, .init(), connection)
            return frontEnd
        }.get()
    }

    /// Connects an undeclared program, as GeoClue's front end does. Returns the function that disconnects it.
    package func connectUndeclared(_ executable: String, user: UInt32) async throws -> () async throws -> Void {
        let peer = PeerIdentity.example(executable, user: user)
        let id = try await core.eventLoop.submit { [core] in
            let process = try #require(WatchedProcess(processID: getpid()))
            let program = try #require(UndeclaredProgram(peer))
            let connection = try core.open(
                peer, process, frontEnd: FrontEndKind(name: "Test"), undeclared: program.declaration())
            try core.requireClient(connection)
            return connection.id
        }.get()
        return { [core] in
            try await core.eventLoop.submit { core.table.connections[id].map(core.close) }.get()
        }
    }

    /// How many users and clients the daemon knows anything of.
    package func knownUsersAndClients() async throws -> [Int] {
        return try await core.eventLoop.submit { [core] in
            let users = core.table.users.values
            return [users.count, users.reduce(0) { $0 + $1.clients.count }]
        }.get()
    }

    /// Brings the clients into use or out of it, as the evidence would.
    package func setInUse(_ isInUse: Bool) async throws {
        let usage = usage
        try await onLoop { _ in usage.set(isInUse) }
    }

    /// Has the evidence speak against use, or for it.
    package func setEvidence(_ evidence: UsageEvidence) async throws {
        let usage = usage
        try await onLoop { _ in usage.set(evidence) }
    }

    /// What the daemon does on its loop for a moment, so that what was begun there before has happened.
    package func settle() async throws { try await onLoop { _ in } }

    @discardableResult
    package func onLoop<Result: Sendable>(_ body: @escaping @Sendable (Core) -> Result) async throws -> Result {
        return try await core.eventLoop.submit { [core] in body(core) }.get()
    }
}
