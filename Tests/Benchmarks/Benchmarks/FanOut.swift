import BenchmarkLoad

/// Delivery of every fix to many subscribers: the daemon and the broadcaster take turns.
struct FanOut {
    var subscribers: Int
    var warmup: Int
    var fixes: Int
    var interval: Double
    /// The message of the broadcaster.
    var template: String

    struct Result {
        var daemon: load_result
        var broadcaster: load_result

        var perDelivery: Comparison {
            Comparison(
                daemon: Double(daemon.cpu) / Double(max(1, daemon.deliveries)) / 1000,
                broadcaster: Double(broadcaster.cpu) / Double(max(1, broadcaster.deliveries)) / 1000, unit: "µs")
        }

        var median: Comparison {
            Comparison(daemon: daemon.last_median, broadcaster: broadcaster.last_median, unit: "µs")
        }

        func reportLoss(_ name: String) {
            Row.print("\(name): deliveries lost", Double(daemon.lost + broadcaster.lost), "", aim: .atMost(0))
            Row.note(
                "\(daemon.deliveries) and \(broadcaster.deliveries) deliveries of \(Int(daemon.message_size)) and "
                    + "\(Int(broadcaster.message_size)) bytes; 99th percentile of the last: "
                    + "\(Int(daemon.last_99th)) and \(Int(broadcaster.last_99th)) µs")
            if daemon.skipped > 0 { Row.note("\(daemon.skipped) more skipped: this machine was too busy to read them") }
        }
    }

    func measure(at site: Site) throws -> Result {
        let daemon = try site.startDaemon(load: 2)
        defer { daemon.end() }
        let broadcaster = try site.startBroadcaster(beside: daemon, template: template)
        defer { broadcaster.end() }
        try daemon.subscribe(subscribers)
        try broadcaster.subscribe(subscribers)
        var results = [load_result(), load_result()]
        guard
            load_feed(
                daemon.load, [daemon.process, broadcaster.process], interval, Int32(warmup), Int32(fixes), &results)
        else { throw BenchmarkError.noGPSD }
        return Result(daemon: results[0], broadcaster: results[1])
    }
}
