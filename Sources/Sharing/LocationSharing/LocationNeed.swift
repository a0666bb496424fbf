package import LocationModel

/// The locations that shares need, so that the service leaves out the others and this program sleeps.
package enum LocationNeed: Hashable, Sendable {
    /// Each one, also while the user stays in one place, and headings.
    case live
    /// Each one.
    case all
    /// The newest, no more often than this.
    case newest(every: Duration)
    /// Those that dead reckoning keeps.
    case track(Thinning)

    /// What several shares need together: that of one if it is the same for all, otherwise each location; `nil` for no shares.
    package init?(of needs: [LocationNeed]) {
        guard var joined = needs.first else { return nil }
        for need in needs where need != joined { joined = joined == .live || need == .live ? .live : .all }
        self = joined
    }
}

extension ShareMachine {
    /// The locations that the share needs.
    ///
    /// An arrival may be between two of them, and the cells of reduced positions are entered and left.
    package var need: LocationNeed {
        if service.isBridge { return .live }
        guard let share, share.arrival == nil, share.accuracy == .full else { return .all }
        return service.keepsTime ? .track(share.thinningInRange) : .newest(every: Self.movingInterval)
    }
}
