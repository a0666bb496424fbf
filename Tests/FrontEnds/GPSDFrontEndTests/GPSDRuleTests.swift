import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Testing

@testable import LocationCore
@testable import Varlink

/// Rules about places: a program at gpsd's port reads the same whether one withholds the location or there is none.
@Suite("Rules about places at gpsd's port", .timeLimit(.minutes(10))) struct GPSDRuleTests {
    /// What a program is sent, second by second, while a rule withholds the location at home, or while the receiver has no fix
    /// for `reason`.
    ///
    /// - Parameters:
    ///   - returning: the second in which the user leaves home, or the receiver has a fix again.
    ///   - isReduced: true if it may have approximate locations only.
    private func absence(
        _ reason: UnavailableReason?, in second: Int, lastFix: Bool, returning: Int = .max, isReduced: Bool = false
    ) async throws -> [String] {
        var seen: [String] = []
        var program = ClientDeclaration.mapAtGPSDPort
        program.isReducedAccuracyDefault = isReduced
        try await DaemonUnderTest.run(.inProcess, clients: [program, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: getuid()))
            try await daemon.addHome(by: manager)
            try await daemon.addRule(#"{"inside":"home","deny":true,"clients":["org.example.Map"]}"#, by: manager)
            // Keeps the sources at work in both situations.
            _ = try await daemon.subscribe(as: .doorbell)
            let peer = try await daemon.connectAtGPSDPort()
            await peer.send("?WATCH={\"json\":true,\"nmea\":true}")
            try await daemon.finishDiskWork()
            if lastFix {
                try await daemon.emit(.fix(5000, second: 0))
                try await daemon.finishDiskWork()
            }
            for now in 0...22 {
                if now >= returning {
                    try await daemon.emit(.fix(5000 + Double(now), second: Int64(now)))
                    try await daemon.finishDiskWork()
                } else if now >= second {
                    if let reason {
                        if now == second { try await daemon.emit(.unavailable(reason)) }
                    } else {
                        try await daemon.emit(.fix(0, second: Int64(now)))
                    }
                }
                await daemon.turnClock(by: .milliseconds(500))
                await peer.send("?POLL;")
                await daemon.turnClock(by: .milliseconds(500))
                for line in try await peer.messages() {
                    // Only the receiver and the answer to POLL have a time of their own.
                    guard !line.contains("DEVICES") else { continue }
                    seen.append("\(now) s: " + (line.split(separator: #""active""#).last.map(String.init) ?? ""))
                }
            }
            try await daemon.onLoop { $0.closeFrontEnds() }
        }
        return seen
    }

    /// What is alike of runs that have a secret each, by which approximate locations are placed.
    private static func comparable(_ lines: [String]) -> [String] { lines.map(\.withoutCoordinates.withoutPadding) }

    @Test(
        "a program receives the same at the same time while a rule withholds the location and without a fix",
        arguments: [UnavailableReason.noFix, .silent, .noReceiver], [true, false])
    func absencesAreAlike(reason: UnavailableReason, lastFix: Bool) async throws {
        let second = reason == .silent ? 3 : 1
        let withheld = try await absence(nil, in: 1, lastFix: lastFix)
        let without = try await absence(reason, in: second, lastFix: lastFix)
        #expect(withheld == without)
        #expect(withheld.contains { $0.contains(#""lat""#) } == lastFix)
        #expect(withheld.count > 60)
    }

    @Test(
        "a program reads the same when the user leaves a withheld place and when the receiver has a fix again",
        arguments: [UnavailableReason.noFix, .silent], [true, false])
    func returnsAreAlike(reason: UnavailableReason, isReduced: Bool) async throws {
        for lastFix in [true, false] {
            let second = reason == .silent ? 3 : 1
            let withheld = try await absence(nil, in: 1, lastFix: lastFix, returning: 12, isReduced: isReduced)
            let without = try await absence(
                reason, in: second, lastFix: lastFix, returning: 12, isReduced: isReduced)
            #expect(
                isReduced ? Self.comparable(withheld) == Self.comparable(without) : withheld == without)
            #expect(withheld.contains { $0.contains(#""lat""#) })
            // An approximate position is known for a quarter of an hour, with or without a fix.
            guard isReduced, lastFix else { continue }
            let known = withheld.drop { !$0.contains(#""lat""#) }
            #expect(!known.contains { $0.contains(#""class":"TPV""#) && $0.contains(#""mode":1"#) })
        }
    }

    @Test(
        "the byte counts of a program's connection reveal nothing about a place that a rule names",
        arguments: [true, false])
    func trafficIsAlike(isReduced: Bool) async throws {
        func sizes(_ lines: [String]) -> [String] { lines.map { "\($0.prefix { $0 != ":" }) \($0.utf8.count)" } }
        let inside = try await absence(nil, in: 0, lastFix: false, isReduced: isReduced)
        let outside = try await absence(nil, in: .max, lastFix: false, returning: 0, isReduced: isReduced)
        #expect(!inside.contains { $0.contains(#""lat""#) } && outside.contains { $0.contains(#""lat""#) })
        #expect(sizes(inside) == sizes(outside))
        let silent = try await absence(.silent, in: 0, lastFix: false, isReduced: isReduced)
        #expect(sizes(inside) == sizes(silent))
    }

    @Test("a rule can name an undeclared program by its path")
    func ruleForUndeclaredProgram() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.doorbell]) { daemon in
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: getuid()))
            let program = try await daemon.connectAtGPSDPort()
            try await manager.call(
                "Manager.SetAuthorization", #"{"client":"/usr/bin/map","authorization":"authorizedAlways"}"#)
            try await daemon.finishDiskWork()
            #expect(try await manager.next()["error"] == nil)
            func positions() async throws -> Int {
                await program.send("?POLL;")
                try await daemon.finishDiskWork()
                try await daemon.emit(.fix(5000, second: 0))
                await program.send("?POLL;")
                return try await program.messages().count { $0.contains(#""lat""#) }
            }
            #expect(try await positions() > 0)
            try await daemon.addRule(#"{"deny":true,"clients":["/usr/bin/map"]}"#, by: manager)
            #expect(try await positions() == 0)
        }
    }
}
