import Glibc
import POSIXSupport

/// Keeps the programs of users from gpsd's port while gpsd has let go of it and the service does not have it yet, and the other
/// way round: as long as it lasts, only root may listen at ports up to gpsd's (ip_unprivileged_port_start, ip-sysctl in the
/// kernel's documentation). Open listeners continue.
struct PortReservation {
    static let standardFile = "/proc/sys/net/ipv4/ip_unprivileged_port_start"

    private let file: String
    /// The value before; `nil` if it was not changed.
    private let before: String?
    /// What the signals that end a program did before.
    private var actions: [Int32: sigaction] = [:]

    /// Begins. Where the setting cannot be changed, the port is taken without it, and a holder is named if that fails.
    init(file: String = standardFile) {
        self.file = file
        guard let text = SmallFile.text(file), let value = Int(text.prefix { $0.isNumber }),
            value <= Int(PortCheck.standardPort)
        else {
            before = nil
            return
        }
        // The value is put back, whoever interrupts this.
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            var (ignoring, old) = (sigaction(), sigaction())
            ignoring.__sigaction_handler.sa_handler = SIG_IGN
            if sigaction(signal, &ignoring, &old) == 0 { actions[signal] = old }
        }
        before = Self.write("\(PortCheck.standardPort + 1)\n", to: file) ? text : nil
    }

    func end() {
        if let before { _ = Self.write(before, to: file) }
        for (signal, action) in actions { withUnsafePointer(to: action) { _ = sigaction(signal, $0, nil) } }
    }

    private static func write(_ text: String, to file: String) -> Bool {
        let descriptor = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
    }
}
