import BenchmarkLoad
import Glibc
import Measuring

/// `make bench`: measures the real daemon over its real socket, in comparison with a C broadcaster.
///
/// Ratios are from one run in which both servers take turns, fix by fix. `QUICK=1` in the environment shortens
/// everything. `GEOCLUE_BUS` is the address of a message bus on which the daemon then also answers GeoClue's programs. The
/// server under test has a CPU of its own, and the load has another. Arguments name the measurements,
/// by default all: `fanout`, `stalled`, `many`, `followers`, `calls`, `fairness`, `disk`, `places`, `idle`, `start`.
@main
struct Benchmarks {
    static func main() {
        let isQuick = getenv("QUICK").map { String(cString: $0) } ?? "" != ""
        do {
            let bench = try Bench(isQuick: isQuick)
            defer { bench.cleanUp() }
            try bench.run(Set(CommandLine.arguments.dropFirst()))
        } catch {
            print("The benchmark ended early: \(process_is_interrupted() ? BenchmarkError.interrupted : error)")
            exit(1)
        }
    }
}

/// All measurements, one after the other.
struct Bench {
    let isQuick: Bool
    let site: Site

    init(isQuick: Bool) throws {
        self.isQuick = isQuick
        site = try Site()
        // The longest run takes less than three minutes.
        process_prepare(site.loadCPU, 32_768, 600)
    }

    func cleanUp() { site.remove() }

    func run(_ names: Set<String>) throws {
        print("\(isQuick ? "Short" : "Full") run, server on CPU \(site.serverCPU), load on CPU \(site.loadCPU).")
        print(Row.header)
        func isWanted(_ name: String) -> Bool { names.isEmpty || names.contains(name) }
        if isWanted("fanout") { try measureFanOut() }
        if isWanted("stalled") { try measureStalledReaders() }
        if isWanted("many") { try measureManySubscribers() }
        if isWanted("followers") { try measureFollowers() }
        if isWanted("calls") { try measureOneShotCalls() }
        if isWanted("fairness") { try measureFairness() }
        if isWanted("disk") { try measureFairnessOfTheDisk() }
        if isWanted("places") { try measureFairnessOfPlaces() }
        if isWanted("idle") { try measureIdle() }
        if isWanted("start") { try measureStart() }
    }

    private func measureFanOut() throws {
        let template = try site.recordTemplate()
        let many = try FanOut(
            subscribers: 1000, warmup: 20, fixes: isQuick ? 100 : 600, interval: 0.05, template: template
        ).measure(at: site)
        Row.print("CPU per delivery, 1,000 subscribers, 20 fixes/s", many.perDelivery, aim: 1.5)
        Row.print("gpsd's write to the last of 1,000 subscribers, median", many.median, aim: 1.3)
        many.reportLoss("1,000 subscribers, 20 fixes/s")
        let one = try FanOut(
            subscribers: 1, warmup: 20, fixes: isQuick ? 60 : 200, interval: 0.05, template: template
        ).measure(at: site)
        Row.print("gpsd's write to the only subscriber, median", one.median, aim: 2)
    }

    private func measureStalledReaders() throws {
        let (live, stalled, seconds) = (500, 500, isQuick ? 10 : 60)
        let alone = try site.startDaemon(load: 2)
        defer { alone.end() }
        let beside = try site.startDaemon(beside: alone)
        defer { beside.end() }
        try alone.subscribe(live)
        try beside.subscribe(live)
        var results = [load_result(), load_result()]
        func feed(_ seconds: Int) throws {
            let processes = [alone.process, beside.process]
            guard load_feed(alone.load, processes, 0.05, 20, Int32(20 * seconds), &results) else {
                throw BenchmarkError.noGPSD
            }
        }
        // Without them first, so that they make the only difference.
        try feed(2)
        let before = try beside.figures.memory("Rss")
        try beside.subscribeStalled(stalled)
        try feed(seconds)
        let bytes = Double(try beside.figures.memory("Rss") - before) / Double(stalled)
        let name = "gpsd's write to the last of 500 beside 500 stalled for \(seconds) s"
        Row.print(
            "\(name), p99", Comparison(daemon: results[1].last_99th, broadcaster: results[0].last_99th, unit: "µs"),
            aim: 1.2)
        Row.note("In the second column the same daemon without the stalled ones, taking turns")
        let medians = (Int(results[1].last_median), Int(results[0].last_median))
        Row.note("Medians \(medians.0) and \(medians.1) µs; lost \(results[1].lost) and \(results[0].lost)")
        Row.print("Resident for each stalled reader", bytes / 1024, "KiB", aim: .atMost(16))
    }

