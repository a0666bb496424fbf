import CommandLineSupport
import DesktopNotifications
import FleetModel
import LinuxPlumbing
import Localization
import Synchronization

/// Notifications of the desktop about vehicles that have entered or left an area. Without a desktop there are none.
final class FleetNotices: Sendable {
    /// The least time between two notifications. What happens meanwhile is in the next one.
    private let pause: Duration
    /// The greatest number of lines of a notification.
    private static let mostLines = 5

    private let bus: BusConnection.Bus
    private let waiting = Mutex<[FleetAlarm]>([])
    private let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(on bus: BusConnection.Bus = .session, pause: Duration = .seconds(2)) { (self.bus, self.pause) = (bus, pause) }

    /// Takes alarms, which are shown soon.
    func show(_ alarms: [FleetAlarm]) {
        waiting.withLock { $0 = ($0 + alarms).suffix(FleetAlarm.mostKept) }
        continuation.yield()
    }

    /// Shows what waits until the task is cancelled.
    func run() async {
        for await _ in signals {
            let alarms = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            guard !alarms.isEmpty else { continue }
            await show(Self.words(about: alarms))
            try? await Task.sleep(for: pause)
        }
    }

    /// The summary and the lines below it. Names are text, also with characters that are unsafe to show.
    static func words(about alarms: [FleetAlarm], in texts: Catalogue = .current) -> (summary: String, lines: [String])
    {
        let lines = alarms.map { alarm in
            texts.text(
                alarm.kind == .entered ? "{vehicle} entered {area}" : "{vehicle} left {area}",
                ["vehicle": alarm.vehicle.label.shown(limit: 64), "area": alarm.area.name.shown(limit: 64)])
        }
        guard lines.count > 1 else { return (lines.first ?? "", []) }
        let summary = texts.text("Alarms: {number}", ["number": "\(lines.count)"])
        return (summary, lines.suffix(mostLines))
    }

    private func show(_ words: (summary: String, lines: [String])) async {
        let service = NotificationService(on: bus)
        guard (try? await service.start()) != nil else { return }
        defer { service.leave() }
        for await event in service.events {
            switch event {
            case .available(let capabilities):
                service.show(
                    DesktopNotification(summary: words.summary, body: capabilities.body(words.lines)), tag: 1)
            case .pressed, .closed: continue
            case .shown, .refused, .unavailable, .ended: return
            }
        }
    }
}
