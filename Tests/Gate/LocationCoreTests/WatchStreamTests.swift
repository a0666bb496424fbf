import DaemonTestSupport
import Glibc
import LinuxPlumbing
import LocationConditions
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationStore
import NIOCore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// The streams of watched places: a client may have many of them, and many places.
@Suite("Streams of watched places", .timeLimit(.minutes(10)))
struct WatchStreamTests {
    private static let (places, streams) = (10, 30)
    private static let part = ClientDeclaration.example(
        "org.example.Part", executable: "/part", policy: .preset(.whenInUse))

    /// The receiving ends of a client's streams. Confined to the event loop.
    private final class Peers: @unchecked Sendable {
        var peers: [RecordingPeer] = []
        /// The number of messages in each turn of the loop that has any.
        private(set) var turns: [Int] = []
        private var isCounting = false
        private let eventLoop: any EventLoop
        /// Called with the number of all messages.
        var onMessage: (Int) -> Void = { _ in }

        init(on eventLoop: any EventLoop) { self.eventLoop = eventLoop }

        var messages: Int { turns.reduce(0, +) }

        func noteMessage() {
            if !isCounting {
                isCounting = true
                turns.append(0)
                eventLoop.execute { self.isCounting = false }
            }
            turns[turns.count - 1] += 1
            onMessage(messages)
        }
    }

    private final class RecordingPeer: WatchObserver {
        private unowned let peers: Peers
        var reads: Bool
        /// The number of times it was asked whether it reads.
        var looks = 0
        var events: [ConditionReport] = []
        var visits: [Visit] = []
        var diagnostics: [LocationDiagnostic?] = []
        var stream: WatchStream?

        init(_ peers: Peers, reads: Bool) { (self.peers, self.reads) = (peers, reads) }

        var isReady: Bool {
            looks += 1
            return reads
        }

        func send(_ report: ConditionReport) {
            events.append(report)
            peers.noteMessage()
        }

        func send(_ visit: Visit) {
            visits.append(visit)
            peers.noteMessage()
        }

        func send(_ diagnostic: LocationDiagnostic?, _ cause: LocationCause?) { diagnostics.append(diagnostic) }
        func end(_ refusal: Refusal) { Issue.record("\(refusal)") }
    }

    /// A client with places around the fix 0 and open streams.
    private func open(
        _ daemon: DaemonUnderTest, places: Int = places, streams: Int = streams, of peer: PeerIdentity = .example(),
        reads: Bool = true, visits: Bool = false
    ) async throws -> Peers {
        for number in 0..<places { _ = try await daemon.addCondition("place \(number)", as: peer) }
        let peers = try await daemon.onLoop { core in
            let peers = Peers(on: core.eventLoop)
            for _ in 0..<streams { Self.open(peers, core, peer, reads: reads, visits: visits) }
            return peers
        }
        try await daemon.finishDiskWork()
        return peers
    }

