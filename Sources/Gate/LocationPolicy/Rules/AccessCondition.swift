/// A condition of an ``AccessRule``.
public enum AccessCondition: Hashable, Sendable {
    /// `Hours` and `Days`: the local time is within these hours.
    case during(WeeklyHours)
    /// `Inside`: the location to be delivered is inside the user's place of this name.
    case inside(String)
    /// `Outside`: the location to be delivered is outside the user's place of this name.
    case outside(String)
    /// `OnBattery`: the machine runs on its battery.
    case onBattery
    /// `SessionLocked`: the screens of all sessions of the user are locked, or the user has no session.
    case sessionLocked
    /// `NobodyPresent`: no one is at the machine: every session on a seat is idle or locked, or there is none.
    case nobodyPresent

    /// The name of the place; `nil` if the condition is about something else.
    public var place: String? {
        switch self {
        case .inside(let place), .outside(let place): place
        case .during, .onBattery, .sessionLocked, .nobodyPresent: nil
        }
    }

    /// True if the condition holds; `nil` if that is in doubt.
    public func holds(in surroundings: Surroundings) -> Bool? {
        switch self {
        case .during(let hours): surroundings.localTime.map(hours.contains)
        case .inside(let place): surroundings.isInside(place)
        case .outside(let place): surroundings.isInside(place).map { !$0 }
        case .onBattery: surroundings.isOnBattery
        case .sessionLocked: surroundings.isSessionLocked
        case .nobodyPresent: surroundings.isAnybodyPresent.map { !$0 }
        }
    }
}

/// The values at one moment on which the conditions of rules depend. Unknown values are in doubt, and a rule whose conditions
/// are in doubt applies.
public struct Surroundings: Hashable, Sendable {
    /// The local time; `nil` if unknown.
    public var localTime: LocalTime?
    /// True if the machine runs on its battery, false on mains or without a battery; `nil` if unknown.
    public var isOnBattery: Bool?
    /// True if the screens of all sessions of the user are locked, or there is no session; `nil` if unknown.
    public var isSessionLocked: Bool?
    /// True if someone is at the machine; `nil` if unknown.
    public var isAnybodyPresent: Bool?
    /// The placement of the location to be delivered relative to the user's places, by their names. A missing place is in
    /// doubt.
    public var placements: [String: Placement]

    /// Surroundings of which nothing is known, unless stated otherwise.
    public init(
        localTime: LocalTime? = nil, isOnBattery: Bool? = nil, isSessionLocked: Bool? = nil,
        isAnybodyPresent: Bool? = nil, placements: [String: Placement] = [:]
    ) {
        self.localTime = localTime
        self.isOnBattery = isOnBattery
        self.isSessionLocked = isSessionLocked
        self.isAnybodyPresent = isAnybodyPresent
        self.placements = placements
    }

    fileprivate func isInside(_ place: String) -> Bool? {
        switch placements[place] {
        case .inside: true
        case .outside: false
        case .inDoubt, nil: nil
        }
    }
}

/// The relation of a location to a place.
public enum Placement: Hashable, Sendable, CaseIterable {
    /// Certainly inside.
    case inside
    /// Certainly outside, and outside of the randomised margin (``ConcealedZone``).
    case outside
    /// In the margin, or too inaccurate to decide.
    case inDoubt
}
