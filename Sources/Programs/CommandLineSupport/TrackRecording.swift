package import LocationClient
package import LocationTracks

/// Records the receiver's fixes into a track file while a view follows the user. Predicted frames are not recorded.
package actor TrackRecording {
    /// The path of the file, as given.
    package nonisolated let path: String
    private let recorder: TrackRecorder
    /// The last fix of the current segment.
    private var last: Location?

    /// Creates the file, which must not exist yet.
    package init(creating path: String) throws(TrackError) {
        self.path = path
        recorder = try TrackRecorder(creating: path)
    }

    /// Records until the task is cancelled. Throws the error that ends it earlier.
    package func run(_ manager: LocationManager) async throws {
        for try await update in manager.liveUpdates() {
            if let location = update.location {
                if let last, !location.continues(last) { try recorder.endSegment() }
                last = location
                try recorder.append(location)
            } else {
                // The way to the next fix is unknown.
                last = nil
                try recorder.endSegment()
            }
        }
    }

    /// Finishes the file. Returns a sentence about its content.
    package func finish() throws(TrackError) -> String {
        try recorder.finish()
        let count = recorder.pointCount
        return "\(count) fix\(count == 1 ? "" : "es") recorded into \(path)."
    }

    /// A file name in the current directory with the time now: `2026-11-21T10-30-00Z.gpx`.
    package static func pathForNow() -> String {
        String(Timestamp.now().description.prefix(19).map { $0 == ":" ? "-" : $0 }) + "Z.gpx"
    }
}

extension Location {
    /// True if the user can have moved here from `last`; false if the receiver or a replayed track has jumped.
    fileprivate func continues(_ last: Location) -> Bool {
        let speed = speed.flatMap { speed in last.speed.map { max(speed, $0) } }
        let accuracy = 50 + (horizontalAccuracy ?? 0) + (last.horizontalAccuracy ?? 0)
        return Trail.isPossible(
            last.coordinate.distance(to: coordinate), speed: speed, accuracy: accuracy,
            in: timestamp.duration(since: last.timestamp))
    }
}
