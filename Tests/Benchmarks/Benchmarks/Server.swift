import BenchmarkLoad
import Glibc

/// What is said to a server.
enum Request {
    static let subscribe = #"{"method":"org.locationd.Location.Subscribe","more":true}"#
    static let follow = #"{"method":"org.locationd.Location.Follow","parameters":{"rate":60},"more":true}"#
    static let getLocation = #"{"method":"org.locationd.Location.GetLocation"}"#
}

/// A server under test, with its place in a load.
struct Server {
    let process: pid_t
    let socket: String
    let load: OpaquePointer
    /// Which server of the load it is.
    let index: Int32
    /// From its start until it said that it was ready, in milliseconds.
    var timeToReady = 0.0

    /// Ends it, and the load with the first server.
    func end() {
        process_end(process)
        if index == 0 { load_destroy(load) }
    }

    func subscribe(_ count: Int, _ request: String = Request.subscribe) throws {
        guard load_subscribe(load, index, socket, request, Int32(count)) else {
            throw BenchmarkError.noConnection(socket)
        }
    }

    /// Lets time pass.
    func idle(_ seconds: Double) throws {
        guard load_idle(load, seconds) else { throw BenchmarkError.interrupted }
    }

    /// Feeds the only server of a load.
    func feed(interval: Double, warmup: Int, fixes: Int) throws -> load_result {
        var results = [load_result()]
        guard load_feed(load, [process], interval, Int32(warmup), Int32(fixes), &results) else {
            throw BenchmarkError.noGPSD
        }
        return results[0]
    }

    /// A figure of `smaps_rollup` in bytes.
    func memory(_ name: String) throws -> Int {
        let path = "/proc/\(process)/smaps_rollup"
        guard let kilobytes = try TextFile.read(path).figure("\(name):") else { throw BenchmarkError.unreadable(path) }
        return kilobytes * 1024
    }

    /// How many descriptors it may have.
    func descriptorLimit() throws -> Int {
        let path = "/proc/\(process)/limits"
        guard let limit = try TextFile.read(path).figure("Max open files") else {
            throw BenchmarkError.unreadable(path)
        }
        return limit
    }

    /// How often its threads have been switched to and from.
    func contextSwitches() throws -> Int {
        try TextFile.names(in: "/proc/\(process)/task").reduce(0) { sum, thread in
            // A thread may have ended meanwhile.
            guard let status = try? TextFile.read("/proc/\(process)/task/\(thread)/status") else { return sum }
            return sum + (status.figure("voluntary_ctxt_switches:") ?? 0)
                + (status.figure("nonvoluntary_ctxt_switches:") ?? 0)
        }
    }
}

extension String {
    /// The number behind `name` at the beginning of a line.
    fileprivate func figure(_ name: String) -> Int? {
        for line in split(separator: "\n") where line.hasPrefix(name) {
            return line.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
        }
        return nil
    }
}
