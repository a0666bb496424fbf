import Glibc

/// The status of a process in `/proc/PID/stat`: proc(5).
package struct ProcessStatus: Equatable {
    /// The process group.
    package var group: Int32
    /// The device number of the controlling terminal; 0 without one.
    package var terminal: Int32
    /// The foreground process group of that terminal; −1 without one.
    package var foregroundGroup: Int32
    /// The start time in clock ticks since boot. Together with the process id it identifies a process.
    package var startTime: UInt64

    /// Parses the single line of the file.
    package init?(_ line: String) {
        // The second field is the program's name in parentheses, which may contain anything.
        guard let name = line.lastIndex(of: ")") else { return nil }
        let fields = line[name...].split(separator: " ")
        guard fields.count > 20,
            let group = Int32(fields[3]), let terminal = Int32(fields[5]), let foregroundGroup = Int32(fields[6]),
            let startTime = UInt64(fields[20])
        else { return nil }
        (self.group, self.terminal) = (group, terminal)
        (self.foregroundGroup, self.startTime) = (foregroundGroup, startTime)
    }

    /// Reads the file of the process that has this id now.
    package init?(processID: Int32) {
        let descriptor = open("/proc/\(processID)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The kernel writes the line at once, and it is much shorter than this.
        let line = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
        guard let line else { return nil }
        self.init(line)
    }
}
