import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Testing

@testable import LocationCore
@testable import Varlink

/// Rules about places, and what programs can tell of the place from what they are sent.
@Suite("Rules about places", .timeLimit(.minutes(10)))
struct PlaceRuleTests {
    @Test("only one program gets a location near home, and the others are only told that there is none")
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
                #expect(try await doorbell.nextLatitude() != nil)
                if second == 2 {
                    // As long as a receiver that falls silent would take.
                    #expect(try await map.messages() == [])
                    await daemon.turnClock(by: .seconds(3))
                    let told = try await map.next()
                    #expect(told["parameters"]?["diagnostic"] == .string("locationUnavailable"))
                    #expect(told["parameters"]?["cause"] == nil, "a cause would tell that the user is at home")
                }
                if metres == 5000 { #expect(try await map.nextLatitude() ?? 0 > 48.04) }
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
        "the frames of a program are sent at the same moments, with the same content, at home and without a fix",
        arguments: [true, false])
    func framesAreAlike(isFaster: Bool) async throws {
        let (withheld, without) = (
            try await frames(nil, isFaster: isFaster), try await frames(.noFix, isFaster: isFaster)
        )
        #expect(withheld == without)
        #expect(withheld.count { $0.contains("latitude") } > 100)
    }

    @Test(
        "a place that is entered while the disk records a release leaves no trace in approximate locations",
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
}
