import Glibc
package import LocationClient
package import LocationTracks

/// Writes the receiver's fixes to a track, while something else shows where the user is: the fixes themselves, not the
/// frames in between.
package actor TrackRecording {
    /// The file, as it was named.
    package nonisolated let path: String
    private let recorder: TrackRecorder
    /// The fix before, in the same segment.
    private var last: Location?

    /// Makes the file, which must not be there yet.
    package init(creating path: String) throws(TrackError) {
        self.path = path
        recorder = try TrackRecorder(creating: path)
    }

    /// Records until the task is cancelled, or something keeps it from that.
    package func run(_ manager: LocationManager) async throws {
        for try await update in manager.liveUpdates() {
            if let location = update.location {
                if let last, !location.continues(last) { try recorder.endSegment() }
                last = location
                try recorder.append(location)
            } else {
                // Nobody knows the way from here to the next fix.
                last = nil
                try recorder.endSegment()
            }
        }
    }

    /// Ends the file. Says in a sentence what is in it.
    package func finish() throws(TrackError) -> String {
        try recorder.finish()
        let count = recorder.pointCount
        return "\(count) fix\(count == 1 ? "" : "es") recorded into \(path)."
    }

    /// A name in the current directory that says when the track began: `2026-11-21T10-30-00Z.gpx`.
    package static func pathForNow() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let time = Timestamp(nanosecondsSince1970: Int64(now.tv_sec) * 1_000_000_000)
        return String(time.description.prefix(19).map { $0 == ":" ? "-" : $0 }) + "Z.gpx"
    }
}

extension Location {
    /// Whether somebody can have come here from `last`: not where a receiver or a recording jumps.
    fileprivate func continues(_ last: Location) -> Bool {
        let speed = speed.flatMap { speed in last.speed.map { max(speed, $0) } }
        let accuracy = 50 + (horizontalAccuracy ?? 0) + (last.horizontalAccuracy ?? 0)
        return Trail.isPossible(
            last.coordinate.distance(to: coordinate), speed: speed, accuracy: accuracy,
            in: timestamp.duration(since: last.timestamp))
    }
}
