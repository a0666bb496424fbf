import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import LocationUsage
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// Rules of time, place and power from end to end: as programs and their users see them.
@Suite("Rules", .timeLimit(.minutes(5)))
struct RuleTests {
    private func latitude(_ peer: any Peer) async throws -> Double? {
        try await peer.next()["parameters"]?["location"]?["latitude"]?.number
    }

    @Test("nobody but one program gets a location near home, and the others are told only that there is none")
    func privacyZone() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            try await daemon.addHome(by: manager)
            try await daemon.addRule(
                #"{"inside":"home","deny":true,"exceptions":["org.example.Doorbell"]}"#, by: manager)
            let map = try await daemon.subscribe(as: .map)
            #expect(try await map.next()["parameters"]?["diagnostic"] == .string("locationUnavailable"))
            let doorbell = try await daemon.subscribe(as: .doorbell)
            for (second, metres) in [5000.0, 0, 50, 5000].enumerated() {
                try await daemon.emit(.fix(metres, second: Int64(second)))
                #expect(try await latitude(doorbell) != nil)
                if second == 2 {
                    // As long as a receiver that falls silent would take.
                    #expect(try await map.messages() == [])
                    await daemon.turnClock(by: .seconds(3))
                    let told = try await map.next()
                    #expect(told["parameters"]?["diagnostic"] == .string("locationUnavailable"))
                    #expect(told["parameters"]?["cause"] == nil, "a cause would tell that the user is at home")
                }
                if metres == 5000 { #expect(try await latitude(map) ?? 0 > 48.04) }
            }
            let asking = try await daemon.connect(as: .map)
            try await daemon.emit(.fix(20, second: 10))
            #expect(try await map.messages() == [])
            let status = try await asking.ask("Authorization.GetStatus")
            #expect(status["parameters"]?["status"] == .string("authorizedAlways"))
            #expect(status["parameters"]?["cause"] == nil)
            let explained = try await manager.ask("Manager.Explain", #"{"client":"org.example.Map"}"#)
            let text = "\(explained)"
            #expect(text.contains("rule 1 (within 300 m of home: nobody but org.example.Doorbell)"))
            #expect(!text.contains("48.0"), "no coordinates")
        }
    }

    @Test("explain names the rule about a place for a program that is not running")
    func explainedWhileNotConnected() async throws {
        var clients: [ClientDeclaration] = [.map, .doorbell]
        clients[0].policy.presetAuthorization = .whenInUse
        try await DaemonUnderTest.run(.inProcess, clients: clients) { daemon in
            let manager = try await daemon.connect(as: .agent)
            try await daemon.addHome(by: manager)
            try await daemon.addRule(#"{"inside":"home","deny":true}"#, by: manager)
            let explained = try await manager.ask("Manager.Explain", #"{"client":"org.example.Map"}"#)
            #expect("\(explained)".contains("rule 1 (within 300 m of home: nobody)"), "\(explained)")
        }
    }

    @Test("a rule is in force before it is acknowledged, and its end ends what it withheld")
    func changes() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            let map = try await daemon.subscribe(as: .map)
            try await daemon.emit(.fix(0, second: 0))
            #expect(try await latitude(map) != nil)
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
            #expect(try await latitude(map) ?? 0 > 48.001)
            // Its number is not used again.
            let next = try await manager.ask("Manager.AddRule", #"{"rule":{"onBattery":true,"reducedAccuracy":true}}"#)
            #expect(next["parameters"]?["rule"]?["id"] == .string("2"))
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

    @Test("wrong rules and places are refused, and what others have written cannot be removed")
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

    // MARK: What a program can tell

    /// All that a program is sent, in order and with the seconds since the beginning, while a rule withholds the location at
    /// home, or while the receiver has no fix for `reason`.
    ///
    /// - Parameters:
    ///   - second: the second in which the receiver reports that it has no fix.
    ///   - lastFix: true if it gets one location first, and asks for another each second.
    ///   - returning: the second in which the user leaves home, or the receiver has a fix again.
    ///   - isReduced: true if it may have approximate locations only.
    private func absence(
        _ reason: UnavailableReason?, in second: Int, lastFix: Bool, calls: [(method: String, more: Bool)],
        returning: Int = .max, isReduced: Bool = false
    ) async throws -> [String] {
        var sent: [String] = []
        var clients: [ClientDeclaration] = [.map, .doorbell]
        clients[0].isReducedAccuracyDefault = isReduced
        try await DaemonUnderTest.run(.inProcess, clients: clients) { daemon in
            let manager = try await daemon.connect(as: .agent)
            try await daemon.addHome(by: manager)
            try await daemon.addRule(#"{"inside":"home","deny":true,"clients":["org.example.Map"]}"#, by: manager)
            // Keeps the sources at work in both situations.
            _ = try await daemon.subscribe(as: .doorbell)
            // An approximate location is released once its time is on disk.
            let first = isReduced && lastFix ? try await daemon.subscribe(as: .map) : nil
            try await daemon.finishDiskWork()
            try await daemon.emit(.fix(5000, second: 0))
            if let first {
                try await daemon.finishDiskWork()
                #expect(try await first.messages().contains { $0.contains("latitude") })
            }
            if !lastFix {
                await daemon.turnClock(by: .seconds(4))
                try await daemon.emit(reason.map { .unavailable($0) } ?? .fix(0, second: 1))
            }
            var peers: [(name: String, peer: any Peer)] = []
            func call(_ method: String, _ parameters: String, more: Bool, name: String) async throws {
                let peer = try await daemon.connect(as: .map)
                try await peer.call(method, parameters, more: more)
                peers.append((name, peer))
            }
            for (method, more) in calls {
                try await call(
                    method, method == "Location.GetLocation" ? #"{"timeout":10}"# : "{}", more: more, name: method)
            }
            for now in 0...12 {
                // The second asks for more than any fix has, and gets the best one at its timeout.
                for parameters in lastFix ? [#"{"timeout":10}"#, #"{"timeout":1,"desiredAccuracy":1}"#] : [] {
                    try await call(
                        "Location.GetLocation", parameters, more: false, name: "GetLocation \(parameters) at \(now) s")
                }
                try await daemon.finishDiskWork()
                for (name, peer) in peers {
                    sent += try await peer.messages().map { "\(now) s, \(name): \($0)" }
                }
                await daemon.turnClock(by: .seconds(1))
                if now >= returning {
                    try await daemon.emit(.fix(5000 + Double(now), second: Int64(now) + 2))
                } else if let reason {
                    if now == second { try await daemon.emit(.unavailable(reason)) }
                } else {
                    try await daemon.emit(.fix(0, second: Int64(now) + 2))
                }
            }
        }
        // Each run has a secret of its own, by which approximate locations are placed.
        return isReduced ? sent.map(\.withoutCoordinates) : sent
    }

    @Test(
        "a program is sent the same bytes at the same time while a rule withholds the location and while there is none",
        arguments: [UnavailableReason.noFix, .silent, .noReceiver, .notConnected])
    func absencesAreAlike(reason: UnavailableReason) async throws {
        // The receiver counts as silent three seconds after its last fix; the rest is known at once.
        let second = reason == .silent ? 2 : 0
        let streams = [("Location.Subscribe", true), ("Authorization.Watch", true), ("Location.Follow", true)]
        let calls = [
            ("Location.GetLocation", false), ("Authorization.GetStatus", false), ("Manager.GetServiceStatus", false),
        ]
        let (first, firstWithout) = (
            try await absence(nil, in: second, lastFix: false, calls: calls + streams),
            try await absence(reason, in: second, lastFix: false, calls: calls + streams)
        )
        #expect(first == firstWithout)
        #expect(first.contains { $0.contains("locationUnavailable") && $0.hasPrefix("0 s, Location.Subscribe") })
        #expect(first.contains { $0.contains("error") && $0.contains("GetLocation") })
        let later = [streams[0], streams[1]]
        let (afterLocation, afterLocationWithout) = (
            try await absence(nil, in: second, lastFix: true, calls: later),
            try await absence(reason, in: second, lastFix: true, calls: later)
        )
        #expect(afterLocation == afterLocationWithout)
        #expect(
            afterLocation.contains {
                $0.hasPrefix("2 s, GetLocation") && $0.contains("desiredAccuracy") && $0.contains("latitude")
            })
        #expect(afterLocation.contains { $0.contains("locationUnavailable") && $0.hasPrefix("3 s") })
    }

    @Test(
        "a program is sent the same bytes when the user leaves a withheld place and when the receiver has a fix again",
        arguments: [UnavailableReason.noFix, .silent], [true, false])
    func returnsAreAlike(reason: UnavailableReason, isReduced: Bool) async throws {
        let calls = [("Location.Subscribe", true), ("Authorization.Watch", true), ("Location.Follow", true)]
        for lastFix in [true, false] {
            let (withheld, without) = (
                try await absence(
                    nil, in: 2, lastFix: lastFix, calls: calls, returning: 8, isReduced: isReduced),
                try await absence(
                    reason, in: 2, lastFix: lastFix, calls: calls, returning: 8, isReduced: isReduced)
            )
            #expect(withheld == without)
            #expect(withheld.filter { $0.contains("accuracyLimited") }.count == (isReduced ? 2 : 0))
            #expect(withheld.contains { $0.contains("locationUnavailable") })
            #expect(withheld.contains { $0.contains("latitude") })
        }
    }

    /// The frames of a program, with the tenths of a second in which they come, while a rule withholds the locations at home, or
    /// while the receiver has none there, and the user comes home twice.
    ///
    /// - Parameter isFaster: true if the receiver has five fixes a second, and not one.
    private func frames(_ reason: UnavailableReason?, isFaster: Bool) async throws -> [String] {
        var sent: [String] = []
        try await DaemonUnderTest.run(.inProcess, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            try await daemon.addHome(by: manager)
            try await daemon.addRule(#"{"inside":"home","deny":true,"clients":["org.example.Map"]}"#, by: manager)
            // Another follower has frames all the time.
            let other = try await daemon.connect(as: .doorbell)
            try await other.call("Location.Follow", #"{"rate":30}"#, more: true)
            let map = try await daemon.connect(as: .map)
            try await map.call("Location.Follow", #"{"rate":30}"#, more: true)
            for tenth in 0..<160 {
                // Inside for a moment, and for long.
                let isHome = (12..<18).contains(tenth) || (50..<110).contains(tenth)
                if tenth % (isFaster ? 2 : 10) == 0 {
                    if !isHome {
                        try await daemon.emit(.fix(5000 + Double(tenth), second: Int64(tenth)))
                    } else if reason == nil {
                        try await daemon.emit(.fix(Double(tenth), second: Int64(tenth)))
                    }
                }
                if let reason, tenth == 51 { try await daemon.emit(.unavailable(reason)) }
                await daemon.turnClock(by: .milliseconds(100))
                sent += try await map.messages().map { "\(tenth): \($0)" }
                _ = try await other.messages()
            }
        }
        return sent
    }

    @Test(
        "the frames of a program come at the same moments, with the same content, at home and without a fix",
        arguments: [true, false])
    func framesAreAlike(isFaster: Bool) async throws {
        let (withheld, without) = (
            try await frames(nil, isFaster: isFaster), try await frames(.noFix, isFaster: isFaster)
        )
        #expect(withheld == without)
        #expect(withheld.count { $0.contains("latitude") } > 100)
    }

    @Test(
        "a place that the user enters while the disk records a release leaves no mark in approximate locations",
        arguments: [UnavailableReason.noFix, .silent])
    func enteredWhileReserving(reason: UnavailableReason) async throws {
        func sent(_ reason: UnavailableReason?) async throws -> [String] {
            var sent: [String] = []
            var clients: [ClientDeclaration] = [.map, .doorbell]
            clients[0].isReducedAccuracyDefault = true
            try await DaemonUnderTest.run(.inProcess, clients: clients) { daemon in
                let manager = try await daemon.connect(as: .agent)
                try await daemon.addHome(by: manager)
                try await daemon.addRule(#"{"inside":"home","deny":true,"clients":["org.example.Map"]}"#, by: manager)
                _ = try await daemon.subscribe(as: .doorbell)
                let map = try await daemon.subscribe(as: .map)
                try await daemon.finishDiskWork()
                let resume = await daemon.holdDisk()
                try await daemon.emit(.fix(5000, second: 0))
                try await daemon.emit(reason.map { .unavailable($0) } ?? .fix(0, second: 1))
                resume()
                for second in 2...12 {
                    try await daemon.finishDiskWork()
                    sent += try await map.messages().map { "\(second): \($0)" }
                    await daemon.turnClock(by: .seconds(1))
                    if second > 7 { try await daemon.emit(.fix(5000, second: Int64(second))) }
                }
            }
            return sent.map(\.withoutCoordinates)
        }
        let withheld = try await sent(nil)
        #expect(withheld == (try await sent(reason)))
        #expect(withheld.contains { $0.contains("latitude") })
    }

    @Test("an exact location that a rule repeats for an interval is not given out once the accuracy is reduced")
    func exactThenReducedWithinInterval() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            try await daemon.addRule(#"{"minimumInterval":3600,"clients":["org.example.Map"]}"#, by: manager)
            let map = try await daemon.subscribe(as: .map)
            try await daemon.emit(.fix(0, second: 0))
            #expect(try await latitude(map) == 48)
            let before = try await daemon.subscribe(as: .map)
            #expect(try await latitude(before) == 48, "it is repeated")
            try await daemon.change("SetAccuracy", #"{"client":"org.example.Map","accuracy":"reduced"}"#, by: manager)
            let after = try await daemon.subscribe(as: .map)
            let asking = try await daemon.connect(as: .map)
            try await asking.call("Location.GetLocation", #"{"timeout":5}"#)
            for second in 1...3 {
                try await daemon.emit(.fix(Double(second) * 100, second: Int64(second)))
                await daemon.turnClock(by: .seconds(1))
                try await daemon.finishDiskWork()
            }
            await daemon.turnClock(by: .seconds(5))
            for peer in [map, before, after, asking] {
                for message in try await peer.messages() {
                    let location = try json(message)["parameters"]?["location"]
                    #expect(location == nil || location?["horizontalAccuracy"]?.number ?? 0 > 1000, "\(message)")
                }
            }
        }
    }

    // MARK: Time

    /// 2026-03-29: at 01:00 UTC, clocks in Berlin go from 02:00 to 03:00.
    private static let spring = Timestamp("2026-03-29T00:30:00Z")!

    @Test("rules of time follow the wall clock: its hands, the time zone and daylight saving time")
    func wallClock() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            daemon.setZone { $0 < Timestamp("2026-03-29T01:00:00Z")! ? 3600 : 7200 }
            try await daemon.setClock(to: Self.spring)
            // From 03:00 to 04:00 in Berlin is one hour from 01:00 UTC on this day.
            try await daemon.addRule(#"{"hours":"03:00-04:00","deny":true}"#, by: manager)
            let awaited = try await daemon.onLoop { [wallClock = daemon.wallClock] _ in wallClock.awaited }
            let change = Timestamp("2026-03-29T01:00:00Z")!
            #expect(awaited == Duration.nanoseconds(change.nanosecondsSince1970))
            let map = try await daemon.subscribe(as: .map)
            var second: Int64 = 0
            func isDelivered() async throws -> Bool {
                second += 1
                try await daemon.emit(.fix(Double(second), second: second))
                let subscription = try await daemon.onLoop { core in
                    core.table.users[4242]?.clients["org.example.Map"]?.evaluation(isInUse: false).access
                }
                return subscription == .permitted(.full)
            }
            /// Passes over locations, which may come again.
            func expectDenied() async throws {
                var told = try await map.next()
                while told["parameters"]?["location"] != nil { told = try await map.next() }
                #expect(told["parameters"]?["diagnostic"] == .string("authorizationDenied"))
            }
            #expect(try await isDelivered())
            #expect(try await latitude(map) != nil)
            // Nobody tells of the time: what is delivered follows the clock all the same.
            daemon.setClock(ahead: Timestamp("2026-03-29T01:00:01Z")!.duration(since: .now()))
            #expect(try await !isDelivered())
            try await daemon.reportClockChange()
            try await expectDenied()
            try await daemon.setClock(to: Timestamp("2026-03-29T02:00:01Z")!)
            #expect(try await isDelivered())
            #expect(try await latitude(map) != nil)
            // Set back, and the night is there again.
            try await daemon.setClock(to: Timestamp("2026-03-29T01:30:00Z")!)
            try await expectDenied()
            // In London it is 02:30.
            daemon.setZone { _ in 3600 }
            try await daemon.reportClockChange()
            #expect(try await isDelivered())
            #expect(try await latitude(map) != nil)
        }
    }

    @Test("an interval goes by the clock that is never set, for all connections of a client together")
    func interval() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            try await daemon.addRule(#"{"minimumInterval":3600,"clients":["org.example.Map"]}"#, by: manager)
            let doorbell = try await daemon.subscribe(as: .doorbell)
            let map = try await daemon.subscribe(as: .map)
            try await daemon.emit(.fix(0, second: 0))
            #expect(try await latitude(map) == 48)
            _ = try await latitude(doorbell)
            for second in 1...3 {
                let days = Int64(second) * 86_400
                try await daemon.setClock(to: Timestamp.now().advanced(by: .seconds(days)))
                try await daemon.emit(.fix(Double(second) * 100, second: Int64(second)))
                #expect(try await latitude(doorbell) ?? 0 > 48.0005)
            }
            // Another connection, and a request, get the one that was delivered.
            let other = try await daemon.subscribe(as: .map)
            #expect(try await latitude(other) == 48)
            let asking = try await daemon.connect(as: .map)
            try await asking.call("Location.GetLocation")
            #expect(try await latitude(asking) == 48)
            await map.close()
            await other.close()
            let again = try await daemon.subscribe(as: .map)
            #expect(try await latitude(again) == 48)
            try await daemon.finishDiskWork()
            let kept = try await daemon.onLoop { $0.disk }.read(historyDays: 30).pacedReleases
            #expect(kept.keys.map(\.client) == ["org.example.Map"])
        }
    }

    @Test("a daemon that starts anew yields no further location within the interval")
    func restart() throws {
        let now = Timestamp.now()
        for (age, isAllowed) in [(0, false), (3599, false), (3601, true), (-86_400, false)] {
            var stored = DecisionStore.StoredState()
            let key = ClientKey(userID: 1, client: "a")
            stored.pacedReleases[key] = now.advanced(by: .seconds(-age))
            let rules = RuleDirectory(clock: RuleClock(now: { now }), newest: { nil }, logger: .init(label: "test"))
            rules.adopt(stored)
            let pace = rules.rules(of: 1).pace(of: "a")
            #expect(pace.allows(1, at: .now, interval: .seconds(3600)) == isAllowed, "\(age)")
        }
    }

    @Test("only what rules mention is watched")
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
            #expect(try await latitude(map) == 48)
            try await daemon.onLoop { _ in surroundings.set(locked: [4242]) }
            #expect(try await map.next()["parameters"]?["diagnostic"] == .string("authorizationDenied"))
            #expect(try await manager.ask("Manager.RemoveRule", #"{"id":"1"}"#)["error"] == nil)
            #expect(try await daemon.onLoop { _ in surroundings.kinds.isEmpty })
        }
    }

    @Test("a database that takes the place of the open one limits no less")
    func replacedDatabase() throws {
        var before = StoredRules()
        let home = NamedPlace(name: "home", center: Coordinate(latitude: 48, longitude: 11)!, radius: 300)!
        var generator = SystemRandomNumberGenerator()
        let secret = AccuracyReduction.Secret(using: &generator)
        before.apply(.place(home, secret))
        before.apply(.rule(1, AccessRule(.init(.user, 1), when: [.inside("home")], limit: .denial)))
        before.apply(.rule(2, AccessRule(.init(.user, 2), when: [.onBattery], limit: .denial)))
        for isEmpty in [true, false] {
            var after = StoredRules()
            if !isEmpty {
                // Another rule has the number, and one has another.
                after.apply(.rule(1, AccessRule(.init(.user, 1), when: [.sessionLocked], limit: .denial)))
                after.apply(.rule(7, AccessRule(.init(.user, 7), when: [.onBattery], limit: .denial)))
            }
            for change in after.changes(since: before) { after.apply(change) }
            #expect(after.places == ["home": home] && after.secret == secret)
            #expect(after.rules.map(\.id.number) == (isEmpty ? [1, 2] : [1, 7, 8]))
            #expect(after.rules.contains { $0.conditions == [.inside("home")] })
        }
    }

    @Test("a database with another secret draws no other border around the same home, also after a restart")
    func replacedSecret() async throws {
        let home = NamedPlace(name: "home", center: Coordinate(latitude: 48, longitude: 11)!, radius: 300)!
        var generator = SystemRandomNumberGenerator()
        let (known, other) = (
            AccuracyReduction.Secret(using: &generator), AccuracyReduction.Secret(using: &generator)
        )
        var before = StoredRules()
        before.apply(.place(home, known))
        before.apply(.rule(1, AccessRule(.init(.user, 1), when: [.inside("home")], limit: .denial)))
        for secret in [other, nil] {
            for hasPlace in [true, false] {
                var after = StoredRules()
                after.secret = secret
                if hasPlace { after.places["home"] = home }
                let changes = after.changes(since: before)
                for change in changes { after.apply(change) }
                #expect(after.places == ["home": home] && after.secret == known)
                // On disk, too.
                let directory = try TemporaryDirectory()
                let disk = DecisionStore(try LocationStore.open(directory: directory.path, now: .now()).store) {
                    .now()
                }
                let loop = MultiThreadedEventLoopGroup.singleton.next()
                if let secret {
                    _ = try await disk.save([.place(home, secret)], of: 1, by: 1, isDenial: false, on: loop).get()
                }
                _ = try await disk.save(changes, of: 1, by: 1, isDenial: true, on: loop).get()
                #expect(try await disk.read(historyDays: 1).rules[1]?.secret == known)
                try await disk.shutdown()
            }
        }
        // Without a place no border was drawn.
        var none = StoredRules()
        none.secret = known
        var after = StoredRules()
        after.secret = other
        #expect(after.changes(since: none).isEmpty)
    }

    @Test("the number of a rule is not used again, whatever the order in which rules are added")
    func numbersAreNotUsedAgain() throws {
        var rules = StoredRules()
        for number in [1, 9, 3] {
            rules.apply(.rule(number, AccessRule(.init(.user, number), when: [.onBattery], limit: .denial)))
        }
        #expect(rules.lastNumber == 9)
        rules.apply(.rule(9, nil))
        #expect(rules.lastNumber == 9 && rules.rules.map(\.id.number) == [1, 3])
        let directory = try TemporaryDirectory()
        let store = try LocationStore.open(directory: directory.path, now: .now()).store
        for number in [1, 9, 3] {
            try store.setRule(
                AccessRule(.init(.user, number), when: [.onBattery], limit: .denial).propertyList, number: number,
                of: 1,
                by: 1, at: .now())
        }
        try store.setRule("", number: 9, of: 1, by: 1, at: .now())
        #expect(try store.rules()[1]?.lastNumber == 9)
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
