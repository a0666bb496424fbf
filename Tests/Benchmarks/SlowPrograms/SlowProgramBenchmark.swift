import Glibc
import LocationClient
import Synchronization
import TestSupport

/// `make bench-slow`: measures the age of the locations that programs of every speed are delivered, at 20 fixes a second. Fails
/// when an aim is missed. `QUICK=1` in the environment makes it short.
@main
struct SlowProgramBenchmark {
    /// The interval of the track's fixes.
    private static let interval = Duration.milliseconds(50)
    /// The highest age at the 99th percentile.
    private static let aim = interval + .milliseconds(50)

    static func main() async throws {
        let isQuick = getenv("QUICK").map { String(cString: $0) } ?? "" != ""
        let site = try DaemonSite()
        let daemon = try await site.start()
        let arrivals = Arrivals()
        let end = ContinuousClock.now + (isQuick ? .seconds(8) : .seconds(35))
        print("age of a location on delivery, from its arrival at a program that waits; at most \(text(aim)) at p99\n")
        let results = try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                for try await update in manager(site).liveUpdates() {
                    if let location = update.location { arrivals.note(location) }
                    if ContinuousClock.now > end { break }
                }
                return nil
            }
            for pause in [0, 20, 120, 400, 2000] {
                group.addTask { try await read(site, pausing: .milliseconds(pause), until: end, arrivals) }
            }
            var results: [Result] = []
            for try await case let result? in group { results.append(result) }
            return results
        }
        var isReached = true
        for result in results.sorted(by: { $0.pause < $1.pause }) {
            let (median, highest) = (result.age(at: 0.5), result.age(at: 0.99))
            isReached = isReached && highest <= aim
            print(
                "pause of \(text(result.pause)): \(result.ages.count) delivered, \(result.skipped) skipped, median \(text(median)), "
                    + "p99 \(text(highest))\(highest <= aim ? "" : "  MISSED")")
        }
        try await daemon.stop()
        if !isReached { exit(1) }
    }

    private static func manager(_ site: DaemonSite) -> LocationManager { LocationManager(socketPath: site.socket) }

    /// Reads locations as a program does that works for `pause` on each of them.
    private static func read(
        _ site: DaemonSite, pausing pause: Duration, until end: ContinuousClock.Instant, _ arrivals: Arrivals
    ) async throws -> Result {
        var result = Result(pause: pause)
        for try await update in manager(site).liveUpdates() {
            result.skipped += update.skippedCount
            if let location = update.location { result.ages.append(arrivals.age(of: location)) }
            try await Task.sleep(for: pause)
            if ContinuousClock.now > end { break }
        }
        return result
    }

    private static func text(_ duration: Duration) -> String {
        "\(((duration / .milliseconds(1)) * 10).rounded() / 10) ms"
    }

    private struct Result: Sendable {
        let pause: Duration
        var ages: [Duration] = []
        var skipped = 0

        func age(at share: Double) -> Duration {
            let ordered = ages.sorted()
            return ordered.isEmpty ? .seconds(1e9) : ordered[min(ages.count - 1, Int(Double(ages.count) * share))]
        }
    }
}

/// The times at which locations arrived at a program that waits for each of them.
private final class Arrivals: Sendable {
    private let times = Mutex<[Int: ContinuousClock.Instant]>([:])

    func note(_ location: Location) {
        let now = ContinuousClock.now
        times.withLock { $0[Self.index(location)] = now }
    }

    /// The time since a location arrived; zero for one that has not been delivered to the other program yet.
    func age(of location: Location) -> Duration {
        let now = ContinuousClock.now
        return times.withLock { $0[Self.index(location)] }.map { now - $0 } ?? .zero
    }

    private static func index(_ location: Location) -> Int {
        DaemonSite.placeInTrack(latitude: location.coordinate.latitude)
    }
}
