import BenchmarkLoad
import Glibc
import Measuring

/// The requests to a server.
enum Request {
    static let subscribe = #"{"method":"org.locationd.Location.Subscribe","more":true}"#
    static let follow = #"{"method":"org.locationd.Location.Follow","parameters":{"rate":60},"more":true}"#
    static let getLocation = #"{"method":"org.locationd.Location.GetLocation"}"#
    static let watch = #"{"method":"org.locationd.Authorization.Watch","more":true}"#
    static let enable = #"{"method":"org.locationd.Manager.SetEnabled","parameters":{"isEnabled":true}}"#
    static let disable = #"{"method":"org.locationd.Manager.SetEnabled","parameters":{"isEnabled":false}}"#
    static let listClients = #"{"method":"org.locationd.Manager.ListClients"}"#
    static let listAccess = #"{"method":"org.locationd.Manager.ListAccess"}"#
    static let status = #"{"method":"org.locationd.Manager.GetServiceStatus"}"#
    /// Adds a place around the first fix, with a number in place of `@`.
    static let addCondition =
        #"{"method":"org.locationd.Monitor.AddCondition","parameters":{"monitor":"m","identifier":"place @","#
        + #""condition":{"circle":{"latitude":52.516,"longitude":13.377,"radius":1000}}}}"#
    static let addOnePlace = addCondition.replacing("@", with: "")
    static let removeOnePlace =
        #"{"method":"org.locationd.Monitor.RemoveCondition","parameters":{"monitor":"m","identifier":"place "}}"#
    /// Adds a polygon of 100 corners around the first fix.
    static let addPolygon: String = {
        let corners = (0..<100).map { corner in
            let angle = Double(corner) / 100 * 2 * .pi
            return #"{"latitude":\(52.516 + 0.01 * sin(angle)),"longitude":\(13.377 + 0.01 * cos(angle))}"#
        }
        return #"{"method":"org.locationd.Monitor.AddCondition","parameters":{"monitor":"m","identifier":"place ","#
            + #""condition":{"polygon":{"ring":[\(corners.joined(separator: ","))]}}}}"#
    }()
    static let listConditions = #"{"method":"org.locationd.Monitor.ListConditions","parameters":{"monitor":"m"}}"#
    static let watchConditions =
        #"{"method":"org.locationd.Monitor.WatchConditions","parameters":{"monitor":"m"},"more":true}"#
    /// A grant for the user whose id ends with the digits that replace `@`.
    static let grant =
        #"{"method":"org.locationd.Manager.SetAuthorization","parameters":"#
        + #"{"client":"org.locationd.benchmark","authorization":"authorizedAlways","userID":63@}}"#
    /// A denial for the user whose id ends with the digit that replaces `@`.
    static let deny =
        #"{"method":"org.locationd.Manager.SetAuthorization","parameters":"#
        + #"{"client":"org.locationd.benchmark","authorization":"denied","userID":62@}}"#
}

/// A server under test, and its index in a load.
struct Server {
    let process: pid_t
    let socket: String
    let load: OpaquePointer
    /// The index among the servers of the load.
    let index: Int32
    /// The time from its start until it reported readiness, in milliseconds.
    var timeToReady = 0.0

    /// Stops it, and the load with the first server.
    func end() {
        process_end(process)
        if index == 0 { load_destroy(load) }
    }

    func subscribe(_ count: Int, _ request: String = Request.subscribe) throws {
        guard load_subscribe(load, index, socket, request, Int32(count)) else {
            throw BenchmarkError.noConnection(socket)
        }
    }

    /// Connects subscribers that never read.
    func subscribeStalled(_ count: Int) throws {
        guard load_subscribe_stalled(load, index, socket, Request.subscribe, Int32(count)) else {
            throw BenchmarkError.noConnection(socket)
        }
    }

    /// Lets time pass.
    func idle(_ seconds: Double) throws {
        guard load_idle(load, seconds) else { throw BenchmarkError.interrupted }
    }

    /// Sends fixes to the only server of a load.
    func feed(interval: Double, warmup: Int, fixes: Int) throws -> load_result {
        var results = [load_result()]
        guard load_feed(load, [process], interval, Int32(warmup), Int32(fixes), &results) else {
            throw BenchmarkError.noGPSD
        }
        return results[0]
    }

    /// The kernel's figures about its process.
    var figures: ProcessFigures { ProcessFigures(of: process) }
}
