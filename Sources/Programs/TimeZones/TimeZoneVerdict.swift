package import LocationModel

/// The time zone at a location, or why it is undecided.
package enum TimeZoneVerdict: Hashable, Sendable {
    case zone(String)
    /// The location is less accurate than the lookup allows. Metres.
    case inaccurate(Double)
    /// The zones that the location may be in, sorted. Their clocks differ.
    case border([String])
    /// At least a part of where the location may be is in no zone: the sea, Antarctica.
    case unassigned

    /// The assumed accuracy of a location without one, in metres: that of an approximate location.
    package static let assumedRadius = 9000.0

    /// - Parameter showSameTime: true if the clocks of two zones show the same time from now on.
    package init(_ nearby: NearbyTimeZones, showSameTime: (String, String) -> Bool) {
        guard let middle = nearby.middle, !nearby.includesUnassigned else {
            self = .unassigned
            return
        }
        let isDecided = nearby.names.allSatisfy { showSameTime($0, middle) }
        self = isDecided ? .zone(middle) : .border(nearby.names.sorted())
    }
}

extension TimeZoneGrid {
    /// Returns the zones that a location may be in; `nil` if it is not accurate enough to decide.
    package func zones(at location: Location) -> NearbyTimeZones? {
        let radius = location.horizontalAccuracy ?? TimeZoneVerdict.assumedRadius
        return radius <= Self.largestRadius ? zones(around: location.coordinate, radius: radius) : nil
    }

    /// Decides in which zone a location is.
    package func verdict(on location: Location, by database: TimeZoneDatabase) -> TimeZoneVerdict {
        guard let nearby = zones(at: location) else { return .inaccurate(location.horizontalAccuracy ?? .infinity) }
        return TimeZoneVerdict(nearby, showSameTime: database.showSameTime)
    }
}

extension NearbyTimeZones {
    /// The zone for a follower of the location; `nil` if it is undecided. The machine's zone where the location may be in it.
    package func followed(machineZone: String?, by database: TimeZoneDatabase) -> (zone: String?, isMachineZone: Bool) {
        guard case .zone(let zone) = TimeZoneVerdict(self, showSameTime: database.showSameTime) else {
            return (nil, false)
        }
        guard let machineZone, let same = names.sorted().first(where: { database.isSame($0, machineZone) }) else {
            return (zone, false)
        }
        return (same, true)
    }
}
