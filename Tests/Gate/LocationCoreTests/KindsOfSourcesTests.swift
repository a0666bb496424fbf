import DaemonTestSupport
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Testing

@testable import LocationCore
@testable import Varlink

/// A location of a source that is no receiver, dated long ago.
private func event(_ kind: Location.SourceInformation.Kind, latitude: Double, radius: Double = 50) -> SourceEvent {
    var location = Location(
        coordinate: Coordinate(latitude: latitude, longitude: 11)!,
        timestamp: Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000))
    location.horizontalAccuracy = radius
    location.sourceInformation = .init(kind: kind)
    return .location(location)
}

extension Peer {
    /// The location of the next reply.
    fileprivate func location() async throws -> JSONValue {
        try #require(try await next()["parameters"]?["location"])
    }
}

@Suite("Locations of sources other than receivers", .timeLimit(.minutes(10)))
struct KindsOfSourcesTests {
    @Test("the fixed position reaches each new client once, dated at its delivery, however old it is")
    func fixedPosition() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let first = try await daemon.subscribe()
            try await daemon.emit(event(.fixed, latitude: 48))
            #expect(try await first.location()["sourceInformation"]?["kind"] == .string("fixed"))
            await daemon.turnClock(by: .hours(20))
            let before = Timestamp.now()
            let second = try await daemon.subscribe()
            let late = try await second.location()
            #expect(late["latitude"] == .integer(48) || late["latitude"] == .number(48))
            guard case .string(let time)? = late["timestamp"], let timestamp = Timestamp(time) else {
                throw Missing()
            }
            #expect(timestamp.duration(since: before) > .seconds(-2), "it is dated now, not years ago")
            // The first hears of the next change only.
            try await daemon.emit(event(.fixed, latitude: 49))
            #expect(try await first.location()["latitude"] == .integer(49))
        }
    }

    @Test("frames of a location without motion show it as it is, one for each")
    func standingFrames() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let follower = try await daemon.connect()
            try await daemon.wait(subscriptions: 1) { try await follower.call("Location.Follow", more: true) }
            try await daemon.emit(event(.wifi, latitude: 48, radius: 300))
            await daemon.turnClock(by: .seconds(1))
            let frame = try #require(try await follower.next()["parameters"]?["frame"])
            #expect(frame["latitude"] == .integer(48))
            #expect(frame["isPredicted"] == .bool(false))
            #expect(frame["span"] == .integer(1200), "the whole circle is seen")
            #expect(frame["speed"] == nil)
            await daemon.turnClock(by: .seconds(60))
            try await daemon.emit(.unavailable(.notLocated))
            let end = try #require(try await follower.next()["parameters"])
            #expect(end["diagnostic"] == .string("locationUnavailable"), "no frame came between")
        }
    }

    @Test("switching off, and a need of another user, make the sources forget their locations")
    func forgetting() async throws {
        try await DaemonUnderTest.run(.socket) { daemon in
            let source = daemon.source
            let root = try await daemon.connect(as: .example(nil, user: 0))
            _ = try await root.ask("Manager.SetEnabled", #"{"isEnabled":false,"isSystem":true}"#)
            #expect(try await daemon.onLoop { _ in source.forgotten } == 1)
        }
    }
}

private struct Missing: Error {}
