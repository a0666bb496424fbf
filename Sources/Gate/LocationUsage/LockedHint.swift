import Glibc
import LinuxPlumbing

/// The lock of one session, as logind reports it.
final class LockedHint {
    private static let action = "asking logind"
    private static let property = "LockedHint"
    /// logind needs milliseconds.
    private static let timeout = Duration.seconds(5)

    /// The lock; `nil` before the first answer.
    private(set) var isLocked: Bool?
    private let onAnswer: (SystemdError?) -> Void
    /// The pending query; releasing it cancels it.
    private var question: BusConnection.Slot?

    /// Calls `onAnswer` after each answer, with an error if logind cannot be asked.
    init(onAnswer: @escaping (SystemdError?) -> Void) {
        self.onAnswer = onAnswer
    }

    /// Queries the session at `path` on the bus.
    func ask(bus: BusConnection, path: String) {
        question = bus.call(
            "Get", of: "org.freedesktop.DBus.Properties", at: path, of: "org.freedesktop.login1", timeout: Self.timeout
        ) {
            $0.append("org.freedesktop.login1.Session")
            $0.append(Self.property)
        } handler: { [weak self] in
            self?.receive($0)
        }
        if question == nil { onAnswer(SystemdError(Self.action, -EIO)) }
    }

    private func receive(_ answer: IncomingMessage) {
        if answer.errorName == "org.freedesktop.DBus.Error.UnknownObject" {
            // The session has ended, so nobody is in front of it.
            isLocked = true
            return onAnswer(nil)
        }
        guard answer.errorName == nil, let value = Self.readVariant(answer) else {
            return onAnswer(SystemdError(Self.action, answer.errorName == nil ? -EBADMSG : -answer.errorCode))
        }
        isLocked = value
        onAnswer(nil)
    }

    /// Reads the new value from a `PropertiesChanged` signal (`sa{sv}as`) of the session. Returns true if it was in it.
    func takeChange(from message: IncomingMessage) -> Bool {
        guard message.readText() != nil else { return false }
        var value: Bool?
        message.readEntries { name in
            guard name == Self.property else { return false }
            value = Self.readVariant(message)
            return true
        }
        guard let value else { return false }
        isLocked = value
        // Ignore the pending answer, which may be older.
        question = nil
        return true
    }

    private static func readVariant(_ message: IncomingMessage) -> Bool? {
        message.readVariant(of: "b") { message.readWord(BusType.boolean) }.map { $0 != 0 }
    }
}
