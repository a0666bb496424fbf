import Glibc
import LocationPolicy

/// What `/proc/PID/stat` says of a process: proc(5).
struct ProcessStatus: Equatable {
    /// Its process group.
    var group: Int32
    /// Its controlling terminal's device number; 0 if it has none.
    var terminal: Int32
    /// The foreground process group of that terminal; −1 if there is none.
    var foregroundGroup: Int32
    /// When it started, in clock ticks since boot: with the process id the name of a process for good.
    var startTime: UInt64

    /// Takes the fields from the one line of the file.
    init?(_ line: String) {
        // The second field is the program's name in parentheses, with anything in it.
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
    init?(processID: Int32) {
        let descriptor = open("/proc/\(processID)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The kernel writes the line at once, and it is far shorter.
        let line = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
        guard let line else { return nil }
        self.init(line)
    }

    /// How the process stands to its controlling terminal.
    var terminalUsage: UsageEvidence.Terminal {
        if terminal == 0 { .none } else if group == foregroundGroup { .foreground } else { .background }
    }
}
