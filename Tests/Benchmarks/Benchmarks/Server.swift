import BenchmarkLoad
import Glibc
import Measuring

/// What is said to a server.
enum Request {
    static let subscribe = #"{"method":"org.locationd.Location.Subscribe","more":true}"#
    static let follow = #"{"method":"org.locationd.Location.Follow","parameters":{"rate":60},"more":true}"#
    static let getLocation = #"{"method":"org.locationd.Location.GetLocation"}"#
    static let watch = #"{"method":"org.locationd.Authorization.Watch","more":true}"#
    static let enable = #"{"method":"org.locationd.Manager.SetEnabled","parameters":{"isEnabled":true}}"#
    static let disable = #"{"method":"org.locationd.Manager.SetEnabled","parameters":{"isEnabled":false}}"#
    /// For a user whose id ends with what is put in place of `@`.
    static let deny =
        #"{"method":"org.locationd.Manager.SetAuthorization","parameters":"#
        + #"{"client":"org.locationd.benchmark","authorization":"denied","userID":62@}}"#
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

    /// Connects some that subscribe and never read.
    func subscribeStalled(_ count: Int) throws {
        guard load_subscribe_stalled(load, index, socket, Request.subscribe, Int32(count)) else {
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

    /// What the kernel says of it.
    var figures: ProcessFigures { ProcessFigures(of: process) }
}
