import BenchmarkLoad
import Glibc
import Measuring

/// The cost of one user's 2,000 connections to another user: of a revocation, a `GetLocation` and the next fix at a
/// subscriber, with and without them.
struct Fairness {
    /// The behaviour of the hostile user.
    enum Hostility: String, CaseIterable {
        case managing = "2,000 that switch services on and off"
        case watching = "1,000 that watch and 1,000 that switch"
        case following = "2,000 that follow at 60 Hz"

        var calls: [HostileCall] {
            switch self {
            case .managing: [HostileCall(2000, Request.disable, again: Request.enable)]
            case .watching:
                [HostileCall(1000, Request.watch), HostileCall(1000, Request.disable, again: Request.enable)]
            case .following: [HostileCall(2000, Request.follow)]
            }
        }
    }

    /// What a hostile user says on some connections: a request, once or more often, and then in turn with another one.
    struct HostileCall {
        var connections: Int32
        var request: String
        var repetitions: Int32
        var again: String?

        init(_ connections: Int32, _ request: String, repetitions: Int32 = 1, again: String? = nil) {
            (self.connections, self.request, self.repetitions, self.again) = (connections, request, repetitions, again)
        }
    }

    struct Result {
        var revocation = timed_result()
        var location = timed_result()
        var fixes = load_result()
    }

    /// User ids that need not exist.
    private static let hostile: UInt32 = 61_001
    private static let locating: UInt32 = 61_002

    var seconds: Double

    func measure(at site: Site, _ hostility: Hostility?) throws -> Result {
        let daemon = try site.startDaemon(load: 1)
        defer { daemon.end() }
        try daemon.subscribe(1)
        _ = try daemon.feed(interval: 0.2, warmup: 2, fixes: 3)
        var process: pid_t?
        defer { if let process { process_end(process) } }
        if let hostility { process = try start(hostility, daemon) }
        let calls = [
            // Root's call, for one user after the other.
            timed_call(user: 0, request: Self.lasting(Request.deny), pause: 0.05),
            timed_call(user: Self.locating, request: Self.lasting(Request.getLocation), pause: 0.01),
        ]
        var results = [timed_result(), timed_result()]
        var result = Result()
        guard
            load_timed_calls(
                daemon.load, daemon.process, daemon.socket, calls, Int32(calls.count), 0.2, seconds, &results,
                &result.fixes)
        else { throw BenchmarkError.noAnswer }
        (result.revocation, result.location) = (results[0], results[1])
        return result
    }

    /// The calls of one user on 500 connections that may keep the disk or the loop busy.
    enum DiskHostility: String, CaseIterable {
        case repeating = "repeat “off”"
        case switching = "switch off and on"
        case addingPlaces = "add and remove a place"
        case addingPolygons = "add and remove a polygon"
        case listingPlaces = "list 1,000 places"

        var calls: [HostileCall] {
            switch self {
            case .repeating: [HostileCall(500, Request.disable, again: Request.disable)]
            case .switching: [HostileCall(500, Request.disable, again: Request.enable)]
            case .addingPlaces: [HostileCall(500, Request.addOnePlace, again: Request.removeOnePlace)]
            case .addingPolygons: [HostileCall(500, Request.addPolygon, again: Request.removeOnePlace)]
            case .listingPlaces:
                [
                    HostileCall(1, Request.addCondition, repetitions: 1000),
                    HostileCall(500, Request.listConditions, again: Request.listConditions),
                ]
            }
        }
    }

    /// The times of calls of others while one user is so hostile, with a slow disk.
    struct DiskResult {
        var grant = timed_result()
        var history = timed_result()
        var list = timed_result()
        var status = timed_result()
    }

    func measureDisk(at site: Site, _ hostility: DiskHostility) throws -> DiskResult {
        let daemon = try site.startDaemon(load: 1, hasSlowDisk: true)
        defer { daemon.end() }
        try daemon.subscribe(1)
        _ = try daemon.feed(interval: 0.2, warmup: 2, fixes: 3)
        let process = try start(hostility.calls, daemon)
        defer { process_end(process) }
        let calls = [
            // Root's call, for one user after the other.
            timed_call(user: 0, request: Self.lasting(Request.grant), pause: 0.05),
            timed_call(user: Self.locating, request: Self.lasting(Request.listAccess), pause: 0.05),
            timed_call(user: Self.locating, request: Self.lasting(Request.listClients), pause: 0.05),
            timed_call(user: Self.locating, request: Self.lasting(Request.status), pause: 0.01),
        ]
        var results = Array(repeating: timed_result(), count: calls.count)
        var fixes = load_result()
        guard
            load_timed_calls(
                daemon.load, daemon.process, daemon.socket, calls, Int32(calls.count), 0.2, seconds, &results, &fixes)
        else { throw BenchmarkError.noAnswer }
        return DiskResult(grant: results[0], history: results[1], list: results[2], status: results[3])
    }

    /// The times of root's calls while one user's 1,000 places are crossed every five seconds, with 2,000 streams.
    struct PlacesResult {
        var status = timed_result()
        var revocation = timed_result()
        /// The memory that the service has taken since the streams were opened, in bytes.
        var memory = 0
    }

    func measurePlaces(at site: Site) throws -> PlacesResult {
        let daemon = try site.startDaemon(load: 1)
        defer { daemon.end() }
        try daemon.subscribe(1)
        load_set_crossing(daemon.load, 25)
        _ = try daemon.feed(interval: 0.2, warmup: 2, fixes: 3)
        let process = try start(
            [
                HostileCall(1, Request.addCondition, repetitions: 1000), HostileCall(2000, Request.watchConditions),
            ], daemon)
        defer { process_end(process) }
        try daemon.idle(1)
        let before = try daemon.figures.memory("Rss")
        let calls = [
            timed_call(user: 0, request: Self.lasting(Request.status), pause: 0.01),
            timed_call(user: 0, request: Self.lasting(Request.deny), pause: 0.05),
        ]
        var results = [timed_result(), timed_result()]
        var fixes = load_result()
        guard
            load_timed_calls(
                daemon.load, daemon.process, daemon.socket, calls, Int32(calls.count), 0.2, seconds, &results, &fixes)
        else { throw BenchmarkError.noAnswer }
        return PlacesResult(
            status: results[0], revocation: results[1], memory: try daemon.figures.memory("Rss") - before)
    }

    private func start(_ hostility: Hostility, _ daemon: Server) throws -> pid_t {
        try start(hostility.calls, daemon)
    }

    private func start(
        _ calls: [HostileCall], _ daemon: Server
    ) throws -> pid_t {
        let calls = calls.map {
            hostile_call(
                connections: $0.connections, request: Self.lasting($0.request), repetitions: $0.repetitions,
                again: $0.again.map(Self.lasting) ?? nil)
        }
        let process = hostile_start(daemon.socket, Self.hostile, calls, Int32(calls.count))
        guard process > 0 else { throw BenchmarkError.noConnection(daemon.socket) }
        return process
    }

    /// A C string that lives as long as the program; there are a handful.
    private static func lasting(_ text: String) -> UnsafePointer<CChar>? { UnsafePointer(strdup(text)) }
}
