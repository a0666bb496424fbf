@preconcurrency import Glibc
import LinuxPlumbing
import LocationUsage
import Logging
import NIOCore
import NIOPosix

/// Prints the reports of a `UsageMonitor` and of a `SurroundingsMonitor`, for the system tests.
///
/// Reads commands, one a line: `watch PID`, `unwatch PID`, `ask PID`, `show PID` and `hide PID` (background activity),
/// `surroundings UID` (from then on) or `surroundings` (no longer), and `cost`. Ends with its input.
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
        let surroundings = try eventLoop.submit {
            let monitor = SurroundingsMonitor(bus: SystemBus(eventLoop: eventLoop))
            return NIOLoopBound(monitor, eventLoop: eventLoop)
        }.wait()
        while let line = readLine() {
            let words = line.split(separator: " ")
            guard let command = words.first else { continue }
            if command == "surroundings" {
                let user = words.count == 2 ? UInt32(words[1]) : nil
                try eventLoop.submit { watch(surroundings.value, for: user) }.wait()
                continue
            }
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
        try eventLoop.submit {
            monitor.shutdown()
            watch(surroundings.value, for: nil)
        }.wait()
        try group.syncShutdownGracefully()
    }

    /// Prints what is known of the surroundings of a user, now and after each change; nothing without a user.
    private static func watch(_ monitor: SurroundingsMonitor, for user: UInt32?) {
        func word(_ value: Bool?) -> String { value.map { $0 ? "yes" : "no" } ?? "unknown" }
        monitor.onChange = { [unowned monitor] in
            guard let user else { return }
            print("locked", word(monitor.isSessionLocked(of: user)), "present", word(monitor.isAnybodyPresent()))
        }
        monitor.watch(user == nil ? [] : Set(SurroundingsKind.allCases))
        monitor.onChange()
    }

    /// The number of open descriptors.
    private static func openDescriptors() -> Int {
        (0..<256).count { fcntl($0, F_GETFD) >= 0 }
    }
}
