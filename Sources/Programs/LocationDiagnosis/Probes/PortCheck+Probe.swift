import POSIXSupport

extension PortCheck {
    /// Reads the listening ports of this machine.
    package static func probe() -> PortCheck {
        guard let table = SmallFile.text("/proc/net/tcp") else {
            return PortCheck(listeners: .hidden("/proc/net/tcp cannot be read"))
        }
        // Without IPv6 in the kernel there is no tcp6.
        let tables = [table, SmallFile.text("/proc/net/tcp6") ?? ""]
        var check = PortCheck(listeners: .seen(tables.flatMap(TCPListener.listeners(inTable:))))
        // Only then can it be the service's.
        if !check.open.isEmpty { check.served = GPSDPort.probe().listens }
        return check
    }
}
