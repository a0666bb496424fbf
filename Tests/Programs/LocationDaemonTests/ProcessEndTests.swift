import DaemonTestSupport
import LocationUsage
import LinuxPlumbing
import Glibc
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import LocationCore

/// What was granted until the program ends, in every order of connecting, asking, closing, exiting, fork and exec of two
/// processes of one client.
///
/// The parts are the daemon's own: connections, clients, the tracker of use and the state machine. Only the kernel is
/// played: a process is a socket, readable after its end as a pidfd is.
@Suite("The end of a program", .timeLimit(.minutes(10)))
struct ProcessEndTests {
    /// An event; processes by number. A child that keeps the connection of its parent is an exit without a close.
    enum Event: Hashable, Sendable {
        case connect(Int)
        /// A second connection, of a process that exits right after it was identified.
        case connectWhileExiting(Int)
        case answer(PromptChoice)
        case close(Int)
        case exit(Int)
        /// The monitor reports the exit.
        case reportExit(Int)
        case exec(Int)
        /// A location is due while nothing is in use.
        case deliverInBackground(Int)
        /// A decision that does not concern the prompt begins to be saved, and is saved.
        case beginSaving, endSaving
    }

    private static let processes = 0..<2
    /// The process that comes after all events.
    private static let newcomer = 2

    /// Replays the events that lead to a state.
    ///
    /// Confined to the event loop.
    private final class World {
        let core: Core
        let monitor = PlayedMonitor()
        let files: [FileIdentity]
        var processes: [Int: PlayedProcess] = [:]
        var connections: [Int: Connection] = [:]
        var lateConnections: [Int: Connection] = [:]
        var subscriptions: [Int: Subscription] = [:]
        var isSaving = false
        var client: Client? { core.table.users[4242]?.clients["org.example.App"] }
        /// The running processes to which the grant belongs: they were connected during it.
        var holders: Set<Int> = []

        init(
            _ disk: DecisionStore, _ files: [FileIdentity], record: AuthorizationRecord
        ) throws {
            self.files = files
            let key = ClientKey(userID: 4242, client: "org.example.App")
            core = try Core(
                logger: LogRecorder().logger, disk: disk,
                stored: DecisionStore.StoredState(records: [key: record]), hasClock: false
            ) { _ in Configuration(clients: [.undecided]) }
            core.use.setMonitor(monitor)
            core.table.findProgram = { [unowned self] id in
                processes.values.first { $0.process.processID == id }.map { files[$0.hasExecuted ? 1 : 0] }
            }
        }

        /// True if the event can happen now.
        func allows(_ event: Event) -> Bool {
            switch event {
            case .connect(let number):
                processes[number].map { !$0.process.hasExited && !$0.hasExecuted && connections[number] == nil } ?? true
            case .connectWhileExiting(let number):
                connections[number] != nil && lateConnections[number] == nil && !(processes[number]?.hasExited ?? true)
            case .answer: client?.prompt != nil
            case .close(let number): connections[number] != nil
            case .exit(let number): processes[number].map { !$0.process.hasExited } ?? false
            case .reportExit(let number): processes[number].map { monitor.hasToReport($0.process) } ?? false
            case .exec(let number): processes[number].map { !$0.process.hasExited && !$0.hasExecuted } ?? false
            case .deliverInBackground(let number): subscriptions[number] != nil
            case .beginSaving: !isSaving && client != nil
            case .endSaving: isSaving
            }
        }

