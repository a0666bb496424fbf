import LinuxPlumbing
import LocationPolicy

extension ProcessStatus {
    /// The relation of the process to its controlling terminal.
    var terminalUsage: UsageEvidence.Terminal {
        if terminal == 0 { .none } else if group == foregroundGroup { .foreground } else { .background }
    }
}
