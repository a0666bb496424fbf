import LinuxPlumbing
import FoundationEssentials
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import LocationUsage
import NIOCore
import NIOEmbedded

@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink
@testable import VarlinkFrontEnd

/// A daemon with an optional connection for each `FuzzedPeer`.
///
/// `@unchecked Sendable` because its mutable state is confined to its event loop.
final class FuzzedDaemon: @unchecked Sendable {
    /// A connection and its expected answers.
    private struct Line {
        var connection: FuzzedConnection
        var channel: NIOAsyncTestingChannel
        var book = AnswerBook()
    }

    let loop = NIOAsyncTestingEventLoop()
    let usage = PlayedUsage()
    /// The peer that performs the next step of the script.
    var speaker = 0
    private let core: Core
    private let server: ServerCore
    private let decisions: DecisionStore
    private let state = State()
    private var lines: [Int: Line] = [:]
    /// The marks of the locations reported by the source.
    private var exact: Set<String> = []

    /// State for the closures given to the daemon. Confined to the event loop as well.
    private final class State: @unchecked Sendable {
        var configuration = Configuration.fuzzed(0)
        var connecting: FuzzedPeer?
    }

    static let time = Timestamp(nanosecondsSince1970: 1_795_000_000_000_000_000)
    /// All peers are this process, whatever their identity.
    private static let process = WatchedProcess(processID: getpid())

    init() async throws {
        decisions = try await FuzzedStore.shared.decisions(on: loop)
        core = try Core(
            logger: silentLogger, disk: decisions, stored: .init(), hasClock: false
        ) { [state] _ in
            state.configuration
        }
        let service = try VarlinkFrontEnd(
            core: core, identifier: PeerIdentifier(eventLoop: loop), userID: { _ in nil }
        ) { [state, loop] _ in
            loop.makeCompletedFuture {
                guard let identity = state.connecting?.identity, let process = Self.process else {
                    throw PeerIdentifier.Failure(description: "it wears a mask")
                }
                return (identity, process)
            }
        }
        server = try ServerCore(
            service: service, eventLoop: loop, limits: ServerLimits(state.configuration.daemon.limits),
            logger: silentLogger)
        usage.tell = { [core] events in core.receive(events) }
        usage.eventLoop = loop
        try await onLoop { daemon in
            daemon.core.setMonitor(daemon.usage)
            // What the source says goes to the core as it is.
            daemon.core.setSources(SourceGroup(eventLoop: daemon.core.eventLoop) { _ in }) { _ in
                [SourceDefinition("script") { _ in PlayedSource() }]
            }
        }
    }

    static func location(_ number: Int) -> Location {
        let coordinate = Coordinate(latitude: 48.123_456_7 + Double(number) * 1e-2, longitude: 11.765_432_1)
        var location = Location(
            coordinate: coordinate ?? Coordinate(latitude: 0, longitude: 0),
            timestamp: time.advanced(by: .seconds(Int64(number))))
        location.horizontalAccuracy = Double(number % 7)
        location.speed = Double(number % 5)
        return location
    }

    /// A text in every message with this exact location.
    static func mark(of location: Location) -> String { "\"latitude\":\(location.coordinate.latitude)" }

    func onLoop<Value: Sendable>(_ body: @escaping @Sendable (FuzzedDaemon) throws -> Value) async throws -> Value {
        try await loop.executeInContext { try body(self) }
    }

    /// Waits until the store is idle, all results have been delivered, and the server has read what it wants to.
    func settle() async throws {
        while true {
            await loop.run()
            await decisions.finish()
            await loop.run()
            let (before, after) = try await onLoop { daemon in
                let before = daemon.unsentCount
                for line in daemon.lines.values { line.connection.pump() }
                return (before, daemon.unsentCount)
            }
            // The server has more to answer as long as it has read more.
            guard after < before else { return }
        }
    }

    /// Shuts everything down.
    func end() async {
        loop.execute { [self] in
            for line in lines.values where line.connection.isOpen { line.connection.close() }
            core.shutdown()
        }
        await loop.run()
    }
}

// MARK: On the event loop

extension FuzzedDaemon {
    private var unsentCount: Int { lines.values.reduce(0) { $0 + $1.connection.unsentCount } }

    func connection(of number: Int) -> FuzzedConnection? {
        if let line = lines[number], line.connection.isOpen { return line.connection }
        state.connecting = FuzzedPeer.all[number]
        let channel = NIOAsyncTestingChannel(loop: loop)
        guard let connection = try? FuzzedConnection(channel, core: server) else { return nil }
        lines[number] = Line(connection: connection, channel: channel)
        return connection
    }

