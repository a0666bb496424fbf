import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import LocationUsage
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// Rules as a manager adds, lists and removes them, and what is watched for them.
@Suite("Rules", .timeLimit(.minutes(10)))
struct RuleTests {
    @Test("a rule is in force before it is acknowledged, and its end ends what it withheld")
    func changes() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            let map = try await daemon.subscribe(as: .map)
            try await daemon.emit(.fix(0, second: 0))
            #expect(try await map.nextLatitude() != nil)
            let resume = await daemon.holdDisk()
            try await daemon.wait(
                for: "a rule",
                after: {
                    try await manager.call("Manager.AddRule", #"{"rule":{"deny":true,"clients":["org.example.Map"]}}"#)
                }, until: { !$0.rules.rules(of: 4242).stored.rules.isEmpty })
            try await daemon.emit(.fix(100, second: 1))
            let told = try await map.next()
            #expect(told["parameters"]?["diagnostic"] == .string("authorizationDenied"))
            #expect(told["parameters"]?["cause"]?["reason"] == .string("deniedByRule"))
            resume()
            #expect(try await manager.next()["parameters"]?["rule"]?["id"] == .string("1"))
            #expect(try await manager.ask("Manager.RemoveRule", #"{"id":"1"}"#)["error"] == nil)
            try await daemon.emit(.fix(200, second: 2))
            #expect(try await map.nextLatitude() ?? 0 > 48.001)
            // Its number is not used again.
            let next = try await manager.ask("Manager.AddRule", #"{"rule":{"onBattery":true,"reducedAccuracy":true}}"#)
            #expect(next["parameters"]?["rule"]?["id"] == .string("2"))
        }
    }

