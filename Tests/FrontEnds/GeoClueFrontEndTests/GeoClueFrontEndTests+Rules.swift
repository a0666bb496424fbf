import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import TestSupport
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink

// Tests of what rules withhold.

extension GeoClueFrontEndTests {
    /// All that a program is sent or can read, with the seconds since the beginning, while a rule withholds the location at
    /// home, or while the receiver has no fix for `reason`.
    ///
    /// - Parameters:
    ///   - second: the second in which the user enters the place, or the receiver reports that it has no fix.
    ///   - lastFix: true if the program gets one location first.
    ///   - returning: the second in which the user leaves the place, or the receiver has a fix again.
    ///   - isReduced: true if it may have approximate locations only.
    private func absence(
        _ reason: UnavailableReason?, in second: Int, lastFix: Bool, returning: Int = .max, isReduced: Bool = false
    ) async throws -> [String] {
        var seen: [String] = []
        let bus = try await BusUnderTest.start()
        var program = ClientDeclaration.map
        program.match.executable = BusUnderTest.ownExecutable
        program.isReducedAccuracyDefault = isReduced
        try await DaemonUnderTest.run(.inProcess, clients: [program, .doorbell]) { daemon in
            try await daemon.reload {
                $0.daemon.geoClue.isEnabled = true
                $0.daemon.geoClue.busAddress = bus.address
            }
            _ = try await daemon.log.line(containing: "this service is \(Interface.busName)")
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: getuid()))
            try await daemon.addHome(by: manager)
            try await daemon.addRule(#"{"inside":"home","deny":true,"clients":["org.example.Map"]}"#, by: manager)
            // Keeps the sources at work in both situations.
            _ = try await daemon.subscribe(as: .doorbell)
            let peer = try await BusClient(bus.address)
            var signals = peer.signals.makeAsyncIterator()
            let client = try await peer.client()
            _ = try await peer.set("RequestedAccuracyLevel", .number(8), of: client)
            _ = await signals.next()
            let started = peer.send("Start", of: Interface.client.rawValue, at: client)
            // Start has been handled when the reply to the next call comes.
            _ = try await peer.properties(of: client)
            // An approximate location is released once its time is on disk.
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
                // The last signal of this second.
                _ = try await peer.set("DesktopId", .text("second \(now)"), of: client)
                while let signal = await signals.next(), signal.member != "DesktopId" {
                    seen.append("\(now) s: \(signal)".replacing(client, with: "client"))
                }
                let isActive = try await peer.properties(of: client).properties["Active"]
                // The last two can be read.
                for number in 0...(returning == .max ? 0 : 24) {
                    let location = try await peer.properties(of: "\(client)/Location/\(number)")
                    if location.error == "UnknownObject", number > 0 { break }
                    let latitude = location.properties["Latitude"]
                    // Approximate locations are placed by a secret of each run.
                    let known =
                        if isReduced, case .real(let value)? = latitude { "\(value.isNaN)" } else {
                            "\(latitude as Any)"
                        }
                    seen.append("\(now) s, \(number): \(String(describing: (known, location.error, isActive)))")
                }
                await daemon.turnClock(by: .seconds(1))
            }
            seen.append("Start: \(try await started.get().error ?? "answered")")
            try await peer.close()
            try await daemon.reload { $0.daemon.geoClue.isEnabled = false }
        }
        return seen
    }

    @Test(
        "a program sees the same at the same time while a rule withholds the location and while there is none",
        arguments: [UnavailableReason.noFix, .silent, .noReceiver], [true, false])
    func absencesAreAlike(reason: UnavailableReason, lastFix: Bool) async throws {
        let second = reason == .silent ? 3 : 1
        let withheld = try await absence(nil, in: 1, lastFix: lastFix)
        let without = try await absence(reason, in: second, lastFix: lastFix)
        for (withheld, without) in zip(withheld, without) { #expect(withheld == without) }
        #expect(withheld.count == without.count)
        #expect(withheld.contains { $0.contains("LocationUpdated") } == lastFix)
    }

    @Test(
        "a program sees the same when the user leaves a withheld place and when the receiver has a fix again",
        arguments: [UnavailableReason.noFix, .silent], [true, false])
    func returnsAreAlike(reason: UnavailableReason, isReduced: Bool) async throws {
        for lastFix in [true, false] {
            let second = reason == .silent ? 3 : 1
            let withheld = try await absence(nil, in: 1, lastFix: lastFix, returning: 12, isReduced: isReduced)
            let without = try await absence(
                reason, in: second, lastFix: lastFix, returning: 12, isReduced: isReduced)
            for (withheld, without) in zip(withheld, without) { #expect(withheld == without) }
            #expect(withheld.count == without.count)
            #expect(withheld.contains { $0.contains("LocationUpdated") })
        }
    }
}
