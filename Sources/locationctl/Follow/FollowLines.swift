import CommandSupport
import LocationClient
import LocationInterface

/// Frames line by line, where there is no terminal for more.
struct FollowLines {
    let socket: String?
    let rate: Int
    let count: Int?
    let format: PlainFormat
    let recording: TrackRecording?

    /// Prints until there have been enough frames, or the program may not know any more.
    func show() async throws {
        let manager = LocationManager(socketPath: socket)
        try await promptingHere(socket) { [self] in
            try await withThrowingTaskGroup { group in
                group.addTask { try await printFrames(of: manager) }
                if let recording { group.addTask { try await recording.run(manager) } }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func printFrames(of manager: LocationManager) async throws {
        var left = count ?? .max
        for try await update in manager.followUpdates(rate: rate) {
            try show(update)
            if update.frame != nil { left -= 1 }
            if left == 0 { return }
        }
    }

    private func show(_ update: FollowUpdate) throws {
        if let frame = update.frame {
            switch format {
            case .text: Terminal.say(TextFormat.line(frame))
            case .json: Terminal.say(try LocationFormat.encode(frame))
            }
        }
        try Watch.reportObstacle(in: update, asJSON: format == .json)
    }
}
