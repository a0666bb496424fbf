import LinuxPlumbing
import Dispatch
import FoundationEssentials
import Glibc
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import LocationUsage
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import LocationDaemon
@testable import PeerIdentification
@testable import Varlink
@testable import VarlinkFrontEnd

/// How a test reaches the daemon. Every test of what is said at its border runs with both.
enum Transport: CaseIterable, Sendable {
    /// Without a socket, on a loop whose clock stands until the test turns it.
    case inProcess
    /// Over a Unix socket, on the real clock.
    case socket
}

/// A daemon whose source says what the test wants, and whose peers are whoever the test says they are. Everything else
/// is as in `locationd`.
final class DaemonUnderTest: Sendable {
    let source = ScriptedSource()
    /// What takes its place when the configuration names another gpsd.
    let nextSource = ScriptedSource()
    let usage = ScriptedUsage()
    let wallClock = ScriptedWallClock()
    let surroundings = ScriptedSurroundings()
    let log = LogRecorder()
    /// The directory of the database.
    let directory: TemporaryDirectory
    private let settings: Settings
    private let hub: Hub
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
            try LocationStore.open(directory: directory.path, now: .now()).store,
            now: { Timestamp.now().advanced(by: settings.clock.withLock { $0 }) })
        self.decisions = decisions
        let core = try Core(
            eventLoop: loop, logger: log.logger, disk: decisions,
            stored: try await decisions.read(historyDays: configuration.daemon.historyDays),
            // On a loop whose clock stands still the next slice begins at once.
            hasClock: !(loop is NIOAsyncTestingEventLoop),
            clock: RuleClock(now: decisions.now, utcOffset: { moment in settings.utcOffset.withLock { $0 }(moment) })
        ) { _ in settings.configuration.withLock { $0 } }
        let hub = Hub(core)
        self.hub = hub
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
        usage.tell = { events in hub.core.receive(events) }
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
    static func run(
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
    func connect(as peer: PeerIdentity? = .example()) async throws -> any Peer {
        if let peer { settings.peers.withLock { $0.append(peer) } }
        return try await entrance.connect()
    }

    /// A connection with an open `Subscribe` call.
    func subscribe(_ parameters: String = "{}", as peer: PeerIdentity = .example()) async throws -> any Peer {
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
    func status(_ key: String) async throws -> JSONValue? {
        let observer = try await connect(as: .example(nil, user: 0))
        let value = try await observer.ask("Manager.GetServiceStatus")["parameters"]?[key]
        await observer.close()
        return value
    }

    /// Has the source report this.
    func emit(_ events: SourceEvent...) async throws {
        for event in events { try await onLoop { $0.receive(event) } }
    }

    /// Has the source report this as soon as it is needed: no timer that starts then can end before.
    func emitWhenNeeded(_ events: SourceEvent...) async throws {
        let (hub, source) = (hub, source)
        try await onLoop { _ in
            // From within the call, as the fixed position does.
            source.whenNeeded = { events.forEach { hub.core.receive($0) } }
        }
    }

    /// Waits until the disk has done what it was given, and everybody has heard of it: a rough location goes out only then.
    func finishDiskWork() async throws {
        repeat {
            // Users take turns, so that others may have work left after this, or begin some when they hear of theirs.
            _ = try await decisions.lastAccess(of: 0, on: hub.eventLoop).get()
            try await settle()
        } while !decisions.worker.isIdle
    }

    /// Keeps the disk busy until the function that is returned is called: nothing is read from it or written to it.
    func holdDisk() async -> () -> Void {
        let semaphore = DispatchSemaphore(value: 0)
        let hub = hub
        await withCheckedContinuation { begun in
            decisions.worker.perform(for: .system, .single, on: hub.eventLoop) { (_) throws(StoreError) in
                begun.resume()
                semaphore.wait()
            }.whenFailure { Issue.record("\($0)") }
        }
        return { semaphore.signal() }
    }

    /// What is in the database at its path.
    func stored() async throws -> (records: [ClientKey: AuthorizationRecord], disabled: Set<UInt32?>) {
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: directory.path + "/locationd.db", toPath: copy.path + "/locationd.db")
        let store = try LocationStore.open(directory: copy.path, now: .now()).store
        let disabled = try store.disabledServices()
        return (
            try store.decisions().mapValues(\.record),
            Set(disabled.users.keys.map { $0 } + (disabled.system == nil ? [] : [nil]))
        )
    }

    /// From here on nothing can be read from the disk or written to it.
    func loseDisk() async {
        // The thread that does it is gone; closing the store after that cannot fail.
        try? await decisions.shutdown()
    }

    /// Changes what the configuration says and has it read again.
    func reload(_ change: (inout Configuration) -> Void) async throws {
        var configuration = settings.configuration.withLock { $0 }
        change(&configuration)
        settings.configuration.withLock { [configuration] in $0 = configuration }
        try await onLoop { _ = $0.reload() }
    }

    /// Sets the clock on the wall, by so much more or less than it really shows.
    func setClock(ahead: Duration) { settings.clock.withLock { $0 = ahead } }

    /// Sets the time zone.
    func setZone(_ utcOffset: @escaping @Sendable (Timestamp) -> Int) { settings.utcOffset.withLock { $0 = utcOffset } }

    /// Sets the clock on the wall to a time, from which it goes on, and tells of that as the kernel does.
    func setClock(to time: Timestamp) async throws {
        setClock(ahead: time.duration(since: .now()))
        try await reportClockChange()
    }

    /// Tells of a clock that was set, of another time zone, or of the time that was awaited.
    func reportClockChange() async throws {
        let wallClock = wallClock
        try await onLoop { _ in wallClock.onChange() }
    }

    /// Lets the time pass, where the test has power over it.
    func turnClock(by time: TimeAmount) async { await entrance.turnClock(by: time) }

    /// Ends the daemon as SIGTERM does.
    func shutdown() async {
        await entrance.shutdown()
        // Only a store that was shut down before refuses that.
        try? await decisions.shutdown()
    }

    /// Waits until `trigger` has brought the daemon into a state, in which it must not be before.
    @discardableResult
    func wait<Result>(
        for what: String, after trigger: () async throws -> Result, until isMet: @escaping @Sendable (Core) -> Bool
    ) async throws -> Result {
        if try await onLoop(isMet) { throw MetBeforeTrigger(what) }
        let result = try await trigger()
        try await ensure(what, until: isMet)
        return result
    }

    /// Waits unless the daemon is in a state already, which is examined after each turn of its loop. Only for an event that may
    /// come before the wait can begin.
    func ensure(_ what: String, until isMet: @escaping @Sendable (Core) -> Bool) async throws {
        let hub = hub
        guard entrance is InProcessEntrance else {
            return try await ObservedLoops.ensure(what, on: hub.eventLoop) { isMet(hub.core) }
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
    func wait<Result>(connections: Int, after trigger: () async throws -> Result) async throws -> Result {
        try await wait(for: "\(connections) connections", after: trigger, until: { $0.table.count == connections })
    }

    func ensure(connections: Int) async throws {
        try await ensure("\(connections) connections") { $0.table.count == connections }
    }

    @discardableResult
    func wait<Result>(subscriptions: Int, after trigger: () async throws -> Result) async throws -> Result {
        try await wait(
            for: "\(subscriptions) subscriptions", after: trigger,
            until: { $0.publisher.subscriptionCount == subscriptions })
    }

    func ensure(subscriptions: Int) async throws {
        try await ensure("\(subscriptions) subscriptions") { $0.publisher.subscriptionCount == subscriptions }
    }

    /// Waits until the source is needed and says that it is connected.
    func waitForSource(after trigger: () async throws -> Void) async throws {
        try await wait(
            for: "a connected source", after: trigger,
            until: { $0.publisher.statuses.first?.connection == .connected })
    }

    /// Waits until so many requests for authorization wait for the user.
    @discardableResult
    func wait<Result>(requests: Int, after trigger: () async throws -> Result) async throws -> Result {
        try await wait(
            for: "\(requests) requests for authorization", after: trigger,
            until: { $0.authorizer.requestCount == requests })
    }

    func ensure(requests: Int) async throws {
        try await ensure("\(requests) requests for authorization") { $0.authorizer.requestCount == requests }
    }

    /// Waits until no agent of a desktop is connected.
    func waitForNoDesktop(after trigger: () async throws -> Void) async throws {
        try await wait(
            for: "the end of the desktop's agent", after: trigger, until: { !$0.desktops.isReported(of: getuid()) })
    }

    /// The levels of users' desktops on disk.
    func savedDesktopLevels() async throws -> [UInt32: UInt32] {
        try await finishDiskWork()
        return try await decisions.read(historyDays: 30).desktopLevels
    }

    /// Waits until a decision about a client is being saved, and so many actions about it wait for that.
    func waitForSaving(
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
    func isIdle(after time: Duration = .zero) async throws -> Bool {
        let hub = hub
        return try await hub.eventLoop.submit { hub.core.isIdle(at: .now + time) }.get()
    }

    /// Subscribes through a front end of the test's own: what it is given is recorded.
    func subscribeThroughAnotherFrontEnd(as peer: PeerIdentity) async throws -> RecordingFrontEnd {
        let hub = hub
        return try await hub.eventLoop.submit {
            let process = try #require(WatchedProcess(processID: getpid()))
            let connection = try hub.core.open(peer, process, frontEnd: FrontEndKind(name: "Test"))
            let frontEnd = RecordingFrontEnd()
            _ = try hub.core.subscribe(frontEnd, .init(), connection)
            return frontEnd
        }.get()
    }

    /// Connects an undeclared program, as GeoClue's front end does. Returns the function that disconnects it.
    func connectUndeclared(_ executable: String, user: UInt32) async throws -> () async throws -> Void {
        let hub = hub
        let peer = PeerIdentity.example(executable, user: user)
        let id = try await hub.eventLoop.submit {
            let process = try #require(WatchedProcess(processID: getpid()))
            let program = try #require(UndeclaredProgram(peer))
            let connection = try hub.core.open(
                peer, process, frontEnd: FrontEndKind(name: "Test"), undeclared: program.declaration())
            try hub.core.requireClient(connection)
            return connection.id
        }.get()
        return {
            try await hub.eventLoop.submit { hub.core.table.connections[id].map(hub.core.close) }.get()
        }
    }

    /// How many users and clients the daemon knows anything of.
    func knownUsersAndClients() async throws -> [Int] {
        let hub = hub
        return try await hub.eventLoop.submit {
            let users = hub.core.table.users.values
            return [users.count, users.reduce(0) { $0 + $1.clients.count }]
        }.get()
    }

    /// Brings the clients into use or out of it, as the evidence would.
    func setInUse(_ isInUse: Bool) async throws {
        let usage = usage
        try await onLoop { _ in usage.set(isInUse) }
    }

    /// Has the evidence speak against use, or for it.
    func setEvidence(_ evidence: UsageEvidence) async throws {
        let usage = usage
        try await onLoop { _ in usage.set(evidence) }
    }

    /// What the daemon does on its loop for a moment, so that what was begun there before has happened.
    func settle() async throws { try await onLoop { _ in } }

    @discardableResult
    func onLoop<Result: Sendable>(_ body: @escaping @Sendable (Core) -> Result) async throws -> Result {
        let hub = hub
        return try await hub.eventLoop.submit { body(hub.core) }.get()
    }
}

/// A front end without a protocol, whose peer always reads.
final class RecordingFrontEnd: Subscriber, Sendable {
    /// What was delivered: when the location was, and whether it is exact.
    let deliveries = Mutex<[(time: Timestamp, isExact: Bool)]>([])

    var isReady: Bool { true }

    func deliver(_ disclosure: Disclosure, skipped: Int?) {
        switch disclosure.content {
        case .location(let publication): deliveries.withLock { $0.append((publication.location.timestamp, true)) }
        case .reduced(let publication): deliveries.withLock { $0.append((publication.location.timestamp, false)) }
        case .frame, .heading: Issue.record("nobody has asked for that")
        }
    }

    func send(_ diagnostic: LocationDiagnostic, _ cause: LocationCause?, skipped: Int?) {}
    func end(_ refusal: Refusal) {}
}

/// Reports what the test says, and tells the test when it is needed.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop.
final class ScriptedSource: LocationSource, @unchecked Sendable {
    /// Each change of need.
    let needs: AsyncStream<Bool>
    private let continuation: AsyncStream<Bool>.Continuation
    private var isNeeded = false
    /// The last demand.
    private(set) var demand = LocationDemand.off

    init() {
        (needs, continuation) = AsyncStream.makeStream(of: Bool.self)
    }

    /// True if its receiver is there.
    var isAvailable: Bool? = true
    /// True while changes of that are to be reported.
    private(set) var isAvailabilityWatched = false
    /// The number of times it was asked to forget.
    private(set) var forgotten = 0
    /// Reports to the group that it belongs to.
    var report: (@Sendable (SourceReport) -> Void)?

    func watchAvailability(_ isWatched: Bool) { isAvailabilityWatched = isWatched }
    func forget() { forgotten += 1 }

    /// Called once, when it is needed.
    var whenNeeded: (() -> Void)?

    func setDemand(_ demand: LocationDemand) {
        let needed = demand > .off
        self.demand = demand
        if needed != isNeeded { continuation.yield(needed) }
        isNeeded = needed
        guard needed, let report = whenNeeded else { return }
        whenNeeded = nil
        report()
    }

    let kind = Location.SourceInformation.Kind.receiver
    var status: SourceStatus { .scripted(isNeeded ? .connected : .idle) }

    func shutdown() { continuation.finish() }
}

/// Says whether processes are in use as the test says. The real evidence has tests of its own.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop, and the rest set before it is used.
final class ScriptedUsage: UsageWatching, @unchecked Sendable {
    var tell: (@Sendable ([UsageEvent]) -> Void)?
    var eventLoop: (any EventLoop)?
    private var watched: [WatchedProcess: Int] = [:]
    private var isInUse = true
    private var isActivityShown = false
    private var given: UsageEvidence?

    func watch(_ process: WatchedProcess) {
        watched[process, default: 0] += 1
        // Never from within the call, as the real one.
        eventLoop?.execute { self.tell?([.changed(process, isInUse: self.isInUse(process))]) }
    }

    func unwatch(_ process: WatchedProcess) {
        watched[process] = watched[process].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    func isInUse(_ process: WatchedProcess) -> Bool { watched[process] != nil && (isInUse || isActivityShown) }

    func refresh(_ process: WatchedProcess) {}

    func setMayBeActivated(_ process: WatchedProcess) {}

    func evidence(of process: WatchedProcess) -> UsageEvidence? {
        watched[process].map { _ in
            given
                ?? UsageEvidence(
                    place: .session(LoginSession(isActive: true, isLocked: !isInUse)),
                    isBackgroundActivityShown: isActivityShown)
        }
    }

    func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool) {
        isActivityShown = isShown
        // Never from within the call, as the real one.
        eventLoop?.execute { self.report() }
    }

    func set(_ isInUse: Bool) {
        self.isInUse = isInUse
        report()
    }

    func set(_ evidence: UsageEvidence) {
        given = evidence
        set(evidence.isInUse)
    }

    private func report() { tell?(watched.keys.map { .changed($0, isInUse: isInUse($0)) }) }

    func shutdown() {}
}

extension ClientDeclaration {
    /// The client that `PeerIdentity.example()` is; it may know without being asked.
    static func example(
        _ identifier: String = "org.example.App", executable: String = "/usr/bin/example",
        policy: ClientPolicy = .preset(.always)
    ) -> ClientDeclaration {
        var match = ClientMatch()
        match.executable = executable
        var declaration = ClientDeclaration(
            identifier: identifier, match: match, file: "/etc/locationd/clients.d/\(identifier).plist")
        declaration.policy = policy
        return declaration
    }
}

extension ClientPolicy {
    static func preset(
        _ level: Level, upTo maximum: Level = .always, accuracy: AccuracyAuthorization = .full
    ) -> ClientPolicy {
        var policy = ClientPolicy()
        policy.presetAuthorization = level
        policy.maximumAuthorization = maximum
        policy.maximumAccuracy = accuracy
        return policy
    }

    static var restricted: ClientPolicy {
        var policy = ClientPolicy()
        policy.isRestricted = true
        return policy
    }
}

extension PeerIdentity {
    static func example(_ executable: String? = "/usr/bin/example", user: UInt32 = 4242) -> PeerIdentity {
        var peer = PeerIdentity(userID: user, processID: 77)
        peer.executable = executable
        return peer
    }
}
