import GPSDProtocol
import LocationModel
import Logging
import NIOCore
import TestSupport

@testable import LocationSources

/// A group of one gpsd on a loop of its own, with awaitable events.
final class SourceUnderTest: Sendable {
    let events: AsyncStream<SourceEvent>
    let loop: any EventLoop
    let source: SourceGroup
    private let continuation: AsyncStream<SourceEvent>.Continuation

    init(_ endpoint: GPSDAddress, device: String? = nil) {
        let (events, continuation) = AsyncStream.makeStream(of: SourceEvent.self)
        self.events = events
        self.continuation = continuation
        let loop = ObservedLoops.next()
        self.loop = loop
        source = SourceGroup(eventLoop: loop) { continuation.yield($0) }
        loop.execute { [source] in
            let gpsd = SourceDefinition(endpoint) {
                GPSDSource(endpoint: endpoint, context: SourceContext(eventLoop: loop, logger: .silent, report: $0))
            }
            source.configure([gpsd], preferredDevices: device.map { [$0] } ?? [])
        }
    }

    func setNeeded(_ needed: Bool) async throws {
        try await loop.submit { self.source.setDemand(needed ? .continuous : .off) }.get()
    }

    func status() async throws -> SourceStatus {
        try await loop.submit { self.source.statuses[0] }.get()
    }

    /// All remaining events after `shutdown`.
    func finished() async -> [SourceEvent] {
        continuation.finish()
        return await events.reduce(into: []) { $0.append($1) }
    }

    func shutdown() async throws {
        try await loop.submit { self.source.shutdown() }.get()
    }

    /// Waits until the status meets a condition.
    @discardableResult
    func status(
        _ what: String, where isAsExpected: @escaping @Sendable (SourceStatus) -> Bool
    ) async throws -> SourceStatus {
        try await ObservedLoops.ensure(what, on: loop) { isAsExpected(self.source.statuses[0]) }
        return try await status()
    }
}

extension AsyncStream<SourceEvent>.Iterator {
    mutating func location() async throws -> Location {
        while true {
            if case .location(let location) = try await first("a location", where: { _ in true }) { return location }
        }
    }

    mutating func unavailability() async throws -> UnavailableReason {
        while true {
            if case .unavailable(let reason) = try await first("unavailability", where: { _ in true }) { return reason }
        }
    }
}

extension Wire {
    /// Another client of a gpsd, which only listens. The watch is confirmed.
    static func watching(port: Int) async throws -> Wire {
        let wire = try await Wire.connect(toPort: port)
        await wire.send(ScriptedGPSD.watch + "\n")
        while let line = try await wire.receive() {
            if line.contains(#""class":"WATCH""#) { return wire }
        }
        throw AwaitedInVain("gpsd's confirmation of a watch", because: "the connection has ended")
    }
}
