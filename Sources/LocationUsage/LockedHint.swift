import CSystemd

/// What logind said about the lock of one session.
final class LockedHint {
    private static let action = "asking logind"
    /// Types of the bus: sd_bus_message_append_basic(3).
    private static let string = CChar(UInt8(ascii: "s"))
    private static let boolean = CChar(UInt8(ascii: "b"))
    private static let variant = CChar(UInt8(ascii: "v"))

    /// `nil` until it has said something.
    private(set) var isLocked: Bool?
    private let onAnswer: (SystemdError?) -> Void
    /// The question that is open; releasing it withdraws it.
    private var question: OpaquePointer?

    /// Calls `onAnswer` after each answer, with an error if logind cannot be asked.
    init(onAnswer: @escaping (SystemdError?) -> Void) {
        self.onAnswer = onAnswer
    }

    deinit { sd_bus_slot_unref(question) }

    /// Asks about the session that is `path` on the bus, instead of any earlier question.
    func ask(bus: OpaquePointer, path: UnsafePointer<CChar>) {
        question = sd_bus_slot_unref(question)
        var message: OpaquePointer?
        defer { sd_bus_message_unref(message) }
        do throws(SystemdError) {
            try SystemdError.check(
                Self.action,
                sd_bus_message_new_method_call(
                    bus, &message, "org.freedesktop.login1", path, "org.freedesktop.DBus.Properties", "Get"))
            for word in ["org.freedesktop.login1.Session", "LockedHint"] {
                try SystemdError.check(Self.action, sd_bus_message_append_basic(message, Self.string, word))
            }
            try SystemdError.check(
                Self.action,
                sd_bus_call_async(
                    bus, &question, message,
                    { message, context, _ in
                        guard let message, let context else { return 0 }
                        Unmanaged<LockedHint>.fromOpaque(context).takeUnretainedValue().receive(message)
                        return 0
                    }, Unmanaged.passUnretained(self).toOpaque(), 0))
        } catch {
            onAnswer(error)
        }
    }

    private func receive(_ message: OpaquePointer) {
        if sd_bus_message_is_method_error(message, "org.freedesktop.DBus.Error.UnknownObject") > 0 {
            // The session is over. Nobody is in front of it.
            isLocked = true
            return onAnswer(nil)
        }
        var value: Int32 = 0
        do throws(SystemdError) {
            try SystemdError.check(Self.action, -sd_bus_message_get_errno(message))
            try SystemdError.check(Self.action, sd_bus_message_enter_container(message, Self.variant, "b"))
            try SystemdError.check(Self.action, sd_bus_message_read_basic(message, Self.boolean, &value))
        } catch {
            return onAnswer(error)
        }
        isLocked = value != 0
        onAnswer(nil)
    }
}