        func apply(_ event: Event) throws {
            switch event {
            case .connect(let number):
                let process = try processes[number] ?? PlayedProcess()
                processes[number] = process
                let connection = try core.open(
                    .example(), process.process, frontEnd: FrontEndKind(name: "Test"))
                connections[number] = connection
                subscriptions[number] = try core.subscribe(RecordingFrontEnd(), .init(), connection)
            case .connectWhileExiting(let number):
                guard let process = processes[number] else { return }
                let identified = process.identified()
                process.exit()
                lateConnections[number] = try core.open(.example(), identified, frontEnd: FrontEndKind(name: "Test"))
                _ = try core.subscribe(RecordingFrontEnd(), .init(), lateConnections[number]!)
            case .answer(let choice):
                guard let client, let prompt = client.prompt else { return }
                guard prompt.description.kind.choices.contains(choice) else { return }
                let origin = DecisionOrigin(userID: 4242, manner: .prompt, timestamp: .now())
                core.queue.take { [core] in
                    core.authorizer.whenSettled(client) {
                        guard client.prompt === prompt else { return }
                        core.authorizer.apply(.answer(choice), to: client, by: origin)
                    }
                }
            case .close(let number):
                connections[number].map(core.close)
                lateConnections.removeValue(forKey: number).map(core.close)
                (connections[number], subscriptions[number]) = (nil, nil)
            case .exit(let number): processes[number]?.exit()
            case .reportExit(let number):
                guard let process = processes[number]?.process else { return }
                monitor.forget(process)
                core.receive([.exited(process)])
            case .exec(let number): processes[number]?.hasExecuted = true
            case .deliverInBackground(let number):
                guard let subscription = subscriptions[number] else { return }
                core.queue.take { [core] in
                    core.queue.append(.askToConfirm(subscription.client, subscription.connection))
                }
            case .beginSaving:
                isSaving = true
                _ = client?.saving.begin()
            case .endSaving:
                isSaving = false
                guard let client else { return }
                core.queue.take {
                    _ = client.saving.end(0)
                    for body in client.saving.takePostponed() { body() }
                }
            }
            // Everything that runs is in use.
            let inUse = monitor.watched.keys.filter { !$0.hasExited }
            core.receive(inUse.map { .changed($0, isInUse: true) })
            noteHolders()
        }

        /// Reports all exits, as the kernel does in the end.
        func settle() throws {
            if isSaving { try apply(.endSaving) }
            for number in processes.keys.sorted() where allows(.reportExit(number)) { try apply(.reportExit(number)) }
        }

        private func noteHolders() {
            holders = holders.filter { number in
                processes[number].map { !$0.process.hasExited && !$0.hasExecuted } ?? false
            }
            guard client?.authorization.endsWithUse == true else { return }
            for number in connections.keys {
                guard let process = processes[number], !process.process.hasExited, !process.hasExecuted else {
                    continue
                }
                holders.insert(number)
            }
        }

        /// All that makes a difference to what comes.
        var name: String {
            var parts: [String] = []
            for number in ProcessEndTests.processes {
                let process = processes[number]
                let watched = process.map { process in
                    client?.watched.values.contains { $0.process === process.process } ?? false
                }
                parts.append(
                    "\(process?.process.hasExited as Any) \(process?.hasExecuted as Any) \(connections[number] != nil) \(lateConnections[number] != nil) "
                        + "\(watched as Any) \(process.map { monitor.hasToReport($0.process) } as Any) "
                        + "\(holders.contains(number))")
            }
            let authorization = client?.authorization
            parts.append(
                "\(authorization?.record as Any) \(authorization?.endsWithUse as Any) "
                    + "\(authorization?.prompt?.kind as Any) \(isSaving) \(client?.saving.postponedCount as Any)")
            return parts.joined(separator: "; ")
        }

        func end() {
            core.shutdown()
            for connection in [connections, lateConnections].flatMap(\.values) { core.close(connection) }
        }
    }

    private static let events: [Event] =
        processes.flatMap { number -> [Event] in
            [
                .connect(number), .connectWhileExiting(number), .close(number), .exit(number), .reportExit(number),
                .exec(number),
            ]
        } + [.answer(.allowOnce), .beginSaving, .endSaving]

    @Test("once ends with the last process of its program, in every order of close, exit, fork and exec")
    func once() async throws {
        let states = try await explore(record: AuthorizationRecord(), Self.events, depth: 9) { world in
            try world.settle()
            let isHeld = !world.holders.isEmpty
            if !isHeld, world.client?.authorization.prompt != nil, world.connections.isEmpty {
                return "a prompt stays open without a connection"
            }
            try world.apply(.connect(Self.newcomer))
            let has = world.client?.authorization.authorization.status == .authorizedWhenInUse
            if has, !isHeld { return "a later run of the program has the location without being asked about" }
            if !has, isHeld { return "it has ended although a process of it runs" }
            return nil
        }
        #expect(states > 300, "\(states)")
    }