    private func measureManySubscribers() throws {
        let count = 10_000
        let daemon = try site.startDaemon(load: 1)
        defer { daemon.end() }
        let before = try daemon.figures.memory("Rss")
        try daemon.subscribe(count)
        let result = try daemon.feed(interval: 1, warmup: 2, fixes: isQuick ? 4 : 20)
        let bytes = Double(try daemon.figures.memory("Rss") - before) / Double(count)
        Row.print("10,000 subscribers, 1 fix/s: resident per subscriber", bytes / 1024, "KiB", aim: .atMost(8))
        Row.print("10,000 subscribers, 1 fix/s: deliveries lost", Double(result.lost), "", aim: .atMost(0))
        let limit = try daemon.figures.descriptorLimit()
        if result.lost > 0, limit < 2 * count + 100 {
            Row.note("The daemon may have no more than \(limit) descriptors here: it could not accept them all")
        }
    }

    private func measureFollowers() throws {
        let (count, rate) = (100, 60)
        let daemon = try site.startDaemon(load: 1)
        defer { daemon.end() }
        try daemon.subscribe(count, Request.follow)
        _ = try daemon.feed(interval: 1, warmup: 2, fixes: 1)
        let (cpu, received, start) = (
            process_cpu_time(daemon.process), load_received(daemon.load, 0), monotonic_now()
        )
        _ = try daemon.feed(interval: 1, warmup: 0, fixes: isQuick ? 4 : 20)
        let seconds = Double(monotonic_now() - start) / 1e9
        let share = Double(process_cpu_time(daemon.process) - cpu) / 1e9 / seconds
        let frames = Double(load_received(daemon.load, 0) - received) / seconds
        Row.print("100 followers at 60 Hz: share of a core", share * 100, "%", aim: .atMost(25))
        Row.note("\(Int(frames.rounded())) of \(count * rate) frames a second arrived")
    }

    private func measureOneShotCalls() throws {
        let daemon = try site.startDaemon(load: 1)
        defer { daemon.end() }
        // A subscriber keeps the source awake, so that the fix is fresh.
        try daemon.subscribe(1)
        var result = call_result()
        guard
            load_calls(
                daemon.load, daemon.process, daemon.socket, Request.getLocation, 16, 0.2, isQuick ? 3 : 10, &result)
        else { throw BenchmarkError.noAnswer }
        // By the CPU time of the server, so that other programs on its CPU do not count.
        let rate = Double(result.answered) / (Double(result.cpu) / 1e9)
        Row.print("GetLocation: connect, call, close; per second of a core", rate, "/s", aim: .atLeast(5000))
        let measured = Int(Double(result.answered) / result.seconds)
        Row.note("\(measured)/s with whatever else ran there; \(result.failed) calls failed")
    }

    private func measureFairness() throws {
        guard geteuid() == 0 else { return Row.note("Fairness is measured by root only, who can be other users") }
        let fairness = Fairness(seconds: isQuick ? 5 : 15)
        let alone = try fairness.measure(at: site, nil)
        func milliseconds(_ microseconds: Double) -> Double { microseconds / 1000 }
        Row.note(
            "Alone: revocation \(Int(alone.revocation.median)) µs, at most \(Int(alone.revocation.longest)) µs; GetLocation "
                + "\(Int(alone.location.median)) µs, p99 \(Int(alone.location.time_99th)) µs; the next fix "
                + "\(Int(alone.fixes.last_median)) µs, p99 \(Int(alone.fixes.last_99th)) µs")
        for hostility in Fairness.Hostility.allCases {
            let beside = try fairness.measure(at: site, hostility)
            let name = "Beside \(hostility.rawValue)"
            Row.print("\(name): revocation", milliseconds(beside.revocation.longest), "ms", aim: .atMost(50))
            Row.print("\(name): GetLocation, p99", milliseconds(beside.location.time_99th), "ms", aim: .atMost(20))
            Row.print(
                "\(name): next fix later by", milliseconds(max(0, beside.fixes.last_99th - alone.fixes.last_99th)),
                "ms",
                aim: .atMost(20))
            Row.note(
                "Medians \(Int(beside.revocation.median)), \(Int(beside.location.median)) and "
                    + "\(Int(beside.fixes.last_median)) µs of \(beside.revocation.count), \(beside.location.count) and "
                    + "\(beside.fixes.deliveries); \(beside.revocation.failed + beside.location.failed) failed, "
                    + "\(beside.fixes.lost) fixes lost")
        }
    }

