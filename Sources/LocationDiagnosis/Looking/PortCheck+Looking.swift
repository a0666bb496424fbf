extension PortCheck {
    /// Looks at every listening port of this machine.
    package static func look() -> PortCheck {
        guard let table = SmallFile.text("/proc/net/tcp") else {
            return PortCheck(listeners: .hidden("/proc/net/tcp cannot be read"))
        }
        // There is no tcp6 where the kernel has no IPv6.
        let tables = [table, SmallFile.text("/proc/net/tcp6") ?? ""]
        return PortCheck(listeners: .seen(tables.flatMap(TCPListener.listeners(inTable:))))
    }
}
