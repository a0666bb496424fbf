import LocationPolicy

extension UsageWatch {
    /// What is known of one watched process.
    struct Entry {
        /// How many want to know.
        var count = 1
        /// Waits for its end.
        var exit: DescriptorPoller.Watch?
        var isBackgroundActivityShown = false

        private(set) var inUse = InUse()
        private(set) var hasTerminal = false
        private var hasLostTerminal = false
        /// Whether there has been evidence yet, and what was said about it last.
        private var hasEvidence = false
        private var reported: Bool?

        /// Gathers evidence, unless logind has yet to answer.
        mutating func update(_ process: WatchedProcess, login: any LoginSource, at instant: ContinuousClock.Instant) {
            guard let evidence = evidence(process, login: login) else { return }
            hasEvidence = true
            inUse.update(evidence, at: instant)
        }

        /// Whether it is in use, if that has not been said yet.
        mutating func takeReport(at instant: ContinuousClock.Instant) -> Bool? {
            let isInUse = inUse.isInUse(at: instant)
            guard hasEvidence, reported != isInUse else { return nil }
            reported = isInUse
            return isInUse
        }

        /// `nil` while logind is being asked.
        private mutating func evidence(_ process: WatchedProcess, login: any LoginSource) -> UsageEvidence? {
            let place = login.place(of: process.processID)
            let terminal = terminal(of: process)
            // What was read is about this process only if that still has the id.
            if process.hasExited { return UsageEvidence(place: .background) }
            return place.map {
                UsageEvidence(place: $0, terminal: terminal, isBackgroundActivityShown: isBackgroundActivityShown)
            }
        }

        /// A terminal that is closed leaves its background jobs without one. That does not make them used.
        private mutating func terminal(of process: WatchedProcess) -> UsageEvidence.Terminal {
            let terminal = ProcessStatus(processID: process.processID)?.terminalUsage ?? .background
            if terminal == .none {
                hasLostTerminal = hasLostTerminal || hasTerminal
            } else {
                hasLostTerminal = false
            }
            hasTerminal = terminal != .none
            return hasLostTerminal ? .background : terminal
        }
    }
}
