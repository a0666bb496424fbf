import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Testing

@testable import Varlink

/// What a follower is sent, and when. How the position is carried on has tests of its own.
@Suite("Following", .timeLimit(.minutes(10)))
struct FollowTests {
    /// On a clock that the test turns.
    private func run(
        clients: [ClientDeclaration] = [.example()], _ test: (DaemonUnderTest) async throws -> Void
    ) async throws {
        try await DaemonUnderTest.run(.inProcess, clients: clients, test)
    }

    private func follow(
        _ daemon: DaemonUnderTest, rate: Int? = nil, as peer: PeerIdentity = .example()
    ) async throws -> any Peer {
        let follower = try await daemon.connect(as: peer)
        try await follower.call("Location.Follow", rate.map { #"{"rate":\#($0)}"# } ?? "{}", more: true)
        return follower
    }

    /// What comes until nothing does.
    private func drain(_ peer: any Peer) async throws -> [JSONValue] {
        var replies: [JSONValue] = []
        while let text = try await peer.receive() {
            guard case .object(var parameters)? = try json(text)["parameters"] else { continue }
            // Tests of causes read them.
            parameters["cause"] = nil
            replies.append(.object(parameters))
        }
        return replies
    }

    @Test("frames are sent at the requested rate", arguments: [1, 10, 60])
    func framesComeAtRequestedRate(rate: Int) async throws {
        try await run { daemon in
            let follower = try await follow(daemon, rate: rate)
            #expect(try await drain(follower).isEmpty)
            try await daemon.emit(Fix(number: 1).event)
            await daemon.turnClock(by: .milliseconds(1500))
            let frames = try await drain(follower).compactMap { $0["frame"] }
            #expect((rate * 3 / 2 - 1...rate * 3 / 2).contains(frames.count), "\(frames.count)")
            let latitude = try #require(frames.first?["latitude"]?.number)
            let age = try #require(frames.last?["age"]?.number)
            #expect(abs(latitude - Fix(number: 1).latitude) < 1e-9)
            #expect(age > 0.9 && age <= 1.5)
        }
    }

    @Test("the default rate is 30 frames a second")
    func defaultRateIsThirty() async throws {
        try await run { daemon in
            let follower = try await follow(daemon)
            try await daemon.emit(Fix(number: 1).event)
            await daemon.turnClock(by: .milliseconds(1001))
            #expect(try await drain(follower).count == 30)
        }
    }

    @Test("frames are delivered over a real socket")
    func overASocketToo() async throws {
        try await DaemonUnderTest.run(.socket) { daemon in
            let follower = try await daemon.wait(subscriptions: 1) { try await follow(daemon, rate: 60) }
            try await daemon.emit(Fix(number: 1).event)
            for _ in 1...5 { #expect(try await follower.next()["parameters"]?["frame"] != nil) }
        }
    }

    @Test("a later follower gets the current frame at once")
    func laterFollowerGetsCurrentFrame() async throws {
        try await run { daemon in
            let first = try await follow(daemon, rate: 1)
            try await daemon.emit(Fix(number: 1).event)
            let second = try await follow(daemon, rate: 1)
            #expect(try await drain(second).count == 1)
            #expect(try await drain(first).count == 0)
        }
    }

    @Test("a lost source is reported once, within three seconds")
    func lostSourceIsReportedOnceWithinThreeSeconds() async throws {
        try await run { daemon in
            let follower = try await follow(daemon, rate: 10)
            try await daemon.emit(Fix(number: 1).event)
            await daemon.turnClock(by: .milliseconds(500))
            _ = try await drain(follower)
            try await daemon.emit(.unavailable(.silent))
            await daemon.turnClock(by: .milliseconds(3100))
            let replies = try await drain(follower)
            #expect(replies.last == .object(["diagnostic": .string("locationUnavailable")]))
            #expect(replies.count { $0["diagnostic"] != nil } == 1)
            await daemon.turnClock(by: .seconds(10))
            #expect(try await drain(follower).isEmpty, "and then nothing until there is a fix")
            try await daemon.emit(Fix(number: 2).event)
            await daemon.turnClock(by: .milliseconds(101))
            #expect(try await drain(follower).last?["frame"] != nil)
        }
    }

    @Test("a follower that is not in use is suspended, and resumes with use")
    func suspendedAndResumed() async throws {
        try await run(clients: [.example(policy: .preset(.whenInUse))]) { daemon in
            let follower = try await follow(daemon, rate: 10)
            try await daemon.emit(Fix(number: 1).event)
            await daemon.turnClock(by: .milliseconds(201))
            #expect(try await drain(follower).last?["frame"] != nil)
            try await daemon.setInUse(false)
            #expect(try await drain(follower) == [.object(["diagnostic": .string("insufficientlyInUse")])])
            try await daemon.emit(Fix(number: 2).event)
            await daemon.turnClock(by: .seconds(1))
            #expect(try await drain(follower).isEmpty)
            try await daemon.setInUse(true)
            try await daemon.emit(Fix(number: 3).event)
            await daemon.turnClock(by: .milliseconds(101))
            #expect(try await drain(follower).last?["frame"] != nil)
        }
    }

    @Test("a follower that a reload restricts gets no further frame")
    func restrictedByAReload() async throws {
        try await run { daemon in
            let follower = try await follow(daemon, rate: 60)
            try await daemon.emit(Fix(number: 1).event)
            await daemon.turnClock(by: .milliseconds(100))
            _ = try await drain(follower)
            try await daemon.reload { $0.clients = [.example(policy: .restricted)] }
            await daemon.turnClock(by: .seconds(1))
            #expect(try await drain(follower) == [.object(["diagnostic": .string("authorizationRestricted")])])
        }
    }

    /// Whoever may know only roughly is told as seldom as by a subscription, and nothing of movement.
    @Test("a follower with reduced accuracy gets one frame per reduced location, without movement")
    func reduced() async throws {
        try await run(clients: [.example(policy: .preset(.always, accuracy: .reduced))]) { daemon in
            let follower = try await follow(daemon, rate: 60)
            #expect(try await drain(follower).first?["diagnostic"] == .string("accuracyLimited"))
            // The secret of the grid is read from the disk first.
            try await daemon.finishDiskWork()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await daemon.status("isLocationAvailable") == .bool(true))
            var frames = try await drain(follower)
            for number in 2...100 where frames.isEmpty {
                try await daemon.emit(Fix(number: number).event)
                frames = try await drain(follower)
            }
            await daemon.turnClock(by: .seconds(2))
            for number in 101...120 { try await daemon.emit(Fix(number: number).event) }
            frames += try await drain(follower)
            #expect(frames.count == 1)
            guard case .object(let frame) = frames[0]["frame"] else {
                Issue.record("not a frame: \(frames)")
                return
            }
            #expect(
                Set(frame.keys) == [
                    "latitude", "longitude", "horizontalAccuracy", "isPredicted", "age", "span", "timestamp",
                ])
            #expect(try #require(frame["horizontalAccuracy"]?.number) >= 2000)
        }
    }

    @Test("frames contain the heading of a compass")
    func headingsComeAlong() async throws {
        try await run { daemon in
            let follower = try await follow(daemon, rate: 10)
            try await daemon.emit(
                Fix(number: 1).event,
                .heading(Heading(trueHeading: 271.5, timestamp: Timestamp("2026-11-21T08:30:00Z")!)))
            await daemon.turnClock(by: .milliseconds(101))
            #expect(try await drain(follower).last?["frame"]?["heading"] == .number(271.5))
        }
    }

    @Test("a slow reader gets the newest frame and the number of skipped ones")
    func slowReaderGetsNewestAndCount() async throws {
        try await run { daemon in
            let (slow, other) = (try await follow(daemon, rate: 10), try await follow(daemon, rate: 10))
            try await daemon.emit(Fix(number: 1).event)
            try await slow.stopReading()
            await daemon.turnClock(by: .milliseconds(1001))
            try await slow.resumeReading()
            await daemon.turnClock(by: .milliseconds(100))
            let (late, all) = (try await drain(slow), try await drain(other))
            #expect(all.count == 11)
            #expect(late.count == 1)
            #expect(late.first?["skipped"] == .integer(10))
            #expect(late.first?["frame"] == all.last?["frame"])
        }
    }

    /// The history counts fixes, not frames.
    @Test("the history counts fixes, not frames")
    func historyCountsFixes() async throws {
        try await run { daemon in
            let follower = try await follow(daemon, rate: 60)
            for number in 1...3 {
                try await daemon.emit(Fix(number: number).event)
                await daemon.turnClock(by: .seconds(1))
            }
            #expect(try await drain(follower).count > 170)
            let manager = try await daemon.connect(as: .agent)
            try await manager.call("Manager.ListAccess")
            try await daemon.finishDiskWork()
            let reply = try await manager.next()
            let sessions = reply["parameters"]?["sessions"]
            guard case .array(let list) = sessions else {
                Issue.record("no sessions: \(reply)")
                return
            }
            #expect(list.count == 1)
            #expect(list.first?["count"] == .integer(3))
        }
    }

    @Test("a rate out of range is an invalid parameter", arguments: Transport.allCases)
    func wrongRates(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.connect()
            for rate in ["0", "-1", "61", "1000", "1.5", "\"10\"", "true", "1e999"] {
                try await peer.call("Location.Follow", #"{"rate":\#(rate)}"#, more: true)
                let reply = try await peer.next()
                #expect(reply["error"] == .string("org.varlink.service.InvalidParameter"), "\(rate)")
            }
            try await peer.call("Location.Follow")
            try await peer.expectError("org.varlink.service.ExpectedMore")
            // That is no JSON, so the message is none.
            try await peer.call("Location.Follow", #"{"rate":NaN}"#, more: true)
            try await peer.expectError("org.varlink.service.InvalidParameter", ["parameter": .string("message")])
        }
    }

    @Test("the source is needed only while there is a follower")
    func sourceIsNeededOnlyByFollowers() async throws {
        try await run { daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            let follower = try await follow(daemon)
            try await daemon.settle()
            #expect(await needs.next() == true)
            await follower.close()
            #expect(await needs.next() == false)
        }
    }
}
