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
        var manager = manager
        // A pause would end the segment.
        manager.pausesLocationUpdatesAutomatically = false
        for try await update in manager.liveUpdates() {
            if let location = update.location {
                if let last, !location.isPossible(after: last) { try recorder.endSegment() }
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
        func fixes(_ count: Int) -> String { "\(count) fix\(count == 1 ? "" : "es")" }
        let repeated = recorder.repeatedCount
        return "\(fixes(recorder.pointCount)) recorded into \(path)."
            + (repeated > 0 ? " \(fixes(repeated)) with the time of the one before left out." : "")
    }

    /// A file name in the current directory with the time now: `2026-11-21T10-30-00Z.gpx`.
    package static func pathForNow() -> String {
        String(Timestamp.now().description.prefix(19).map { $0 == ":" ? "-" : $0 }) + "Z.gpx"
    }
}
