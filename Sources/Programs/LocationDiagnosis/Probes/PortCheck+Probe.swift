import Glibc
import POSIXSupport

extension PortCheck {
    /// Reads the listening ports of this machine, and who holds those of gpsd.
    ///
    /// - Parameter ports: the ports of gpsd.
    package static func probe(ports: Set<UInt16> = [standardPort]) -> PortCheck {
        guard let table = SmallFile.text("/proc/net/tcp") else {
            return PortCheck(listeners: .hidden("/proc/net/tcp cannot be read"))
        }
        // Without IPv6 in the kernel there is no tcp6.
        let tables = [table, SmallFile.text("/proc/net/tcp6") ?? ""]
        let sockets = tables.flatMap(TCPListener.sockets(inTable:))
        var check = PortCheck(listeners: .seen(sockets.map(\.listener)))
        check.ports = ports
        let port = GPSDPort.probe()
        check.served = port.listens
        check.unserved = port.isMissing ? port.unit.value?.activeState : nil
        let open = sockets.filter { check.open.contains($0.listener) }
        let processes = PortHolder.processes(holding: Set(open.map(\.inode)))
        for socket in open {
            check.holders[socket.listener] = PortHolder(processes[socket.inode], userID: socket.userID)
        }
        return check
    }
}

extension PortHolder {
    /// The processes that hold sockets, by inode. Those of other users are visible to root only.
    fileprivate static func processes(holding inodes: Set<UInt64>) -> [UInt64: (name: String, id: Int32)] {
        guard !inodes.isEmpty else { return [:] }
        let links = Dictionary(uniqueKeysWithValues: inodes.map { ("socket:[\($0)]", $0) })
        var found: [UInt64: (name: String, id: Int32)] = [:]
        for process in ((try? DirectoryListing.names(in: "/proc")) ?? []).compactMap({ Int32($0) }) {
            for descriptor in (try? DirectoryListing.names(in: "/proc/\(process)/fd")) ?? [] {
                guard let inode = link("/proc/\(process)/fd/\(descriptor)").flatMap({ links[$0] }) else { continue }
                let name = SmallFile.text("/proc/\(process)/comm")?.dropLast() ?? "a program"
                // systemd holds what it passes to gpsd: gpsd is the better name, but another program is not to hide behind it.
                if found[inode].map({ ["gpsd", "systemd", "init"].contains($0.name) }) ?? true {
                    found[inode] = (String(name), process)
                }
            }
        }
        return found
    }

    private static func link(_ path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = readlink(path, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
