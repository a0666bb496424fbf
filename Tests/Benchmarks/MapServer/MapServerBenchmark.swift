import FoundationEssentials
import Glibc
import Measuring
import TestSupport

/// `make bench-map`: measures the map program with simulated pages, fed by a daemon that replays a track. Fails when an
/// aim is missed. `QUICK=1` in the environment makes it short.
@main
struct MapServerBenchmark {
    static func main() async throws {
        let isQuick = getenv("QUICK").map { String(cString: $0) } ?? "" != ""
        var report = Report()
        let site = try DaemonSite()
        try site.declare("org.locationd.map", executable: Products.locationctlMap)
        let daemon = try await site.start()

        let program = try await MapProgram(site: site, waypoints: 10_000)
        let figures = ProcessFigures(of: program.process.processID)
        let seconds = isQuick ? 3.0 : 10
        for count in [1, 8] {
            while program.pages.count < count { try await program.open() }
            let (delays, share) = try await program.follow(seconds: seconds)
            report.line(
                "\(count) page\(count == 1 ? "" : "s"): from locationd's frame to the page, p95", delays.quantile(0.95),
                "ms", 5)
            report.line("\(count) page\(count == 1 ? "" : "s"): share of a core", share * 100, "%", count == 1 ? 3 : 8)
        }
        let cameras = try await program.moveCamera(times: isQuick ? 20 : 100)
        report.line("camera moved to new views with 10,000 annotations, p95", cameras.quantile(0.95), "ms", 50)
        report.line("memory", Double(try figures.memory("Rss")) / 1_048_576, "MiB", 60)
        report.line("SIGTERM to end, with 8 pages", try await program.end(), "ms", 1000)
        try await daemon.stop()
        if report.missed > 0 {
            print("\n\(report.missed) aims missed.")
            exit(1)
        }
    }
}

/// Prints figures and their aims.
struct Report {
    private(set) var missed = 0

    mutating func line(_ what: String, _ value: Double, _ unit: String, _ aim: Double) {
        let isReached = value <= aim
        if !isReached { missed += 1 }
        let number = "\((value * 100).rounded() / 100)"
        print("\(what): \(number) \(unit) (at most \(Int(aim)))\(isReached ? "" : "  MISSED")")
    }
}

extension [Double] {
    /// The quantile at this share.
    func quantile(_ share: Double) -> Double {
        let ordered = sorted()
        return ordered.isEmpty ? .infinity : ordered[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
