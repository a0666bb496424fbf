import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Testing

@testable import LocationCore
@testable import Varlink

extension DaemonUnderTest {
    /// Two fixes at a place, a second apart: certain evidence. A number is 111 m. Returns the time of the second one.
    @discardableResult
    func stay(at number: Int, from later: Int64) async throws -> String {
        try await emit(Fix(number: number, later: later).event)
        await turnClock(by: .seconds(1))
        try await emit(Fix(number: number, later: later + 1).event)
        try await finishDiskWork()
        return Fix(number: number, later: later + 1).time
    }

    /// Adds a circle of 100 m around the fix 0, unless it is another one.
    func addCondition(
        _ identifier: String = "home", monitor: String = "m", shape: String = circle(0),
        as peer: PeerIdentity = .example()
    ) async throws -> JSONValue {
        let connection = try await connect(as: peer)
        try await connection.call(
            "Monitor.AddCondition",
            #"{"monitor":"\#(monitor)","identifier":"\#(identifier)","condition":\#(shape)}"#)
        try await finishDiskWork()
        let reply = try await connection.next()
        await connection.close()
        return reply
    }

    /// Opens a stream of a monitor, past its first reply.
    func watchConditions(monitor: String = "m", as peer: PeerIdentity = .example()) async throws -> any Peer {
        let stream = try await connect(as: peer)
        try await stream.call("Monitor.WatchConditions", #"{"monitor":"\#(monitor)"}"#, more: true)
        try await stream.expectWatched()
        return stream
    }

    /// Lets the user decide about the example client.
    func setAuthorization(_ authorization: String, user: UInt32 = 4242) async throws {
        let manager = try await connect(as: .example("/usr/bin/locationctl", user: user))
        try await change(
            "SetAuthorization", #"{"client":"org.example.App","authorization":"\#(authorization)"}"#, by: manager)
        await manager.close()
    }
}

/// A circle of 100 m around a fix.
func circle(_ number: Int, radius: Double = 100) -> String {
    #"{"circle":{"latitude":\#(Fix(number: number).latitude),"longitude":11.5,"radius":\#(radius)}}"#
}

extension Peer {
    /// The next message says that conditions or visits are watched.
    func expectWatched(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await expect(#"{"parameters":{},"continues":true}"#, sourceLocation: sourceLocation)
    }

    /// The next message is an event of a condition.
    func expectEvent(
        _ state: String, _ date: String, of identifier: String = "home",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let event = #"{"identifier":"\#(identifier)","state":"\#(state)","date":"\#(date)"}"#
        try await expect(#"{"parameters":{"event":\#(event)},"continues":true}"#, sourceLocation: sourceLocation)
    }
}

extension [ClientDeclaration] {
    /// Clients with exact locations at any time, with them in use only, and with approximate ones.
    static let watching: [ClientDeclaration] = [
        .example(),
        .example("org.example.Part", executable: "/part", policy: .preset(.whenInUse)),
        .example("org.example.Reduced", executable: "/reduced", policy: .preset(.always, accuracy: .reduced)),
    ]
}
