import LinuxPlumbing
import CSystemd

/// The lock of one session, as logind reports it.
final class LockedHint {
    private static let action = "asking logind"
    private static let property = "LockedHint"
    /// Type codes of the bus: sd_bus_message_append_basic(3).
    private static let string = CChar(UInt8(ascii: "s"))
    private static let boolean = CChar(UInt8(ascii: "b"))
    private static let variant = CChar(UInt8(ascii: "v"))
    private static let array = CChar(UInt8(ascii: "a"))
    private static let entry = CChar(UInt8(ascii: "e"))

    /// The lock; `nil` before the first answer.
    private(set) var isLocked: Bool?
    private let onAnswer: (SystemdError?) -> Void
    /// The pending query; releasing it cancels it.
    private var question: OpaquePointer?

    /// Calls `onAnswer` after each answer, with an error if logind cannot be asked.
    init(onAnswer: @escaping (SystemdError?) -> Void) {
        self.onAnswer = onAnswer
    }

    deinit { sd_bus_slot_unref(question) }

    /// Queries the session at `path` on the bus.
    func ask(bus: OpaquePointer, path: UnsafePointer<CChar>) {
        var message: OpaquePointer?
        defer { sd_bus_message_unref(message) }
        do throws(SystemdError) {
            try SystemdError.check(
                Self.action,
                sd_bus_message_new_method_call(
                    bus, &message, "org.freedesktop.login1", path, "org.freedesktop.DBus.Properties", "Get"))
            for word in ["org.freedesktop.login1.Session", Self.property] {
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
            // The session has ended, so nobody is in front of it.
            isLocked = true
            return onAnswer(nil)
        }
        do throws(SystemdError) {
            try SystemdError.check(Self.action, -sd_bus_message_get_errno(message))
            isLocked = try Self.readVariant(message)
        } catch {
            return onAnswer(error)
        }
        onAnswer(nil)
    }

    /// Reads the new value from a `PropertiesChanged` signal (`sa{sv}as`) of the session. Returns true if it was in it.
    func takeChange(from message: OpaquePointer) -> Bool {
        var name: UnsafePointer<CChar>?
        guard sd_bus_message_skip(message, "s") >= 0,
            sd_bus_message_enter_container(message, Self.array, "{sv}") > 0
        else { return false }
        while sd_bus_message_enter_container(message, Self.entry, "sv") > 0 {
            guard sd_bus_message_read_basic(message, Self.string, &name) > 0, let name else { return false }
            if String(cString: name) == Self.property {
                guard let value = try? Self.readVariant(message) else { return false }
                isLocked = value
                // Ignore the pending answer, which may be older.
                question = sd_bus_slot_unref(question)
                return true
            }
            guard sd_bus_message_skip(message, "v") >= 0, sd_bus_message_exit_container(message) >= 0 else { break }
        }
        return false
    }

    private static func readVariant(_ message: OpaquePointer) throws(SystemdError) -> Bool {
        var value: Int32 = 0
        try SystemdError.check(action, sd_bus_message_enter_container(message, variant, "b"))
        try SystemdError.check(action, sd_bus_message_read_basic(message, boolean, &value))
        return value != 0
    }
}
