/// Which units of a user's service manager hold applications that the user started, rather than services.
///
/// Desktops start each application in a unit of its own below `app.slice`, named `app-[LAUNCHER-]APPLICATION…`
/// (systemd's *Desktop Environment Integration*). But `app.slice` is also where every user service lands that does not
/// say otherwise, so the slice alone tells nothing.
public enum ApplicationUnit {
    /// Whether `unit`, in `slice`, holds an application.
    ///
    /// It does if it is below `app.slice` and either follows the naming or is a scope: the manager starts services by
    /// itself, but a scope holds what some program of the user started, such as the shells of terminal windows and
    /// of terminal multiplexers. Services that the message bus starts (`dbus-….service`) are not applications: nobody
    /// can tell which of them have a window. Their author can, by naming `SystemdService=app-….service`.
    ///
    /// - Parameter mayBeActivated: whether the message bus may have started it, because it speaks a protocol whose programs
    ///   have windows. GNOME's applications are started so: dbus-daemon starts them within its own `dbus.service`,
    ///   dbus-broker in units of their own, and the desktop portal speaks for those in sandboxes.
    public static func isApplication(unit: String, slice: String, mayBeActivated: Bool = false) -> Bool {
        if mayBeActivated, isActivated(unit) { return true }

        guard slice == "app.slice" || (slice.hasPrefix("app-") && slice.hasSuffix(".slice")) else { return false }
        return unit.hasSuffix(".scope") || (unit.hasPrefix("app-") && unit.hasSuffix(".service"))
    }

    /// Whether the message bus starts what is in a unit.
    private static func isActivated(_ unit: String) -> Bool {
        unit == "dbus.service" || unit == "xdg-desktop-portal.service"
            || (unit.hasPrefix("dbus-") && unit.hasSuffix(".service"))
    }
}
