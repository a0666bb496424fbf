@preconcurrency import Glibc
import LinuxPlumbing
import LocationUsage
import Logging
import NIOCore
import NIOPosix

/// Prints the reports of a `UsageMonitor`, for the system tests.
///
/// Reads commands, one a line: `watch PID`, `unwatch PID`, `ask PID`, `show PID` and `hide PID` (background activity),
/// and `cost`. Ends with its input.
@main struct UsageProbe {
    static func main() throws {
        setvbuf(stdout, nil, _IOLBF, 0)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let logger = Logger(label: "probe") { StreamLogHandler.standardError(label: $0) }
        let monitor = UsageMonitor(eventLoop: eventLoop, logger: logger) { events in
            for event in events {
                switch event {
                case .changed(let process, let isInUse): print(process.processID, isInUse ? "in use" : "not in use")
                case .exited(let process): print(process.processID, "exited")
                }
            }
        }
        while let line = readLine() {
            let words = line.split(separator: " ")
            guard let command = words.first else { continue }
            if command == "cost" {
                print("cost", openDescriptors())
                continue
            }
            guard words.count == 2, let id = Int32(words[1]), let process = WatchedProcess(processID: id) else {
                print("no such process:", line)
                continue
            }
            try eventLoop.submit {
                switch command {
                case "watch": monitor.watch(process)
                case "unwatch": monitor.unwatch(process)
                case "ask": print(id, "asked:", monitor.isInUse(process) ? "in use" : "not in use")
                case "show": monitor.setBackgroundActivity(process, isShown: true)
                case "hide": monitor.setBackgroundActivity(process, isShown: false)
                default: print("no such command:", line)
                }
            }.wait()
        }
        try eventLoop.submit { monitor.shutdown() }.wait()
        try group.syncShutdownGracefully()
    }

    /// The number of open descriptors.
    private static func openDescriptors() -> Int {
        (0..<256).count { fcntl($0, F_GETFD) >= 0 }
    }
}
