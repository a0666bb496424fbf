import DaemonTestSupport
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Synchronization
import Testing

@testable import LocationCore

/// Every state of rules, time, power and place that the core can be in, and every step from one to another.
@Suite("States of the core under rules", .timeLimit(.minutes(10)))
struct RuleExplorationTests {
    /// The state of the world, as plain values.
    struct World: Hashable {
        var hasZone = false
        var hasNight = false
        var hasBattery = false
        var isNight = false
        /// 0 on mains, 1 on battery, 2 unknown.
        var power = 0
        /// The metres from home.
        var distance = 5000.0

        static let distances = [0.0, 200, 5000]

        /// The states that one step leads to.
        var next: [World] {
            var others: [World] = []
            func add(_ change: (inout World) -> Void) {
                var other = self
                change(&other)
                others.append(other)
            }
            add { $0.hasZone.toggle() }
            add { $0.hasNight.toggle() }
            add { $0.hasBattery.toggle() }
            add { $0.isNight.toggle() }
            for power in 0...2 where power != self.power { add { $0.power = power } }
            for distance in Self.distances where distance != self.distance { add { $0.distance = distance } }
            return others
        }

        /// True if a client may have an exact location, by nothing but the words of the rules.
        func permits(_ client: String) -> Bool {
            if hasNight, isNight { return false }
            if hasBattery, power != 0 { return false }
            if hasZone, client != "org.example.Doorbell", distance < 2000 { return false }
            return true
        }
    }

    private static let night = AccessRule(
        .init(.user, 2), when: [.during(WeeklyHours(from: 22 * 60, to: 6 * 60)!)], limit: .denial)
    private static let zone = AccessRule(
        .init(.user, 1), when: [.inside("home")], scope: .everyone(except: ["org.example.Doorbell"]), limit: .denial)
    private static let battery: AccessRule = {
        var limit = AccessRule.Limit()
        limit.maximumAccuracy = .reduced
        return AccessRule(.init(.user, 3), when: [.onBattery], limit: limit)
    }()

    @Test(
        "only exact locations that the rules permit pass, and all of them, in every step between states"
    )
    func everyStep() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.map, .doorbell]) { daemon in
            let home = NamedPlace(name: "home", center: Coordinate(latitude: 48, longitude: 11.5)!, radius: 300)!
            try await daemon.onLoop { core in
                var generator = SystemRandomNumberGenerator()
                let secret = AccuracyReduction.Secret(using: &generator)
                core.queue.take { core.apply([.place(home, secret)], to: core.rules.rules(of: 4242)) }
            }
            let names = ["Map", "Doorbell"]
            var recordings: [RecordingFrontEnd] = []
            for program in [PeerIdentity.map, .doorbell] {
                recordings.append(try await daemon.subscribeThroughAnotherFrontEnd(as: program))
            }
            var walk = Walk()
            var world = World()
            var (second, before): (Int64, World?) = (0, nil)
            var mistakes: [String] = []
            while true {
                try await enter(world, from: before, daemon)
                second += 1
                let event = SourceEvent.fix(world.distance + Double(second % 2), second: second)
                let counts = recordings.map { $0.exactCount }
                try await daemon.emit(event)
                for (index, name) in names.enumerated() {
                    let isDelivered = recordings[index].exactCount > counts[index]
                    if isDelivered != world.permits("org.example.\(name)") {
                        mistakes.append("\(name): \(isDelivered) in \(world) after \(before.map { "\($0)" } ?? "-")")
                    }
                }
                guard let next = walk.next(from: world) else { break }
                (before, world) = (world, next)
            }
            #expect(mistakes.isEmpty, "\(mistakes.prefix(3))")
            #expect(walk.visited.count == 144)
        }
    }

    private func enter(_ world: World, from before: World?, _ daemon: DaemonUnderTest) async throws {
        if before?.isNight != world.isNight {
            try await daemon.setClock(to: Timestamp(world.isNight ? "2026-11-23T23:00:00Z" : "2026-11-23T12:00:00Z")!)
        }
        let surroundings = daemon.surroundings
        try await daemon.onLoop { core in
            surroundings.set(battery: [false, true, nil][world.power])
            let user = core.rules.rules(of: 4242)
            let wanted = [
                (1, world.hasZone ? Self.zone : nil), (2, world.hasNight ? Self.night : nil),
                (3, world.hasBattery ? Self.battery : nil),
            ]
            for (number, rule) in wanted where user.stored.rule(number) != rule {
                core.queue.take { core.apply([.rule(number, rule)], to: user) }
            }
        }
    }

    /// A walk that takes every step once at least.
    private struct Walk {
        private var taken: Set<[World]> = []
        private(set) var visited: Set<World> = []
        private var way: [World] = []

        /// The next state; `nil` once all steps were taken.
        mutating func next(from world: World) -> World? {
            visited.insert(world)
            if way.isEmpty { way = path(from: world) }
            guard !way.isEmpty else { return nil }
            let next = way.removeFirst()
            taken.insert([world, next])
            return next
        }

        /// The shortest way over known steps to one that was not taken, with that.
        private func path(from start: World) -> [World] {
            var (ways, seen): ([[World]], Set<World>) = ([[start]], [start])
            while !ways.isEmpty {
                var further: [[World]] = []
                for way in ways {
                    for next in way[way.count - 1].next {
                        if !taken.contains([way[way.count - 1], next]) { return Array((way + [next]).dropFirst()) }
                        if seen.insert(next).inserted { further.append(way + [next]) }
                    }
                }
                ways = further
            }
            return []
        }
    }
}

extension RecordingFrontEnd {
    /// The number of exact locations.
    fileprivate var exactCount: Int { deliveries.withLock { $0.count(where: \.isExact) } }
}
