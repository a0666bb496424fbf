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

    /// Prints until the number of frames is reached or the program has no access. A recording also ends with a signal, which this
    /// returns, so that the file can be finished first.
    func show() async throws -> Int32? {
        let manager = LocationManager(socketPath: socket)
        return try await promptingHere(socket) { [self] in
            try await withThrowingTaskGroup(of: Int32?.self) { group in
                group.addTask {
                    try await printFrames(of: manager)
                    return nil
                }
                if let recording {
                    group.addTask {
                        try await recording.run(manager)
                        return nil
                    }
                    group.addTask { await SignalPipe.first(of: [SIGINT, SIGTERM, SIGHUP]) }
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
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
            case .json: Terminal.say(try JSONLine.encode(frame))
            }
        }
        try await Watch.reportObstacle(in: update, asJSON: format == .json, socket: socket)
    }
}
