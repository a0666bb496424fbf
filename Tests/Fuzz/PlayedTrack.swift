import LocationModel
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded

@testable import LocationSources

/// Plays a track for a while.
enum PlayedTrack {
    static func check(_ track: RecordedTrack) throws {
        try Finding.unless(!track.entries.isEmpty, "a track without a report was loaded")
        var last = TimeAmount.zero
        for entry in track.entries {
            try Finding.unless(entry.offset >= last, "a track goes back in time")
            last = entry.offset
        }
        try Finding.unless(track.duration > last, "a track begins again before its end")

        // The loop and the sources live on this thread, which their handlers cannot express.
        let loop = EmbeddedEventLoop()
        let told = NIOLockedValueBox<[SourceEvent]>([])
        let sources = SourceGroup(eventLoop: loop) { event in told.withLockedValue { $0.append(event) } }
        let replay = SourceDefinition("replay") {
            ReplaySource(
                track: track,
                context: SourceContext(
                    eventLoop: loop, logger: silentLogger, wallClock: { .afterStart(loop.now) }, report: $0))
        }
        sources.configure([replay])
        sources.setDemand(.continuous)
        for _ in 0..<20 { loop.advanceTime(by: .milliseconds(700)) }
        sources.setDemand(.off)
        sources.shutdown()
        for case .location(let location) in told.withLockedValue({ $0 }) {
            try Finding.unless(
                location.sourceInformation?.isSimulated == true, "a replayed location does not say that it is")
        }
    }
}

extension Timestamp {
    /// The time of day when a loop's clock is at `now`.
    static func afterStart(_ now: NIODeadline) -> Timestamp {
        Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000 + Int64(clamping: now.uptimeNanoseconds))
    }
}
