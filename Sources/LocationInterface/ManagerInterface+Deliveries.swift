extension ManagerInterface {
    /// The outcomes of all deliveries since the service started.
    ///
    /// They balance: ``offered`` plus ``repeated`` equals ``delivered`` plus ``skipped`` plus ``filtered`` plus
    /// ``forbidden``.
    public struct Deliveries: Codable, Hashable, Sendable {
        /// The locations that arrived while they were needed.
        public var publications: Int
        /// The sum of the numbers of open `Subscribe` calls, over all publications.
        public var offered: Int
        /// Offers to a single `Subscribe` call between two publications: the current location when it starts or resumes,
        /// and each reduced location when it is released.
        public var repeated: Int
        /// Offers that were sent.
        public var delivered: Int
        /// Offers that were due while the client did not read.
        public var skipped: Int
        /// Offers that the call's own filters rejected, and publications to calls with reduced accuracy.
        public var filtered: Int
        /// Offers without access at that moment.
        public var forbidden: Int
        /// The locations that answered `GetLocation`.
        public var answered: Int
        /// The frames that were sent.
        public var frames: Int
        /// The frames that were due while the client did not read.
        public var framesSkipped: Int

        /// Counts; none is negative.
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