    private static func open(_ peers: Peers, _ core: Core, _ peer: PeerIdentity, reads: Bool, visits: Bool) {
        do {
            let process = try #require(WatchedProcess(processID: getpid()))
            let connection = try core.open(peer, process, frontEnd: FrontEndKind(name: "Test"))
            let observer = RecordingPeer(peers, reads: reads)
            peers.peers.append(observer)
            observer.stream =
                visits
                ? try core.watchVisits(observer, connection)
                : try core.watchConditions(of: "m", observer, connection)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("the events of one crossing are sent in slices, and none of them before it is on disk")
    func slices() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peers = try await open(daemon)
            try await daemon.onLoop { core in
                core.share.stepsPerSlice = 8
                for peer in peers.peers { peer.looks = 0 }
            }
            let release = await daemon.holdDisk()
            try await daemon.emit(Fix(number: 0).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 1).event)
            #expect(try await daemon.onLoop { _ in peers.peers.allSatisfy { $0.looks == 0 } }, "no stream is visited")
            release()
            try await daemon.finishDiskWork()
            let (turns, events) = try await daemon.onLoop { _ in (peers.turns, peers.peers.map(\.events.count)) }
            #expect(turns.allSatisfy { $0 <= 8 })
            #expect(events == Array(repeating: Self.places, count: Self.streams))
        }
    }

    @Test("a stream whose peer reads again is sent its events, and no other stream is visited")
    func resumesAlone() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peers = try await open(daemon, reads: false)
            try await daemon.stay(at: 0, from: 0)
            try await daemon.onLoop { core in
                for peer in peers.peers { peer.looks = 0 }
                peers.peers[3].reads = true
                peers.peers[3].stream.map(core.resume)
            }
            let (looks, events) = try await daemon.onLoop { _ in
                (peers.peers.indices.filter { peers.peers[$0].looks > 0 }, peers.peers[3].events.count)
            }
            #expect(looks == [3])
            #expect(events == Self.places)
        }
    }

    @Test(
        "waiting events are kept once for all streams: the last state of each place, however often it has changed",
        arguments: [1, 30])
    func owedOnce(streams: Int) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peers = try await open(daemon, streams: streams, reads: false)
            for round in 0..<7 {
                try await daemon.stay(at: round.isMultiple(of: 2) ? 0 : 5, from: Int64(round) * 200)
                await daemon.turnClock(by: .seconds(120))
            }
            let kept = try await daemon.onLoop { $0.publisher.conditions.clients.values.map(\.table.changeCount) }
            #expect(kept.count == 1 && kept[0] <= 2 * Self.places + 8)
            try await daemon.onLoop { core in
                for peer in peers.peers {
                    peer.reads = true
                    peer.stream.map(core.resume)
                }
            }
            let events = try await daemon.onLoop { _ in peers.peers.map { $0.events.map(\.state) } }
            #expect(events == Array(repeating: Array(repeating: .satisfied, count: Self.places), count: streams))
        }
    }

    @Test("visits are kept once for all streams, and a stream that did not read gets none from before StopVisits")
    func visits() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peers = try await open(daemon, places: 0, reads: false, visits: true)
            func linger(at number: Int, from later: Int64) async throws {
                for step in 0...12 {
                    try await daemon.emit(Fix(number: number, later: later + Int64(step) * 30).event)
                    await daemon.turnClock(by: .seconds(30))
                }
                try await daemon.finishDiskWork()
            }
            try await linger(at: 0, from: 0)
            try await linger(at: 9, from: 1000)
            let kept = try await daemon.onLoop { $0.publisher.conditions.clients.values.map(\.visitLog.count) }
            #expect(kept == [2], "one has ended, and one lasts")
            let other = try await daemon.connect()
            try await other.call("Monitor.StopVisits")
            try await daemon.finishDiskWork()
            #expect(try await other.next() == json(#"{"parameters":{}}"#))
            try await daemon.onLoop { core in
                for peer in peers.peers {
                    peer.reads = true
                    peer.stream.map(core.resume)
                }
            }
            #expect(try await daemon.onLoop { _ in peers.peers.allSatisfy(\.visits.isEmpty) })
        }
    }

    @Test("a stream that is opened later is sent the events that the program has not received")
    func laterStream() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peers = try await open(daemon, streams: 1, reads: false)
            try await daemon.stay(at: 0, from: 0)
            let events = try await daemon.onLoop { core in
                for _ in 0..<2 { Self.open(peers, core, .example(), reads: true, visits: false) }
                return peers.peers.map(\.events.count)
            }
            #expect(events == [0, Self.places, 0], "the second was told")
            let late = try await daemon.onLoop { core in
                peers.peers[0].reads = true
                peers.peers[0].stream.map(core.resume)
                return peers.peers[0].events.count
            }
            #expect(late == Self.places, "it was open at the crossing")
        }
    }

    @Test("a removed condition removes its own event, and no other one")
    func removal() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peers = try await open(daemon, streams: 1, reads: false)
            try await daemon.stay(at: 0, from: 0)
            let other = try await daemon.connect()
            for number in [0, 4, 9] {
                try await other.call("Monitor.RemoveCondition", #"{"monitor":"m","identifier":"place \#(number)"}"#)
                try await daemon.finishDiskWork()
                #expect(try await other.next() == json(#"{"parameters":{}}"#))
            }
            let events = try await daemon.onLoop { core in
                peers.peers[0].reads = true
                peers.peers[0].stream.map(core.resume)
                return peers.peers[0].events.map(\.name.identifier)
            }
            #expect(Set(events) == Set([1, 2, 3, 5, 6, 7, 8].map { "place \($0)" }) && events.count == 7)
        }
    }

    @Test(
        "access that ends while events are sent ends them in that slice, and the remaining ones are sent when it returns"
    )
    func accessEndsMeanwhile() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [Self.part]) { daemon in
            let peers = try await open(daemon, of: .example("/part"))
            let usage = daemon.usage
            try await daemon.onLoop { core in
                core.share.stepsPerSlice = 8
                peers.onMessage = { if $0 == 50 { core.eventLoop.execute { usage.set(false) } } }
            }
            try await daemon.stay(at: 0, from: 0)
            let (sent, diagnostics) = try await daemon.onLoop { _ in (peers.messages, peers.peers.map(\.diagnostics)) }
            #expect((50..<58).contains(sent))
            #expect(diagnostics.allSatisfy { $0.last == .insufficientlyInUse })
            try await daemon.setInUse(true)
            try await daemon.settle()
            let events = try await daemon.onLoop { _ in peers.peers.map(\.events.count) }
            #expect(events == Array(repeating: Self.places, count: Self.streams))
        }
    }

    @Test("streams that close while events are sent do not affect the others")
    func closedMeanwhile() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peers = try await open(daemon)
            try await daemon.onLoop { core in
                core.share.stepsPerSlice = 7
                peers.onMessage = { count in
                    // The last one while it is sent its own, twice, and the first one.
                    for (at, index) in [(5, Self.streams - 1), (12, Self.streams - 2), (60, 0)] where at == count {
                        peers.peers[index].stream.map(core.close)
                    }
                }
            }
            try await daemon.stay(at: 0, from: 0)
            let events = try await daemon.onLoop { _ in peers.peers.map(\.events.count) }
            #expect(events[1..<(Self.streams - 2)].allSatisfy { $0 == Self.places })
        }
    }

    @Test("events that a stream was sent before it closed are not sent again after a restart")
    func closedAfterLastEvent() async throws {
        let directory = try TemporaryDirectory()
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            let peers = try await open(daemon, streams: 1)
            try await daemon.onLoop { core in
                peers.onMessage = { if $0 == Self.places { peers.peers[0].stream.map(core.close) } }
            }
            try await daemon.stay(at: 0, from: 0)
            #expect(try await daemon.onLoop { _ in peers.messages } == Self.places)
        }
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            let peers = try await open(daemon, places: 0, streams: 1)
            #expect(try await daemon.onLoop { _ in peers.peers[0].events.isEmpty })
        }
    }

    @Test(
        "a stream beyond MonitorStreamsPerClient is refused with the limit, until another one is closed",
        arguments: Transport.allCases)
    func limit(transport: Transport) async throws {
        try await DaemonUnderTest.run(
            transport, clients: [.example(), Self.part], limits: { $0.monitorStreamsPerClient = 2 }
        ) { daemon in
            func stream(_ method: String, as peer: PeerIdentity = .example()) async throws -> any Peer {
                let stream = try await daemon.connect(as: peer)
                try await stream.call(
                    "Monitor.\(method)", method == "WatchVisits" ? "{}" : #"{"monitor":"m"}"#, more: true)
                return stream
            }
            let open = [try await stream("WatchConditions"), try await stream("WatchVisits")]
            for stream in open { try await stream.expectWatched() }
            for method in ["WatchConditions", "WatchVisits"] {
                try await stream(method).expectError(
                    "org.locationd.Location.LimitExceeded",
                    ["limit": .string("MonitorStreamsPerClient"), "value": .integer(2)])
            }
            #expect(try await stream("WatchConditions", as: .example("/part")).next()["error"] == nil)
            try await daemon.wait(
                for: "the end of a stream", after: { await open[0].close() },
                until: { $0.publisher.conditions.clients.values.map(\.streams.count).max() == 1 })
            try await stream("WatchConditions").expectWatched()
        }
    }
}
