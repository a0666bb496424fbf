import CommandLineSupport
import Glibc
import LocationClient

/// Prints frames line by line, without a terminal for the live view.
struct FollowLines {
    let socket: String?
    let rate: Int
    let count: Int?
    let format: PlainFormat
    let recording: TrackRecording?
    let style: DisplayStyle

    /// Prints until the number of frames is reached or the program has no access. A recording also ends with a signal, which
    /// `ended` receives, so that the file can be finished first.
    func show(ended: @escaping @Sendable (_ signal: Int32) -> Void) async throws {
        let manager = LocationManager(socketPath: socket)
        try await promptingHere(socket) { [self] in
            try await withThrowingTaskGroup { group in
                group.addTask { try await printFrames(of: manager) }
                if let recording {
                    group.addTask { try await recording.run(manager) }
                    group.addTask {
                        if let signal = await SignalPipe.first(of: [SIGINT, SIGTERM, SIGHUP]) { ended(signal) }
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func printFrames(of manager: LocationManager) async throws {
        var left = count ?? .max
        for try await update in manager.followUpdates(rate: rate) {
            try await show(update)
            if update.frame != nil { left -= 1 }
            if left == 0 { return }
        }
    }

    private func show(_ update: FollowUpdate) async throws {
        if let frame = update.frame {
            switch format {
            case .text: Terminal.say(TextFormat.line(frame, style))
            case .json: Terminal.say(try LocationFormat.encode(frame))
            }
        }
        try await Watch.reportObstacle(in: update, asJSON: format == .json, socket: socket)
    }
}
