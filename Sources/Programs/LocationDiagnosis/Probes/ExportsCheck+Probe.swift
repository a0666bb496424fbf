import POSIXSupport

extension ExportsCheck {
    /// Reads the kernel's table of shared memory and asks the system bus for its connections.
    package static func probe() -> ExportsCheck {
        // Without System V shared memory in the kernel there is no table, and no segment.
        let mode = SmallFile.text("/proc/sysvipc/shm").flatMap(mode(inTable:))
        let connections = SystemBusQuery.ask("list", "--unique", "--full", "--no-pager", "--no-legend")
        return ExportsCheck(
            segmentMode: .seen(mode),
            isOnBus: connections.map { .seen(isConnected(inList: $0)) } ?? .hidden("the system bus cannot be asked"),
            unit: UnitState.probe(at: "gpsd.service"))
    }

    /// The permissions of gpsd's segment in `/proc/sysvipc/shm` (proc(5)), whose columns begin with key, id and octal
    /// permissions.
    static func mode(inTable text: String) -> UInt32? {
        for line in text.split(separator: "\n") {
            let columns = line.split(separator: " ")
            guard columns.count > 2, Int(columns[0]) == key else { continue }
            return UInt32(columns[2], radix: 8)
        }
        return nil
    }

    /// True if a process of gpsd is in the output of `busctl list --unique`, whose third column is its name.
    static func isConnected(inList lines: [String]) -> Bool {
        lines.contains { line in
            let columns = line.split(separator: " ")
            return columns.count > 2 && columns[2] == "gpsd"
        }
    }
}
