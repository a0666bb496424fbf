import DaemonTestSupport
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import LocationCore

/// What a daemon that is started anew makes of the reduced locations that an earlier one released.
@Suite(.timeLimit(.minutes(10))) struct ReducedLocationsTests {
    /// Whether a reduced location is released at once by a daemon that finds a release so long ago on disk.
    private func releases(after age: Duration?) async throws -> Bool {
        let directory = try TemporaryDirectory()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let disk = DecisionStore(
            try LocationStore.open(directory: directory.path, now: .now()).store, eventLoop: loop
        ) { .now() }
        if let age {
            try await disk.reserveReducedRelease(client: "a", at: disk.now().advanced(by: .zero - age)).get()
        }
        let kept = try await disk.read(historyDays: 1).reducedReleases
        let coordinate = Coordinate(latitude: 48, longitude: 11)
        let released = loop.makePromise(of: Bool.self)
        loop.execute {
            let exact = Publication(Location(coordinate: coordinate, timestamp: .now()), arrival: .now(), number: 1)
            let queue = CoreQueue(eventLoop: loop)
            let reduced = ReducedLocations(disk: disk, releases: kept, queue: queue)
            queue.start { action in
                if case .reportFailedReduction(_, let error) = action { return released.fail(error) }
                guard case .deliverReduced(let client) = action else { return }
                if reduced.newest(for: client) != nil { return released.succeed(true) }
                // The secret is there.
                reduced.release(for: client, from: exact)
                // What the disk does after that has been done when this has.
                disk.lastAccess(of: 0).assumeIsolated().whenComplete { _ in
                    released.succeed(reduced.newest(for: client) != nil)
                }
            }
            queue.take { reduced.prepare("a") }
        }
        let isReleased = try await released.futureResult.get()
        try await disk.shutdown()
        return isReleased
    }

    @Test("a client that was never sent a reduced location gets one")
    func first() async throws { #expect(try await releases(after: nil)) }

    @Test("within a quarter of an hour a restart gives no further one", arguments: [0, 1, 14 * 60])
    func restarted(seconds: Int) async throws { #expect(try await !releases(after: .seconds(seconds))) }

    @Test("after a quarter of an hour the next is due")
    func due() async throws { #expect(try await releases(after: .seconds(15 * 60 + 1))) }

    @Test("a disk that cannot be written is logged once, not with every fix, and no location is released")
    func fullDisk() async throws {
        let client = ClientDeclaration.example(policy: .preset(.always, accuracy: .reduced))
        try await DaemonUnderTest.run(.inProcess, clients: [client]) { daemon in
            let peer = try await daemon.subscribe()
            try await daemon.finishDiskWork()
            await daemon.loseDisk()
            for number in 1...5 {
                try await daemon.emit(Fix(number: number).event)
                for _ in 0..<3 { try await daemon.settle() }
            }
            while let message = try await peer.receive() { #expect(!message.contains("latitude")) }
            #expect(daemon.log.lines.count { $0.contains("gets no reduced location") } == 1, "\(daemon.log.lines)")
        }
    }

    @Test("nothing is released for the rest of the quarter of an hour; a release in the future counts as one of now")
    func blocks() {
        let (now, wall) = (ContinuousClock.now, Timestamp.now())
        let ages: [String: Duration] = [
            "future": .seconds(-86_400), "now": .zero, "half": .seconds(450), "over": .seconds(900),
        ]
        let blocks = ReducedLocations.blocks(
            after: ages.mapValues { wall.advanced(by: .zero - $0) }, at: now, wall: wall)
        #expect(
            blocks == [
                "future": now + .seconds(900), "now": now + .seconds(900), "half": now + .seconds(450),
            ])
    }

    @Test("a release in the future, since the clock was set back, counts as one of this moment")
    func clockSetBack() async throws { #expect(try await !releases(after: .seconds(-86_400))) }
}