    func emit(_ event: SourceEvent) {
        if case .location(let location) = event { exact.insert(Self.mark(of: location)) }
        core.receive(event)
    }

    func reload(with variant: UInt8) {
        state.configuration = .fuzzed(variant)
        _ = core.reload()
    }

    func setReading(_ isReading: Bool) {
        guard let line = lines[speaker] else { return }
        line.connection.setReading(isReading) { line.channel.isWritable = $0 }
    }

    func readAll() {
        for line in lines.values { line.connection.setReading(true) { line.channel.isWritable = $0 } }
    }

    /// Checks the output to all peers since the last call; `isDelivery` if a new location caused it.
    func check(isDelivery: Bool = false) throws {
        for number in lines.keys.sorted() {
            guard let line = lines[number] else { continue }
            let written = line.connection.takeWritten()
            try lines[number]?.book.note(written, calls: line.connection.calls)
            try Finding.unless(line.connection.unreadBytes < 64 * 1024, "what nobody reads piles up")
            guard isDelivery, written.readableBytes > 0 else { continue }
            try checkDelivery(String(buffer: written), to: number)
        }
    }

    private func checkDelivery(_ text: String, to number: Int) throws {
        guard text.contains("\"latitude\"") else { return }
        guard let peer = FuzzedPeer.all[number].identity else { throw Finding("a stranger got a location") }
        var release: AccuracyAuthorization?
        if case .declared(let declaration) = core.directory.registry.recognise(peer) {
            release =
                core.directory.authorization(of: declaration, peer.userID)
                .evaluate(.init(isInUse: usage.isInUse)).view.release
        }
        switch release {
        case .full: break
        case .reduced:
            try Finding.unless(!exact.contains(where: text.contains), "a rough location is the exact one")
            try Finding.unless(!text.contains("\"speed\""), "a rough location tells of movement")
        case nil: throw Finding("\(peer) got a location without access")
        }
    }

    /// Checks that only streams are open when nothing but locations and decisions can come.
    func checkNothingIsOpen() throws {
        for line in lines.values where line.connection.isOpen {
            let open = line.book.open(of: line.connection.calls)
            if let open, open.wantsMore, !open.isOneway { continue }
            try Finding.unless(open == nil, "\(open?.method ?? "") was never answered")
            try Finding.unless(line.connection.isConsumed, "the server does not read any more")
        }
        let waiting = core.publisher.requests.count + core.prompts.count + core.authorizer.requestCount
        try Finding.unless(waiting == 0, "something waits that has timed out")
    }
}

// MARK: Scripted sources of events

/// A source that reports the script's events.
private final class PlayedSource: LocationSource {
    let kind = Location.SourceInformation.Kind.receiver
    let status = SourceStatus(connection: .connected, endpoint: "a script")

    func setDemand(_ demand: LocationDemand) {}
    func shutdown() {}
}

/// Scripted usage: all processes are in use, or none.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop, and the rest is set before it is
/// used.
final class PlayedUsage: UsageWatching, @unchecked Sendable {
    var tell: (@Sendable ([UsageEvent]) -> Void)?
    var eventLoop: (any EventLoop)?
    private var watched: [WatchedProcess: Int] = [:]
    private var isUsed = true
    private var isShown = false

    var isInUse: Bool { isUsed || isShown }

    func watch(_ process: WatchedProcess) {
        watched[process, default: 0] += 1
        // Never from within the call, like the real one.
        eventLoop?.execute { self.tell?([.changed(process, isInUse: self.isInUse)]) }
    }

    func unwatch(_ process: WatchedProcess) {
        watched[process] = watched[process].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    func isInUse(_ process: WatchedProcess) -> Bool { watched[process] != nil && isInUse }
    func refresh(_ process: WatchedProcess) {}
    func setMayBeActivated(_ process: WatchedProcess) {}

    func evidence(of process: WatchedProcess) -> UsageEvidence? { nil }

    func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool) {
        self.isShown = isShown
        // Never from within the call, like the real one.
        eventLoop?.execute { self.report() }
    }

    func set(_ isUsed: Bool) {
        self.isUsed = isUsed
        report()
    }

    func shutdown() {}

    private func report() {
        tell?(watched.keys.map { .changed($0, isInUse: isInUse) })
    }
}