    @Test("only what rules depend on is watched")
    func watches() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            let surroundings = daemon.surroundings
            #expect(try await daemon.onLoop { _ in surroundings.kinds.isEmpty })
            try await daemon.addRule(#"{"sessionLocked":true,"deny":true}"#, by: manager)
            let watched: Set<SurroundingsKind> = try await daemon.onLoop { _ in surroundings.kinds }
            #expect(watched == [SurroundingsKind.sessionLock])
            let map = try await daemon.subscribe(as: .map)
            #expect(try await map.next()["parameters"]?["diagnostic"] == .string("authorizationDenied"), "in doubt")
            try await daemon.onLoop { _ in surroundings.set(locked: [1]) }
            try await daemon.emit(.fix(0, second: 0))
            #expect(try await map.nextLatitude() == 48)
            try await daemon.onLoop { _ in surroundings.set(locked: [4242]) }
            #expect(try await map.next()["parameters"]?["diagnostic"] == .string("authorizationDenied"))
            #expect(try await manager.ask("Manager.RemoveRule", #"{"id":"1"}"#)["error"] == nil)
            #expect(try await daemon.onLoop { _ in surroundings.kinds.isEmpty })
        }
    }

    @Test("what a stored rule depends on is watched from the start of the service")
    func watchedFromTheStart() async throws {
        let directory = try TemporaryDirectory()
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell], in: directory) { daemon in
            let answer = try await daemon.manage("AddRule", #"{"rule":{"onBattery":true,"reducedAccuracy":true}}"#)
            #expect(answer["error"] == nil)
        }
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell], in: directory) { daemon in
            let surroundings = daemon.surroundings
            let kinds = try await daemon.onLoop { _ in surroundings.kinds }
            #expect(kinds == [.power])
        }
    }

    @Test("places that are still being saved count for the limit, and their names are taken")
    func placesBeingSaved() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell]) { daemon in
            try await daemon.reload { $0.daemon.limits.placesPerUser = 2 }
            let resume = await daemon.holdDisk()
            func add(_ name: String) async throws -> any Peer {
                let manager = try await daemon.connect(as: .agent)
                try await manager.call(
                    "Manager.AddPlace", #"{"place":{"name":"\#(name)","latitude":48,"longitude":11.5,"radius":300}}"#)
                return manager
            }
            let home = try await daemon.wait(
                for: "a place", after: { try await add("home") },
                until: { $0.rules.rules(of: 4242).placesBeingAdded == ["home"] })
            try await add("home").expectError("org.locationd.Manager.PlaceExists")
            let work = try await daemon.wait(
                for: "two places", after: { try await add("work") },
                until: { $0.rules.rules(of: 4242).placesBeingAdded.count == 2 })
            try await add("boat").expectError("org.locationd.Location.LimitExceeded")
            resume()
            for manager in [home, work] { #expect(try await manager.next()["error"] == nil) }
            try await add("boat").expectError("org.locationd.Location.LimitExceeded")
            let manager = try await daemon.connect(as: .agent)
            #expect(try await manager.ask("Manager.RemovePlace", #"{"name":"work"}"#)["error"] == nil)
            #expect(try await add("boat").next()["error"] == nil)
        }
    }

    @Test("wrong rules and places are refused, and those of other users and files cannot be removed")
    func refusals() async throws {
        let machine = AccessRule(.init(.machine, 1), limit: .denial)
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell]) { daemon in
            try await daemon.reload {
                $0.daemon.defaultRules = [machine]
                $0.daemon.limits.rulesPerUser = 2
                $0.daemon.limits.placesPerUser = 1
            }
            let manager = try await daemon.connect(as: .agent)
            func expect(_ error: String, _ method: String, _ parameters: String) async throws {
                try await manager.call("Manager.\(method)", parameters)
                try await manager.expectError("org.locationd.\(error)")
            }
            try await expect("Manager.InvalidRule", "AddRule", #"{"rule":{"hours":"25:00-06:00","deny":true}}"#)
            try await expect("Manager.InvalidRule", "AddRule", #"{"rule":{"onBattery":true}}"#)
            try await expect("Manager.NoSuchPlace", "AddRule", #"{"rule":{"inside":"home","deny":true}}"#)
            try await expect("Manager.NoSuchPlace", "RemovePlace", #"{"name":"home"}"#)
            try await expect("Manager.NoSuchRule", "RemoveRule", #"{"id":"1"}"#)
            try await expect("Manager.FixedRule", "RemoveRule", #"{"id":"machine-1"}"#)
            try await daemon.addHome(by: manager)
            try await expect(
                "Manager.PlaceExists", "AddPlace",
                #"{"place":{"name":"home","latitude":1,"longitude":1,"radius":300}}"#)
            try await expect(
                "Location.LimitExceeded", "AddPlace",
                #"{"place":{"name":"work","latitude":1,"longitude":1,"radius":300}}"#)
            try await daemon.addRule(#"{"inside":"home","deny":true}"#, by: manager)
            try await daemon.addRule(#"{"deny":true}"#, by: manager)
            try await expect("Location.LimitExceeded", "AddRule", #"{"rule":{"deny":true}}"#)
            try await expect("Manager.PlaceInUse", "RemovePlace", #"{"name":"home"}"#)
            // Only agents and root manage rules, and only root those of others.
            let stranger = try await daemon.connect(as: .map)
            try await stranger.call("Manager.ListPlaces")
            try await stranger.expectError("org.locationd.Manager.NotAManager")
            try await manager.call("Manager.ListPlaces", #"{"userID":1}"#)
            #expect(try await manager.next()["error"] != nil)
        }
    }

    @Test("rules of a declaration for other users are not listed")
    func rulesOfOthers() async throws {
        var clients: [ClientDeclaration] = [.map, .doorbell]
        for (index, users) in [Set<UInt32>([4242]), [1]].enumerated() {
            clients[index].match.users = users
            clients[index].policy.rules = [AccessRule(.init(.client, 1), limit: .denial)]
        }
        try await DaemonUnderTest.run(.inProcess, clients: clients) { daemon in
            for (user, name) in [(4242, "Map"), (1, "Doorbell")] as [(UInt32, String)] {
                let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: user))
                guard case .array(let rules)? = try await manager.ask("Manager.ListRules")["parameters"]?["rules"]
                else {
                    Issue.record("no rules")
                    return
                }
                #expect(rules.map { $0["client"] } == [.string("org.example.\(name)")])
            }
        }
    }
}
