import LinuxPlumbing
import NIOCore

/// A watch of the file with the settings, on its event loop.
struct SettingsWatch: Sendable {
    private let parts: NIOLoopBound<(DescriptorPoller, FileWatch)>
    private let eventLoop: any EventLoop

    /// Calls `onChange` after each change of the file.
    static func start(
        _ path: String, on eventLoop: any EventLoop, _ onChange: @escaping @Sendable () -> Void
    ) async throws -> SettingsWatch {
        try await eventLoop.submit {
            let poller = try DescriptorPoller(eventLoop: eventLoop, name: "settings")
            do {
                let watch = try FileWatch(path: path, poller: poller, onChange: onChange)
                return SettingsWatch(
                    parts: NIOLoopBound((poller, watch), eventLoop: eventLoop), eventLoop: eventLoop)
            } catch {
                poller.stop()
                throw error
            }
        }.get()
    }

    /// Ends the watch.
    func stop() async throws {
        try await eventLoop.submit { [parts] in
            parts.value.1.stop()
            parts.value.0.stop()
        }.get()
    }
}