    private func measureFairnessOfPlaces() throws {
        guard geteuid() == 0 else { return Row.note("Fairness is measured by root only, who can be other users") }
        let result = try Fairness(seconds: isQuick ? 10 : 30).measurePlaces(at: site)
        let name = "Beside 2,000 streams of 1,000 places that are crossed"
        Row.print("\(name): root's status", result.status.longest / 1000, "ms", aim: .atMost(20))
        Row.print("\(name): revocation", result.revocation.longest / 1000, "ms", aim: .atMost(50))
        Row.print("\(name): more memory", Double(result.memory) / 1_048_576, "MiB", aim: .atMost(8))
        Row.note(
            "Medians \(Int(result.status.median)) and \(Int(result.revocation.median)) µs of \(result.status.count) and "
                + "\(result.revocation.count); \(result.status.failed + result.revocation.failed) failed")
    }

    private func measureFairnessOfTheDisk() throws {
        guard geteuid() == 0 else { return Row.note("Fairness is measured by root only, who can be other users") }
        let fairness = Fairness(seconds: isQuick ? 5 : 15)
        for hostility in Fairness.DiskHostility.allCases {
            let (name, beside) = (hostility.rawValue, try fairness.measureDisk(at: site, hostility))
            for (call, result) in [("grant", beside.grant), ("history", beside.history), ("list", beside.list)] {
                Row.print(
                    "Beside 500 that \(name), 5 ms a sync: \(call)",
                    result.count > 0 ? result.longest / 1000 : .infinity, "ms", aim: .atMost(250))
                Row.note("Median \(Int(result.median)) µs of \(result.count); \(result.failed) failed")
            }
            Row.print(
                "Beside 500 that \(name), 5 ms a sync: status, p99", beside.status.time_99th / 1000, "ms",
                aim: .atMost(20))
        }
    }

    private func measureIdle() throws {
        let seconds: Double = isQuick ? 3 : 10
        for subscribers in [1000, 0] {
            let daemon = try site.startDaemon(load: 1)
            defer { daemon.end() }
            if subscribers > 0 { try daemon.subscribe(subscribers) }
            // Until all clients know that there is no location, and the start-up threads have ended.
            try daemon.idle(7)
            let before = try daemon.figures.contextSwitches()
            try daemon.idle(seconds)
            let switches = try daemon.figures.contextSwitches() - before
            Row.print(
                "Idle \(Int(seconds)) s, \(subscribers == 0 ? "no subscribers" : "1,000 subscribers, no fix"): wake-ups",
                Double(switches), "", aim: .atMost(0))
        }
    }

    private func measureStart() throws {
        let times = try (0..<(isQuick ? 5 : 15)).map { _ in
            let daemon = try site.startDaemon(load: 1)
            defer { daemon.end() }
            return daemon.timeToReady
        }
        Row.print("Start to READY, median", times.sorted()[times.count / 2], "ms", aim: .atMost(50))
        let daemon = try site.startDaemon(load: 1)
        defer { daemon.end() }
        Row.print("Idle memory (PSS)", Double(try daemon.figures.memory("Pss")) / 1_048_576, "MiB", aim: .atMost(16))
    }
}

/// An error that prevents a measurement.
enum BenchmarkError: Error {
    case interrupted
    case notBuilt(String)
    case noStart(String, log: String)
    case noConnection(String)
    case noGPSD
    case noAnswer
    case unreadable(String)
}
