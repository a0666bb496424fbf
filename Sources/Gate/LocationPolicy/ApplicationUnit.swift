/// Tells applications from services among the units of a user's service manager.
///
/// Desktops start each application in a unit of its own below `app.slice`, named `app-[LAUNCHER-]APPLICATION…`
/// (systemd's *Desktop Environment Integration*). The slice alone is not sufficient, because `app.slice` is also the
/// default for user services.
public enum ApplicationUnit {
    /// True if `unit`, in `slice`, holds an application.
    ///
    /// A unit below `app.slice` is an application if it follows the naming or is a scope: the service manager starts
    /// services by itself, but a scope holds processes that a program of the user started, such as the shells of
    /// terminal windows and multiplexers. Services activated by the message bus (`dbus-….service`) are not
    /// applications, because it cannot be determined which of them have a window. The author of such a service can make it one with
    /// `SystemdService=app-….service`.
    ///
    /// - Parameter mayBeActivated: true if the message bus may have started it, because it uses a protocol for programs with
    ///   windows. GNOME's applications are started this way: dbus-daemon starts them within its own `dbus.service`,
    ///   dbus-broker in units of their own, and the desktop portal connects for those in sandboxes.
    public static func isApplication(unit: String, slice: String, mayBeActivated: Bool = false) -> Bool {
        if mayBeActivated, isActivated(unit) { return true }

        guard slice == "app.slice" || (slice.hasPrefix("app-") && slice.hasSuffix(".slice")) else { return false }
        return unit.hasSuffix(".scope") || (unit.hasPrefix("app-") && unit.hasSuffix(".service"))
    }

    /// True if a unit holds programs that the message bus has started.
    private static func isActivated(_ unit: String) -> Bool {
        unit == "dbus.service" || unit == "xdg-desktop-portal.service"
            || (unit.hasPrefix("dbus-") && unit.hasSuffix(".service"))
    }
}
