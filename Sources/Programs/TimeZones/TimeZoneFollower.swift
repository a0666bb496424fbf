package import LocationModel

/// Decides when the machine's time zone follows its location.
///
/// A state machine without effects. It takes locations with their time zones and returns the zone to set: one in which the machine
/// has been for ten minutes without a location elsewhere, or of which that is unsure. A machine that stays where it is gets no further
/// location, so the last one is to be given again after ``wait``. A zone that somebody else sets stays until the machine has been in
/// another one, which makes an undo of what somebody sets the old zone.
package struct TimeZoneFollower: Sendable {
    /// The time in another zone after which the machine's follows.
    package static let stay = Duration.seconds(600)

    /// What outlasts a restart. It has names of zones and no positions.
    package struct Memory: Hashable, Codable, Sendable {
        /// The machine's time zone at the last location; `nil` before the first.
        package var machineZone: String?
        /// The zone of the last location that was in one; `nil` before the first.
        package var place: String?
        /// The zone that is not set, because somebody else set another one there; `nil` for none.
        package var quietZone: String?

        package init() {}
    }

    package private(set) var memory: Memory
    /// The zone of the last location, the times of the first one of a stay there and of the last one, and whether it is the machine's.
    private var stay: (zone: String, since: Timestamp, last: Timestamp, isMachineZone: Bool)?

    /// The time after which the last location, if no other one comes, is to be given again; `nil` if that changes nothing.
    package var wait: Duration? {
        guard let stay, stay.zone != memory.quietZone, !stay.isMachineZone || memory.quietZone != nil else {
            return nil
        }
        return max(.zero, Self.stay - stay.last.duration(since: stay.since))
    }

    package init(memory: Memory = Memory()) { self.memory = memory }

    /// Processes a location.
    ///
    /// - Parameters:
    ///   - zone: its time zone; `nil` if that is undecided.
    ///   - time: its time.
    ///   - machineZone: the name of the machine's time zone; `nil` if it has none.
    ///   - isMachineZone: true if both are the same zone, perhaps under two names.
    /// - Returns: the zone to set, or `nil`.
    package mutating func receive(
        zone: String?, at time: Timestamp, machineZone: String?, isMachineZone: Bool
    ) -> String? {
        if let known = memory.machineZone, known != machineZone {
            // Set by somebody else.
            stay = nil
            memory.quietZone = zone ?? memory.place
        }
        memory.machineZone = machineZone
        guard let zone else {
            stay = nil
            return nil
        }
        memory.place = zone
        guard let stay, stay.zone == zone, time >= stay.since else {
            stay = (zone, time, time, isMachineZone)
            return nil
        }
        self.stay = (zone, stay.since, time, isMachineZone)
        guard time.duration(since: stay.since) >= Self.stay else { return nil }
        guard zone != memory.quietZone else { return nil }
        memory.quietZone = nil
        return isMachineZone ? nil : zone
    }

    /// Notes that the returned zone was set.
    package mutating func hasSet(_ zone: String) {
        memory.machineZone = zone
        stay?.isMachineZone = true
    }

    /// Notes that the returned zone could not be set. It is returned again after another stay.
    package mutating func hasFailed() { stay = stay.map { ($0.zone, $0.last, $0.last, $0.isMachineZone) } }
}
