import BenchmarkLoad
import Glibc

/// The cost of one user's 2,000 connections to another user: of a revocation, a `GetLocation` and the next fix at a
/// subscriber, with and without them.
struct Fairness {
    /// The behaviour of the hostile user.
    enum Hostility: String, CaseIterable {
        case managing = "2,000 that switch services on and off"
        case watching = "1,000 that watch and 1,000 that switch"
        case following = "2,000 that follow at 60 Hz"

        var calls: [(connections: Int32, request: String, again: String?)] {
            switch self {
            case .managing: [(2000, Request.disable, Request.enable)]
            case .watching: [(1000, Request.watch, nil), (1000, Request.disable, Request.enable)]
            case .following: [(2000, Request.follow, nil)]
            }
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

    private func start(_ hostility: Hostility, _ daemon: Server) throws -> pid_t {
        let calls = hostility.calls.map {
            hostile_call(
                connections: $0.connections, request: Self.lasting($0.request), again: $0.again.map(Self.lasting) ?? nil
            )
        }
        let process = hostile_start(daemon.socket, Self.hostile, calls, Int32(calls.count))
        guard process > 0 else { throw BenchmarkError.noConnection(daemon.socket) }
        return process
    }

    /// A C string that lives as long as the program; there are a handful.
    private static func lasting(_ text: String) -> UnsafePointer<CChar>? { UnsafePointer(strdup(text)) }
}