    @Test("the prompt to confirm always is withdrawn when the last process exits, in every order")
    func confirmation() async throws {
        var record = AuthorizationRecord()
        record.grant = .provisionalAlways
        let events = Self.events + Self.processes.map { .deliverInBackground($0) }
        let states = try await explore(record: record, events.filter { $0 != .answer(.allowOnce) }, depth: 9) { world in
            try world.settle()
            let isRunning = world.processes.values.contains { !$0.process.hasExited }
            if !isRunning, world.client?.prompt != nil { return "the prompt stays open" }
            return nil
        }
        #expect(states > 100, "\(states)")
    }

    /// Visits all states that so many events lead to, each once. Returns their number.
    private func explore(
        record: AuthorizationRecord, _ events: [Event], depth: Int,
        check: @escaping @Sendable (World) throws -> String?
    ) async throws -> Int {
        let directory = try TemporaryDirectory()
        let loop = NIOAsyncTestingEventLoop()
        let disk = DecisionStore(
            try LocationStore.open(directory: directory.path, now: .now()).store, eventLoop: loop
        ) { .now() }
        let count = try await loop.submit { () throws -> Int in
            let files = try ["/bin/sh", "/bin/ls"].map { path in
                guard case .found(let file) = FileIdentity.lookedUp(at: path) else { throw CancellationError() }
                return file
            }
            func replay(_ path: [Event], _ body: (World) throws -> Void) throws {
                let world = try World(disk, files, record: record)
                defer { world.end() }
                for event in path { try world.apply(event) }
                try body(world)
            }
            var known: Set<String> = []
            var frontier: [[Event]] = [[]]
            while !frontier.isEmpty {
                var next: [[Event]] = []
                for path in frontier {
                    var possible: [Event] = []
                    try replay(path) { world in possible = events.filter(world.allows) }
                    for event in possible {
                        let longer = path + [event]
                        var isNew = false
                        try replay(longer) { world in
                            isNew = known.insert(world.name).inserted
                            if isNew, let broken = try check(world) { Issue.record("\(broken): \(longer)") }
                        }
                        if isNew, longer.count < depth { next.append(longer) }
                    }
                }
                frontier = next
            }
            return known.count
        }.get()
        try await disk.shutdown()
        return count
    }
}

/// A process of a test, which ends when the test says so.
private final class PlayedProcess {
    private static let lastID = Atomic<Int32>(1 << 24)
    let process: WatchedProcess
    var hasExecuted = false
    private var writer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        // Close-on-exec from the start: a child of another test must not keep it alive.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw CancellationError() }
        writer = ends[1]
        // No process has such an id.
        process = WatchedProcess(processID: Self.lastID.add(1, ordering: .relaxed).newValue, owning: ends[0])
    }

    var hasExited: Bool { process.hasExited }

    /// As it is identified for another connection.
    func identified() -> WatchedProcess {
        WatchedProcess(processID: process.processID, owning: fcntl(process.descriptor, F_DUPFD_CLOEXEC, 0))
    }

    func exit() {
        guard writer >= 0 else { return }
        // Takes effect even while a child of another test that has not called exec yet holds a copy.
        shutdown(writer, Int32(SHUT_RDWR))
        close(writer)
        writer = -1
    }

    deinit { exit() }
}

/// Watches nothing by itself: the test reports.
///
/// `@unchecked Sendable` because it is confined to the event loop.
private final class PlayedMonitor: UsageWatching, @unchecked Sendable {
    private(set) var watched: [WatchedProcess: Int] = [:]

    /// True if a watched process has exited, which is to be reported.
    func hasToReport(_ process: WatchedProcess) -> Bool { watched[process] != nil && process.hasExited }
    /// A process whose exit was reported is no longer watched.
    func forget(_ process: WatchedProcess) { watched[process] = nil }

    func watch(_ process: WatchedProcess) { watched[process, default: 0] += 1 }
    func unwatch(_ process: WatchedProcess) { watched[process] = watched[process].flatMap { $0 > 1 ? $0 - 1 : nil } }
    func isInUse(_ process: WatchedProcess) -> Bool { watched[process] != nil && !process.hasExited }
    func refresh(_ process: WatchedProcess) {}
    func evidence(of process: WatchedProcess) -> UsageEvidence? { nil }
    func setMayBeActivated(_ process: WatchedProcess) {}
    func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool) {}
    func shutdown() { watched = [:] }
}
