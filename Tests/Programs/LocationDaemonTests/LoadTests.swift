import DaemonTestSupport
import SeededRandom
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import Synchronization
import Testing

@testable import LocationCore
@testable import LocationDaemon
@testable import PeerIdentification
@testable import Varlink
@testable import VarlinkFrontEnd

/// Two hundred subscriptions of eight clients, fixes as fast as the loop passes them on, and decisions that fall at random:
/// after what was taken is acknowledged, no fix that is published reaches whom it was taken from, by whatever front end.
///
/// `LOCATIOND_TEST_SEED` repeats a run's decisions.
@Suite(.timeLimit(.minutes(10))) struct LoadTests {
    private static let users: [UInt32] = [4242, 4343]
    private static let clients = 0..<4
    private static let subscriptionsEach = 25
    private static let flips = 120

    private static func executable(_ client: Int) -> String { "/usr/bin/example\(client)" }

    private static func declaration(_ client: Int, isRestricted: Bool = false) -> ClientDeclaration {
        .example(
            "org.example.App\(client)", executable: executable(client),
            policy: isRestricted ? .restricted : ClientPolicy())
    }

    @Test("no location passes after an acknowledged revocation, under load")
    func nothingIsDeliveredAfterAcknowledgedRevocation() async throws {
        let given = getenv("LOCATIOND_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
        let seed = given ?? .random(in: 0 ... .max)
        try await DaemonUnderTest.run(.socket, clients: Self.clients.map { Self.declaration($0) }) { daemon in
            let run = try await Run(daemon, Permissions(clients: Self.clients, users: Self.users), seed: seed)
            let subscribers = try await run.subscribe()
            let frontEnds = try await run.subscribeThroughAnotherFrontEnd()
            try await withThrowingTaskGroup(of: (Permissions.Key, [Run.Delivery]).self) { group in
                for (key, subscriber) in subscribers {
                    group.addTask { (key, try await Run.deliveries(to: subscriber)) }
                }
                let forbidden = try await run.go(flips: Self.flips)
                var count = 0
                for try await (key, deliveries) in group {
                    count += deliveries.count
                    let leaks = deliveries.filter { $0.isExact && forbidden[key]?.contains($0.time) == true }
                    #expect(leaks.isEmpty, "\(key) got what it may not know; LOCATIOND_TEST_SEED=\(seed)")
                }
                var deliveriesByFrontEnd = 0
                for (key, frontEnd) in frontEnds {
                    let deliveries = frontEnd.deliveries.withLock { $0 }
                    let leaks = deliveries.filter { $0.isExact && forbidden[key]?.contains("\($0.time)") == true }
                    #expect(leaks.isEmpty, "\(key) got it by another frontEnd; LOCATIOND_TEST_SEED=\(seed)")
                    deliveriesByFrontEnd += deliveries.count
                }
                #expect(deliveriesByFrontEnd > frontEnds.count * 50, "LOCATIOND_TEST_SEED=\(seed)")
                // Else nothing was tested.
                #expect(forbidden.values.contains { $0.count > 100 }, "LOCATIOND_TEST_SEED=\(seed)")
                #expect(count > subscribers.count * 100, "LOCATIOND_TEST_SEED=\(seed)")
            }
        }
    }

    /// Something that has happened.
    private final class Flag: Sendable {
        private let state = Mutex(false)

        var isRaised: Bool { state.withLock { $0 } }

        func raise() { state.withLock { $0 = true } }
    }

    /// One run: who decides, what was published, and what nobody may have got.
    private final class Run {
        /// What a subscriber got.
        struct Delivery: Sendable {
            var time: String
            var isExact: Bool
        }

        private let daemon: DaemonUnderTest
        private var permissions: Permissions
        private var generator: SeededGenerator
        private var managers: [UInt32: any Peer] = [:]
        private var number = 0
        /// The newest fix that the daemon looked at: with nobody to have it, it looks at none.
        private var newest = 0
        /// By client: the fixes that were published while it could not have them, by their times.
        private var forbidden: [Permissions.Key: Set<String>] = [:]

        init(_ daemon: DaemonUnderTest, _ permissions: Permissions, seed: UInt64) async throws {
            self.daemon = daemon
            self.permissions = permissions
            generator = SeededGenerator(seed: seed)
            for user in permissions.users + [0] {
                managers[user] = try await daemon.connect(as: .example("/usr/bin/locationctl", user: user))
            }
        }

        /// Opens the subscriptions, all of which may know.
        func subscribe() async throws -> [(Permissions.Key, any Peer)] {
            var subscribers: [(Permissions.Key, any Peer)] = []
            for key in permissions.keys {
                try await daemon.perform(.decide(client: key.client, user: key.user, .allow(.always)), managers)
                for _ in 0..<LoadTests.subscriptionsEach {
                    let executable = LoadTests.executable(key.client)
                    subscribers.append(
                        (key, try await daemon.subscribe(as: .example(executable, user: key.user))))
                }
            }
            return subscribers
        }

        /// Opens one subscription of each client by another front end.
        func subscribeThroughAnotherFrontEnd() async throws -> [(Permissions.Key, RecordingFrontEnd)] {
            var frontEnds: [(Permissions.Key, RecordingFrontEnd)] = []
            for key in permissions.keys {
                let peer = PeerIdentity.example(LoadTests.executable(key.client), user: key.user)
                frontEnds.append((key, try await daemon.subscribeThroughAnotherFrontEnd(as: peer)))
            }
            return frontEnds
        }

        /// Has decisions fall while fixes come, and then a last fix to everybody. Gives what nobody may have got.
        func go(flips: Int) async throws -> [Permissions.Key: Set<String>] {
            for _ in 0..<flips {
                try await perform(permissions.randomFlip(using: &generator))
                for _ in 0..<Int.random(in: 2...8, using: &generator) { try await publish(isSettled: true) }
            }
            for flip in permissions.flipsToRestore { try await perform(flip) }
            try await daemon.emit(Fix(number: LoadTests.lastNumber).event)
            return forbidden
        }

        /// Flips, while fixes come.
        private func perform(_ flip: Flip) async throws {
            let before = permissions
            permissions.apply(flip)
            for key in permissions.keys where before.access(key) < permissions.access(key) {
                // Whoever may know again is told the newest, though it was published before.
                forbidden[key]?.remove(Fix(number: newest).time)
            }
            let acknowledgement = Flag()
            try await withThrowingTaskGroup { [daemon, managers] group in
                group.addTask {
                    defer { acknowledgement.raise() }
                    try await daemon.perform(flip, managers)
                }
                // Whether these pass is open.
                while !acknowledgement.isRaised { try await publish(isSettled: false) }
                try await group.waitForAll()
            }
        }

        private func publish(isSettled: Bool) async throws {
            number += 1
            let fix = Fix(number: number)
            if isSettled {
                for key in permissions.keys where permissions.access(key) != .exact {
                    forbidden[key, default: []].insert(fix.time)
                }
            }
            if permissions.keys.contains(where: { permissions.access($0) != .nothing }) { newest = number }
            try await daemon.emit(fix.event)
        }

        /// All that a subscriber gets, up to the last fix.
        static func deliveries(to subscriber: any Peer) async throws -> [Delivery] {
            let last = Fix(number: LoadTests.lastNumber).time
            var deliveries: [Delivery] = []
            while let text = try await subscriber.receive() {
                guard let (time, radius) = text.timeAndRadius else { continue }
                deliveries.append(Delivery(time: time, isExact: radius == Fix(number: 0).accuracy))
                if time == last { return deliveries }
            }
            Issue.record("a subscription has ended")
            return deliveries
        }
    }

    /// Higher than any that a run comes to.
    private static let lastNumber = 40_000
}

extension DaemonUnderTest {
    /// Does it, and waits until it is acknowledged.
    fileprivate func perform(_ flip: Flip, _ managers: [UInt32: any Peer]) async throws {
        func ask(_ user: UInt32, _ method: String, _ parameters: String) async throws {
            let reply = try await managers[user]?.ask("Manager.\(method)", parameters)
            #expect(reply?["error"] == nil, "\(parameters)")
        }
        switch flip {
        case .decide(let client, let user, .accuracy(let accuracy)):
            try await ask(
                user, "SetAccuracy", #"{"client":"org.example.App\#(client)","accuracy":"\#(accuracy.rawValue)"}"#)
        case .decide(let client, let user, let decision):
            try await ask(
                user, "SetAuthorization",
                #"{"client":"org.example.App\#(client)","authorization":"\#(decision.word)"}"#)
        case .enable(let user?, let isEnabled):
            try await ask(user, "SetEnabled", #"{"isEnabled":\#(isEnabled)}"#)
        case .enable(nil, let isEnabled):
            try await ask(0, "SetEnabled", #"{"isEnabled":\#(isEnabled),"isSystem":true}"#)
        case .restrict(let client, let isRestricted):
            try await reload { $0.clients[client].policy = isRestricted ? .restricted : ClientPolicy() }
        case .use(let isInUse):
            try await setInUse(isInUse)
        }
    }
}

extension ClientAuthorization.Decision {
    fileprivate var word: String {
        switch self {
        case .allow(.whenInUse, _): "authorizedWhenInUse"
        case .allow(.always, _): "authorizedAlways"
        case .deny: "denied"
        case .reset, .resetUnused, .accuracy, .end: "notDetermined"
        }
    }
}

extension String {
    /// Of the location in a message, if there is one. There are too many messages to decode them all.
    fileprivate var timeAndRadius: (String, Double)? {
        withCString { text in
            guard let time = strstr(text, #""timestamp":""#), let radius = strstr(text, #""horizontalAccuracy":"#)
            else {
                return nil
            }
            let start = time + strlen(#""timestamp":""#)
            let bytes = UnsafeRawBufferPointer(start: start, count: strcspn(start, "\""))
            return (String(decoding: bytes, as: UTF8.self), strtod(radius + strlen(#""horizontalAccuracy":"#), nil))
        }
    }
}
