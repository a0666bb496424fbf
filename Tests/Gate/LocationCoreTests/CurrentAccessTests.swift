import DaemonTestSupport
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// The programs that are given the location at this moment, as managers see them. In process, on a clock that the test turns.
@Suite("The programs that use the location now", .timeLimit(.minutes(10)))
struct CurrentAccessTests {
    private static let change = #"{"parameters":{"changed":["currentAccesses"]},"continues":true}"#
    /// More than the time for which changes are collected.
    private static let moment = ManagerStreams.delay + .milliseconds(1)
    private static let linger = CurrentAccesses.linger

    /// A manager that watches this part alone.
    private struct Manager {
        let daemon: DaemonUnderTest
        let stream: any Peer

        init(_ daemon: DaemonUnderTest, as peer: PeerIdentity = .agent) async throws {
            self.daemon = daemon
            stream = try await daemon.connect(as: peer)
            try await stream.call("Manager.Watch", #"{"parts":["currentAccesses"]}"#, more: true)
            try await stream.expect(change)
        }

        /// True if it has been told of a change since.
        func isTold() async throws -> Bool {
            await daemon.turnClock(by: moment)
            guard let message = try await stream.receive() else { return false }
            #expect(try json(message) == json(change))
            return true
        }
    }

    /// The programs of the example user: their identifiers with the accuracies and front ends.
    private func list(_ daemon: DaemonUnderTest, as peer: PeerIdentity = .agent) async throws
        -> [String]
    {
        let reply = try await daemon.manage("ListCurrentAccesses", "{}", as: peer)
        guard case .array(let accesses) = reply["parameters"]?["accesses"] else {
            throw AwaitedInVain("a list", because: "\(reply)")
        }
        return accesses.map { access in
            guard case .string(let client) = access["client"], case .array(let frontEnds) = access["frontEnds"] else {
                return "\(access)"
            }
            let accuracy = if case .string(let accuracy) = access["accuracy"] { accuracy } else { "none" }
            let names = frontEnds.map { if case .string(let name) = $0 { name } else { "" } }
            return "\(client) \(accuracy) \(names.joined(separator: " "))"
        }
    }

    private static let example = "org.example.App full Varlink"

    @Test("a program is shown from its first location until 1.5 s after the last, once its subscription has ended")
    func subscription() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let manager = try await Manager(daemon)
            let client = try await daemon.subscribe()
            #expect(try await !manager.isTold())
            #expect(try await list(daemon) == [])
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await manager.isTold())
            #expect(try await list(daemon) == [Self.example])
            await client.close()
            await daemon.turnClock(by: Self.linger - .milliseconds(100))
            #expect(try await list(daemon) == [Self.example])
            await daemon.turnClock(by: .milliseconds(100))
            #expect(try await list(daemon) == [])
            #expect(try await manager.isTold())
        }
    }

    @Test("managers are sent nothing while locations continue, or none are due to an open subscription")
    func quietWhileUnchanged() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let manager = try await Manager(daemon)
            _ = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await manager.isTold())
            for number in 2...90 {
                try await daemon.emit(Fix(number: number, later: Int64(number)).event)
                await daemon.turnClock(by: .seconds(1))
                #expect(try await !manager.isTold())
            }
            #expect(try await list(daemon) == [Self.example])
        }
    }

    @Test("a program that requests once is shown for a moment, and one that requests each second all the time")
    func requests() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let manager = try await Manager(daemon)
            // It keeps the source at work.
            _ = try await daemon.subscribe(as: .example(user: 4343))
            let client = try await daemon.connect()
            for number in 1...5 {
                try await daemon.emit(Fix(number: number, later: Int64(number)).event)
                #expect(try await client.ask("Location.GetLocation")["parameters"]?["location"] != nil)
                #expect(try await manager.isTold() == (number == 1))
                await daemon.turnClock(by: .seconds(1))
                #expect(try await list(daemon) == [Self.example])
            }
            await daemon.turnClock(by: Self.linger)
            #expect(try await manager.isTold())
            #expect(try await list(daemon) == [])
        }
    }

    @Test("a program is not shown while the source has no location, and shown again with the next one")
    func withoutLocation() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let manager = try await Manager(daemon)
            _ = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await manager.isTold())
            await daemon.turnClock(by: .seconds(2))
            try await daemon.emit(.unavailable(.silent))
            #expect(try await manager.isTold())
            #expect(try await list(daemon) == [])
            try await daemon.emit(Fix(number: 2, later: 3).event)
            #expect(try await manager.isTold())
            #expect(try await list(daemon) == [Self.example])
        }
    }

    @Test(
        "a denied program, and one from which a rule withholds the location, are not shown", arguments: [true, false])
    func withheld(byRule: Bool) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let manager = try await Manager(daemon)
            _ = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await manager.isTold())
            let change = try await daemon.connect(as: .agent)
            if byRule {
                try await change.call("Manager.AddRule", #"{"rule":{"deny":true}}"#)
            } else {
                try await change.call(
                    "Manager.SetAuthorization", #"{"client":"org.example.App","authorization":"denied"}"#)
            }
            try await daemon.finishDiskWork()
            await daemon.turnClock(by: Self.linger)
            #expect(try await manager.isTold())
            #expect(try await list(daemon) == [])
            try await daemon.emit(Fix(number: 2, later: 1).event)
            #expect(try await !manager.isTold())
            #expect(try await list(daemon) == [])
        }
    }

    @Test("frames and other front ends count, and a change of accuracy is reported")
    func ways() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let manager = try await Manager(daemon)
            _ = try await daemon.subscribeThroughAnotherFrontEnd(as: .example())
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await manager.isTold())
            #expect(try await list(daemon) == ["org.example.App full Test"])
            let follower = try await daemon.connect()
            try await follower.call("Location.Follow", #"{"rate":10}"#, more: true)
            try await daemon.emit(Fix(number: 2, later: 1).event)
            await daemon.turnClock(by: .milliseconds(100))
            #expect(try await manager.isTold())
            #expect(try await list(daemon) == ["org.example.App full Test Varlink"])
        }
    }

    @Test("no other user and no program other than an agent is notified")
    func others() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let other = try await Manager(daemon, as: .agentOfAnother)
            _ = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await !other.isTold())
            #expect(try await list(daemon, as: .agentOfAnother) == [])
            let prying = try await daemon.manage(
                "ListCurrentAccesses", #"{"userID":4242}"#, as: .agentOfAnother)
            #expect(prying["error"] == .string("org.varlink.service.PermissionDenied"))
            let unlisted = try await daemon.manage("ListCurrentAccesses", "{}", as: .example())
            #expect(unlisted["error"] == .string("org.locationd.Manager.NotAManager"))
        }
    }
}
