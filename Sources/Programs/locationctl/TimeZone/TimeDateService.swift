import LinuxPlumbing
import NIOCore
import NIOPosix

/// systemd-timedated, which sets the machine's time zone: `org.freedesktop.timedate1` on the system's bus, which starts it.
///
/// `@unchecked Sendable` because everything except `changes` is used on `eventLoop` only.
final class TimeDateService: @unchecked Sendable {
    /// The error of a call, with the name that the bus has for it.
    struct Failure: Error, Hashable {
        var name: String
        var text: String

        fileprivate static let noConnection = Failure(name: "", text: "There is no connection to the system's bus.")

        /// What the user can do about it.
        var advice: String? {
            switch name {
            case "org.freedesktop.DBus.Error.AccessDenied",
                "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired":
                "To permit it by the rule that is installed, run: sudo apt install polkitd"
            case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.FileNotFound":
                "It needs systemd-timedated, which is in the package systemd."
            default: nil
            }
        }
    }

    private static let name = "org.freedesktop.timedate1"
    private static let path = "/org/freedesktop/timedate1"
    /// The timeout of a call, in which the bus may start the service and the user type a password.
    private static let timeout = Duration.seconds(150)

    /// An element for each change of the service's properties, for a single iteration. Ends with the connection.
    let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private var poller: DescriptorPoller?
    private var bus: BusConnection?
    private var match: BusConnection.Slot?
    /// The calls that are not answered yet, by number.
    private var calls: [Int: (slot: BusConnection.Slot, answer: EventLoopPromise<Void>)] = [:]
    private var lastCall = 0

    init() { (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Connects to the system's bus.
    func start() async throws {
        try await eventLoop.submit { try self.open() }.get()
    }

    /// Ends the connection, and the changes.
    func stop() { eventLoop.execute { self.end() } }

    /// Sets the time zone of the machine.
    ///
    /// - Parameter isInteractive: true if the user may be asked for a password.
    func setTimeZone(_ zone: String, isInteractive: Bool) async throws {
        try await eventLoop.flatSubmit { self.set(zone, isInteractive) }.get()
    }

    private func open() throws {
        let poller = try DescriptorPoller(eventLoop: eventLoop, name: "time zone")
        self.poller = poller
        do {
            let bus = try BusConnection(to: .system, eventLoop: eventLoop, poller: poller) { [weak self] _ in
                self?.end()
            }
            self.bus = bus
            match = try bus.handleSignals(
                matching: "type='signal',sender='\(Self.name)',path='\(Self.path)',"
                    + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'"
            ) { [weak self] message in
                // The bus checks the senders of broadcasts only.
                if !message.isUnicast { self?.continuation.yield() }
            }
        } catch {
            end()
            throw error
        }
    }

    private func end() {
        bus?.close()
        poller?.stop()
        let open = calls
        (bus, poller, match, calls) = (nil, nil, nil, [:])
        open.values.forEach { $0.answer.fail(Failure.noConnection) }
        continuation.finish()
    }

    private func set(_ zone: String, _ isInteractive: Bool) -> EventLoopFuture<Void> {
        lastCall += 1
        let number = lastCall
        let slot = bus?.call(
            "SetTimezone", of: Self.name, at: Self.path, of: Self.name, timeout: Self.timeout
        ) {
            $0.append(zone)
            $0.append(isInteractive)
        } handler: { [weak self] reply in
            guard let answer = self?.calls.removeValue(forKey: number)?.answer else { return }
            if let name = reply.errorName {
                answer.fail(Failure(name: name, text: reply.errorText ?? name))
            } else {
                answer.succeed()
            }
        }
        guard let slot else { return eventLoop.makeFailedFuture(Failure.noConnection) }
        let answer = eventLoop.makePromise(of: Void.self)
        calls[number] = (slot, answer)
        return answer.futureResult
    }
}
