extension ManagerInterface {
    /// What became of every location for every subscription, since the service started.
    ///
    /// ``offered`` and ``repeated`` together are ``delivered``, ``skipped``, ``filtered`` and ``forbidden`` together.
    public struct Deliveries: Codable, Hashable, Sendable {
        /// The locations that came while somebody needed them.
        public var publications: Int
        /// Over all of them: how many `Subscribe` calls were open.
        public var offered: Int
        /// Locations that had come before and were offered as a `Subscribe` call began or resumed.
        public var repeated: Int
        /// Those that were written.
        public var delivered: Int
        /// Those that were due while the client did not read.
        public var skipped: Int
        /// Those that the call's own filters left out or that a rough location did not follow.
        public var filtered: Int
        /// Those that the client could not have at that moment.
        public var forbidden: Int
        /// Locations that answered `GetLocation`.
        public var answered: Int
        /// What was written to `Follow` calls.
        public var frames: Int
        /// What was due to them while the client did not read.
        public var framesSkipped: Int

        /// Counts, none of which is negative.
        public init(
            publications: Int, offered: Int, repeated: Int, delivered: Int, skipped: Int, filtered: Int,
            forbidden: Int, answered: Int, frames: Int, framesSkipped: Int
        ) {
            self.publications = publications
            self.offered = offered
            self.repeated = repeated
            self.delivered = delivered
            self.skipped = skipped
            self.filtered = filtered
            self.forbidden = forbidden
            self.answered = answered
            self.frames = frames
            self.framesSkipped = framesSkipped
        }
    }
}
