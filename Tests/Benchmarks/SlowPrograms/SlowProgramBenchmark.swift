import FoundationEssentials
import Glibc
import LocationClient
import Synchronization
import TestSupport

/// `make bench-slow`: measures the age of the locations that programs of every speed are delivered, at 20 fixes a second, in Swift
/// and in Python. Fails when an aim is missed. `QUICK=1` in the environment makes it short.
@main
struct SlowProgramBenchmark {
    /// The interval of the track's fixes.
    private static let interval = Duration.milliseconds(50)
    /// The highest age at the 99th percentile.
    private static let aim = interval + .milliseconds(50)
    /// The times in milliseconds for which a program works on each location.
    private static let pauses = [0, 20, 120, 400, 2000]

    static func main() async throws {
        let isQuick = getenv("QUICK").map { String(cString: $0) } ?? "" != ""
        let site = try DaemonSite()
        let python = try await String(
            ChildProcess.run(["/usr/bin/env", "python3", "-c", "import os; print(os.readlink('/proc/self/exe'))"])
                .output.dropLast())
        try site.declare("org.example.Python", executable: python)
        let daemon = try await site.start()
        let arrivals = Arrivals()
        let duration = isQuick ? Duration.seconds(8) : .seconds(35)
        let end = ContinuousClock.now + duration
        print("age of a location on delivery, from its arrival at a program that waits; at most \(text(aim)) at p99\n")
        let results = try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                for try await update in manager(site).liveUpdates() {
                    if let location = update.location { arrivals.note(location) }
                    // Those of the others have arrived here by then.
                    if ContinuousClock.now > end + .seconds(3) { break }
                }
                return nil
            }
            for pause in pauses {
                group.addTask { try await read(site, pausing: .milliseconds(pause), until: end, arrivals) }
                for work in pause == 0 ? ["await"] : ["await", "block"] {
                    group.addTask { try await read(site, in: python, work, pausing: pause, for: duration) }
                }
            }
            var results: [Result] = []
            for try await case let result? in group { results.append(result) }
            return results
        }
        var isReached = true
        for result in results.sorted(by: { ($0.program, $0.pause) < ($1.program, $1.pause) }) {
            let (median, highest) = (result.age(at: 0.5, arrivals), result.age(at: 0.99, arrivals))
            isReached = isReached && highest <= aim
            print(
                "\(result.program), pause of \(text(result.pause)): \(result.deliveries.count) delivered, \(result.skipped) skipped, "
                    + "median \(text(median)), p99 \(text(highest))\(highest <= aim ? "" : "  MISSED")")
        }
        try await daemon.stop()
        if !isReached { exit(1) }
    }

    private static func manager(_ site: DaemonSite) -> LocationManager { LocationManager(socketPath: site.socket) }

    /// Reads locations as a program does that works for `pause` on each of them.
    private static func read(
        _ site: DaemonSite, pausing pause: Duration, until end: ContinuousClock.Instant, _ arrivals: Arrivals
    ) async throws -> Result {
        var result = Result(program: "Swift", pause: pause)
        for try await update in manager(site).liveUpdates() {
            result.skipped += update.skippedCount
            if let location = update.location { result.note(latitude: location.coordinate.latitude, at: .monotonic) }
            try await Task.sleep(for: pause)
            if ContinuousClock.now > end { break }
        }
        return result
    }

    /// Has a program in Python do the same.
    private static func read(
        _ site: DaemonSite, in python: String, _ work: String, pausing pause: Int, for duration: Duration
    ) async throws -> Result {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized.path
        let program = try await ChildProcess.run(
            [
                python, "-B", tests + "/Benchmarks/slow_program.py", work, "\(pause)",
                "\(duration / .seconds(1))",
            ],
            environment: [
                "LOCATIOND_SOCKET": site.socket, "PYTHONPATH": tests + "/../Config/packaging/python",
            ])
        guard program.code == 0 else { throw Failure(reason: program.errors) }
        var result = Result(program: "Python (\(work))", pause: .milliseconds(pause))
        for line in program.output.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 3, let time = Int64(parts[0]), let latitude = Double(parts[1]),
                let skipped = Int(parts[2])
            else { throw Failure(reason: String(line)) }
            result.note(latitude: latitude, at: .nanoseconds(time))
            result.skipped += skipped
        }
        return result
    }

    private struct Failure: Error { let reason: String }

    private static func text(_ duration: Duration) -> String {
        "\(((duration / .milliseconds(1)) * 10).rounded() / 10) ms"
    }

    private struct Result: Sendable {
        let program: String
        let pause: Duration
        /// The place in the track of each location, and the time of its delivery.
        private(set) var deliveries: [(place: Int, time: Duration)] = []
        var skipped = 0

        init(program: String, pause: Duration) { (self.program, self.pause) = (program, pause) }

        mutating func note(latitude: Double, at time: Duration) {
            deliveries.append((DaemonSite.placeInTrack(latitude: latitude), time))
        }

        /// The age that this share of the locations had at most.
        func age(at share: Double, _ arrivals: Arrivals) -> Duration {
            let ages = deliveries.map { arrivals.age(of: $0.place, at: $0.time) }.sorted()
            return ages.isEmpty ? .seconds(1e9) : ages[min(ages.count - 1, Int(Double(ages.count) * share))]
        }
    }
}

/// The times at which locations arrived at a program that waits for each of them.
private final class Arrivals: Sendable {
    private let times = Mutex<[Int: Duration]>([:])

    func note(_ location: Location) {
        let now = Duration.monotonic
        times.withLock { $0[DaemonSite.placeInTrack(latitude: location.coordinate.latitude)] = now }
    }

    /// The time since a location arrived; zero if it arrived at the other program later.
    func age(of place: Int, at time: Duration) -> Duration {
        times.withLock { $0[place] }.map { max(.zero, time - $0) } ?? .zero
    }
}

extension Duration {
    /// The time of the kernel's monotonic clock, which Python has as well.
    fileprivate static var monotonic: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
