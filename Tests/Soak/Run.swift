import SeededRandom
import BenchmarkLoad
import Glibc
import LocationInterface
import Measuring

/// One soak: its connections, its random actions and its accounts.
///
/// It is single-threaded, so actions and counts are sequential. A fix comes every 50 ms; orderly connections leave
/// after the last one has been delivered.
final class Run {
    static let interval: Int64 = 50_000_000
    /// A fix this old, 4 s, is no longer delivered.
    static let memory = 80

    let place: Place
    let daemon: pid_t
    let receiver: Receiver
    let manager: Manager
    var generator: SeededGenerator
    var users: Users
    var books = Books()
    var curve = Curve()
    var peers: [Peer] = []
    /// The number of the next fix.
    var next = 0
    /// The daemon's resources after each wave, and the number of connections so far.
    var ebbs: [(sample: Curve.Sample, made: Int)] = []
    /// The time of gpsd's return.
    var gpsdReturns: Int64?
    let start = monotonic_now()
    let seconds: Double
    private let figures: ProcessFigures
    private let userIDs: [uid_t]
    private var sampled: Int64 = 0
    private var fixTime: Int64 = 0

    init(place: Place, seed: UInt64, seconds: Double) throws {
        self.place = place
        self.seconds = seconds
        generator = SeededGenerator(seed: seed)
        receiver = try Receiver(path: place.gpsd)
        daemon = try place.startDaemon()
        figures = ProcessFigures(of: daemon)
        manager = try Manager(socket: place.socket)
        // The kernel accepts any number as a user id.
        userIDs = geteuid() == 0 ? (0..<6).map { 20_001 + $0 } : [geteuid()]
        if userIDs.count == 1 { print("Not root: all connections are of one user.") }
        users = Users(count: userIDs.count)
    }

    func soak() throws {
        for user in users.indices { try make(.decide(user: user, .authorizedAlways)) }
        let wave = min(20, seconds / 6)
        var number = 0
        while elapsed + wave / 2 < seconds {
            // In every other wave all connections leave in an orderly way, so that the accounts have to agree exactly.
            try surge(until: elapsed + wave * 0.8, isOrderly: number % 2 == 1)
            try ebb(isOrderly: number % 2 == 1)
            number += 1
        }
    }

    var elapsed: Double { Double(monotonic_now() - start) / 1e9 }

    // MARK: Time

    private func surge(until end: Double, isOrderly: Bool) throws {
        let begin = elapsed
        while elapsed < end {
            let due = monotonic_now() + Self.interval
            let share = (elapsed - begin) / (end - begin)
            try act(wanted: Int(400 * sin(.pi * min(1, share + 0.05))), isOrderly: isOrderly)
            sendFix()
            try pump(until: due)
        }
    }

    private func sendFix() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        fixTime = max(fixTime + Self.interval / 1_000_000, Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
        receiver.send(Fix(number: next, time: fixTime))
        next += 1
    }

    /// Reads for this long. Returns true if subscribers received anything.
    @discardableResult
    func pump(until end: Int64) throws -> Bool {
        var wasTold = false
        repeat {
            guard !process_is_interrupted() else { throw SoakError.interrupted }
            if let returns = gpsdReturns, monotonic_now() >= returns {
                try receiver.listen()
                gpsdReturns = nil
            }
            receiver.handle()
            for peer in peers where peer.isReading && !peer.isEnded {
                if peer.read() > 0, peer.kind == .subscriber { wasTold = true }
                check(peer)
            }
            for peer in peers where peer.isEnded || peer.kind == .asker && peer.told.locations + peer.told.errors > 0 {
                bury(peer)
            }
            peers.removeAll { $0.isEnded || $0.kind == .asker && $0.told.locations + $0.told.errors > 0 }
            try sample()
            let left = end - monotonic_now()
            if left > 0 { poll(nil, 0, Int32(min(5_000_000, left) / 1_000_000)) }
        } while monotonic_now() < end
        return wasTold
    }

    /// Waits until the daemon has processed everything that was sent.
    func settle() throws {
        var before = -1
        while true {
            let status = try manager.status()
            if status.deliveries?.publications == before { return }
            before = status.deliveries?.publications ?? 0
        }
    }

