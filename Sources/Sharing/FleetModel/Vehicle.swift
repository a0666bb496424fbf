package import LocationModel
import TextSupport

/// A vehicle as its messages describe it. What it is at a moment is a function of that moment: see ``state(at:)``.
package struct Vehicle: Hashable, Sendable {
    /// The topic of its positions at the broker, which identifies it.
    package let topic: String
    /// The name that it gives itself, as it was written; `nil` if it gives none. It may be the name of another one.
    package internal(set) var givenName: String?
    /// The newest position.
    package internal(set) var position: FleetPosition
    /// The moment at which the broker drops the position, as it does at the end of a share; `nil` if it keeps it.
    package internal(set) var expires: Timestamp?
    /// The times between its last positions in seconds, the newest last; 0 for one that is not known yet.
    var intervals = SIMD4<Double>.zero
    /// True if the position is the broker's own copy, which shows when the vehicle reported last, and not how often it does.
    private var isCopy: Bool
    /// True if it has moved since the position before, by more than the positions are uncertain.
    var hasMoved = false
    /// True if the broker has lost its connection to the vehicle since the last position.
    package internal(set) var isConnectionLost = false
    /// The identifiers of the areas in which it is.
    package internal(set) var inside: Set<String> = []
    /// Those of the areas of which its positions have not told the side yet.
    var undecided: Set<String> = []

    init(topic: String, position: FleetPosition, isCopy: Bool) {
        (self.topic, self.position, self.isCopy) = (topic, position, isCopy)
    }

    /// The user and device of its topic, as `fleet/van7`, which no other vehicle has. Characters that are unsafe to show are escaped.
    package var label: String { Self.label(of: topic) }

    /// The name that it gives itself, in a form that is safe to show; `nil` if it gives none.
    package var shownName: String? { givenName.map(Self.shown) }

    package static func label(of topic: String) -> String {
        String(Substring(topic.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst())).escapingUnsafe
    }

    /// A name in a form that is safe to show.
    package static func shown(_ name: String) -> String { name.escapingUnsafe }

    /// True if its name contains a text, in whatever case.
    package func matches(_ text: String) -> Bool {
        let text = text.lowercased()
        return text.isEmpty || label.lowercased().contains(text) || shownName?.lowercased().contains(text) == true
    }
}

// MARK: At a moment

/// The movement of a vehicle, as far as its messages show it.
package enum VehicleState: String, Hashable, Sendable, CaseIterable, Encodable {
    /// It reports, and moves.
    case moving
    /// It reports, and stands.
    case stopped
    /// Two reports or more are overdue.
    case stale
    /// It has not reported for long, or the broker has lost its connection.
    case offline
}

extension Vehicle {
    /// The least speed of a vehicle that moves, in metres a second: receivers that stand report up to 2 km/h.
    static let leastSpeed = 1.0
    /// The time between positions of a sender of which no two are known, in seconds: the longest of a vehicle's share.
    static let usualInterval = 60.0
    /// The longest time between positions that is learnt, in seconds. Phones that stand report every half an hour.
    static let longestInterval = 7200.0
    /// The least age of an offline vehicle, in seconds.
    static let leastOfflineAge = 900.0
    /// The longest time for which a position is extrapolated, in seconds, whatever the interval.
    static let longestExtrapolation = 60.0

    /// The time between two positions that is expected of this vehicle, in seconds: the longest of the last ones. `nil` until two
    /// positions are known.
    package var interval: Double? {
        let longest = intervals.max()
        return longest > 0 ? longest : nil
    }

    /// The age of the position, in seconds, 0 or more.
    package func age(at now: Timestamp) -> Double {
        max(0, now.duration(since: position.location.timestamp) / .seconds(1))
    }

    /// True if the broker no longer shows the position: the share has ended.
    package func isOver(at now: Timestamp) -> Bool { expires.map { $0 <= now } ?? false }

    /// The state at a moment.
    ///
    /// With *i* the interval of the sender, 60 s until it is known: up to an age of 2 *i*, at least 30 s, the vehicle moves or stands;
    /// then it is stale, and from 3 *i*, at least 15 minutes, offline. It is offline at once when the broker reports that its connection
    /// was lost. A position with a speed below 3.6 km/h stands; one without a speed, which apps leave out when it is 0, moves if it is
    /// farther from the one before than both are uncertain.
    package func state(at now: Timestamp) -> VehicleState {
        let age = age(at: now)
        if isConnectionLost || age >= offlineAge { return .offline }
        if age > staleAge { return .stale }
        return (position.location.speed.map { $0 >= Self.leastSpeed } ?? hasMoved) ? .moving : .stopped
    }

    /// The age up to which it moves or stands, in seconds.
    private var staleAge: Double { max(2 * (interval ?? Self.usualInterval), 30) }

    /// The age from which on it is offline, in seconds.
    private var offlineAge: Double { max(3 * (interval ?? Self.usualInterval), Self.leastOfflineAge) }

    /// The earliest moment at which it may be in another state than `state`, or its share over, without another message; `nil`
    /// if it remains as it is.
    package func nextChange(after state: VehicleState) -> Timestamp? {
        let age: Double? =
            switch state {
            case .moving, .stopped: staleAge
            case .stale: offlineAge
            case .offline: nil
            }
        let change = age.map { position.location.timestamp.advanced(by: .seconds($0)) }
        return [change, expires].compactMap(\.self).min()
    }

    /// The position to which the speed and course lead; `nil` unless the vehicle moves and both are known.
    ///
    /// It continues for the sender's interval at most, and for a minute at most, and then stays there until the vehicle is stale.
    package func extrapolatedCoordinate(at now: Timestamp) -> Coordinate? {
        guard state(at: now) == .moving, let interval, let speed = position.location.speed,
            let course = position.location.course
        else { return nil }
        let seconds = min(age(at: now), interval, Self.longestExtrapolation)
        return seconds > 0 ? position.location.coordinate.destination(distance: speed * seconds, bearing: course) : nil
    }
}

// MARK: The next position

extension Vehicle {
    /// Takes a position that is not older than the one before.
    mutating func take(_ next: FleetPosition, isRetained: Bool) {
        let (old, new) = (position.location, next.location)
        let seconds = new.timestamp.duration(since: old.timestamp) / .seconds(1)
        if seconds > 0, !isCopy, !isRetained {
            // After a night without a report the last ones show nothing. If it reports so rarely from now on, the next one shows it.
            let wasOffline = seconds >= offlineAge
            intervals =
                wasOffline && interval != nil
                ? .zero : SIMD4(intervals[1], intervals[2], intervals[3], min(seconds, Self.longestInterval))
        }
        if new.speed == nil, seconds > 0 {
            let uncertainty = max(50, (old.horizontalAccuracy ?? 0) + (new.horizontalAccuracy ?? 0))
            let distance = old.coordinate.distance(to: new.coordinate)
            hasMoved = distance > uncertainty && distance / seconds >= Self.leastSpeed
        }
        (position, isCopy, isConnectionLost) = (next, isRetained, false)
    }
}