    private func sample() throws {
        let now = monotonic_now()
        guard now - sampled >= 250_000_000 else { return }
        sampled = now
        curve.add(try currentSample())
    }

    private func currentSample() throws -> Curve.Sample {
        guard let inUse = try manager.status().memoryInUse else { throw SoakError.noAnswer("no memory in use") }
        return Curve.Sample(
            seconds: elapsed, connections: peers.count, descriptors: try figures.descriptors(),
            memory: try figures.memory("Pss"), anonymous: try figures.memory("Anonymous"), inUse: inUse)
    }

    // MARK: Connections

    /// Opens a connection of one of the users.
    func connect(_ kind: Peer.Kind) throws -> Peer {
        let user = Int.random(in: users.indices, using: &generator)
        let descriptor = unix_connect_as(place.socket, userIDs[user])
        guard descriptor >= 0 else { throw SoakError.system("connect to \(place.socket)") }
        books.connections += 1
        return Peer(kind, user: user, descriptor: descriptor)
    }

    /// Adds the deliveries of a connection to the accounts and discards it.
    func bury(_ peer: Peer) {
        check(peer)
        books.take(peer)
    }

    private func check(_ peer: Peer) {
        for fix in peer.takeExact() where users.isLeak(fix, to: peer.user) { books.leaks += 1 }
    }

    // MARK: Decisions

    func make(_ change: Users.Change) throws {
        users.willMake(change, lastCertain: next - Self.memory)
        switch change {
        case .decide(let user, let decision):
            try manager.ask(
                "org.locationd.Manager.SetAuthorization",
                #"{"client":"\#(Place.client)","authorization":"\#(decision.rawValue)","userID":\#(userIDs[user])}"#)
        case .accuracy(let user, let isReduced):
            try manager.ask(
                "org.locationd.Manager.SetAccuracy",
                #"{"client":"\#(Place.client)","accuracy":"\#(isReduced ? "reduced" : "full")","#
                    + #""userID":\#(userIDs[user])}"#)
        case .enable(let user?, let isEnabled):
            try manager.ask(
                "org.locationd.Manager.SetEnabled", #"{"isEnabled":\#(isEnabled),"userID":\#(userIDs[user])}"#)
        case .enable(nil, let isEnabled):
            try manager.ask("org.locationd.Manager.SetEnabled", #"{"isEnabled":\#(isEnabled),"isSystem":true}"#)
        case .declare(let isDeclared):
            try place.declare(isDeclared)
            _ = try manager.reload()
        }
        users.didMake(change, next: next)
        books.changes += 1
    }

    // MARK: After all have left

    private func ebb(isOrderly: Bool) throws {
        if gpsdReturns != nil {
            gpsdReturns = nil
            try receiver.listen()
        }
        // The slow readers read to the end, and receive their counts of skipped locations.
        for peer in peers { peer.isReading = true }
        var quiet = 0
        while quiet < 5 {
            try settle()
            quiet = try pump(until: monotonic_now() + 60_000_000) ? 0 : quiet + 1
        }
        for peer in peers {
            peer.leave()
            bury(peer)
        }
        peers = []
        var status = try manager.status()
        let patience = monotonic_now() + 10_000_000_000
        while (status.connections ?? -1) > 1 || (status.subscriptions ?? -1) > 0 {
            guard monotonic_now() < patience else {
                throw SoakError.noAnswer("\((status.connections ?? -1) - 1) connections are still there after 10 s")
            }
            try pump(until: monotonic_now() + 20_000_000)
            status = try manager.status()
        }
        // By then deferred work is done: usage is not watched any more, idle threads have ended.
        try pump(until: monotonic_now() + 1_000_000_000)
        guard let deliveries = try manager.status().deliveries else { throw SoakError.noAnswer("no deliveries") }
        books.close(deliveries, isOrderly: isOrderly)
        var sample = try currentSample()
        // The connection to gpsd depends on the time of its restart.
        if receiver.connection >= 0 { sample.descriptors -= 1 }
        ebbs.append((sample, books.connections))
    }
}
