public import LocationModel

/// A rule of time, place and power: while its conditions hold, it limits the access of the clients in its scope.
///
/// A rule has nothing to grant, so it can only take away, and adding one never increases access. Several rules may apply at
/// once; their order does not matter (``RuleOutcome``).
public struct AccessRule: Hashable, Sendable, Identifiable {
    /// The author of a rule, the strongest first.
    public enum Origin: String, Hashable, Sendable, CaseIterable {
        /// `Policy.Rules` of the client's declaration.
        case client
        /// `DefaultPolicy.Rules` of the service's file.
        case machine
        /// The user's own rules.
        case user
    }

    /// Identifies a rule in lists and explanations, for one client of one user.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The author.
        public var origin: Origin
        /// The position in its file, from 1; the number that the store gave to a rule of the user, which is not used again.
        public var number: Int

        /// The rule with this number.
        public init(_ origin: Origin, _ number: Int) { (self.origin, self.number) = (origin, number) }

        /// `client-1`, `machine-2`, and plain `3` for a rule of the user.
        public var description: String { origin == .user ? "\(number)" : "\(origin.rawValue)-\(number)" }

        /// True if `lhs` is named before `rhs`, of two rules that take away the same.
        public static func < (lhs: ID, rhs: ID) -> Bool { (lhs.rank, lhs.number) < (rhs.rank, rhs.number) }

        private var rank: Int { Origin.allCases.firstIndex(of: origin) ?? 0 }
    }

    /// The clients that a rule limits.
    public enum Scope: Hashable, Sendable {
        /// All but these.
        case everyone(except: Set<String>)
        /// These.
        case only(Set<String>)

        /// True if the rule limits `client`.
        public func contains(_ client: String) -> Bool {
            switch self {
            case .everyone(let exceptions): !exceptions.contains(client)
            case .only(let clients): clients.contains(client)
            }
        }
    }

    /// The parts of access that a rule takes away.
    public struct Limit: Hashable, Sendable {
        /// `Deny`: true if no location is delivered. Default false.
        public var isDenial = false
        /// `MaximumAuthorization`: the highest level in force; `nil` for no limit.
        public var maximumAuthorization: ClientPolicy.Level?
        /// `MaximumAccuracy`: the highest accuracy in force; `nil` for no limit.
        public var maximumAccuracy: AccuracyAuthorization?
        /// `MinimumInterval`: the shortest time between two deliveries, 1 s to 1 day; `nil` for no limit.
        public var minimumInterval: Duration?

        /// No limit.
        public init() {}

        /// No access.
        public static let denial: Limit = {
            var limit = Limit()
            limit.isDenial = true
            return limit
        }()
    }

    /// The identifier.
    public var id: ID
    /// The conditions, all of which must hold; empty for a rule that always applies.
    public var conditions: [AccessCondition]
    /// The limited clients.
    public var scope: Scope
    /// The limit.
    public var limit: Limit

    /// A rule for these clients.
    public init(
        _ id: ID, when conditions: [AccessCondition] = [], scope: Scope = .everyone(except: []), limit: Limit
    ) {
        (self.id, self.conditions, self.scope, self.limit) = (id, conditions, scope, limit)
    }

    /// True if a condition is about a place.
    public var dependsOnPlace: Bool { conditions.contains { $0.place != nil } }

    /// A lower bound of the distance in metres from a point to the nearest border at which a condition of the rule may change;
    /// infinite without one.
    ///
    /// - Parameter zones: The zones of the places, by name.
    public func distanceToBorder(from coordinate: Coordinate, zones: [String: ConcealedZone]) -> Double {
        let distances = conditions.compactMap { condition -> Double? in
            switch condition {
            case .inside(let place): zones[place]?.distanceToBorder(from: coordinate)
            // It holds until the user is certainly within the place.
            case .outside(let place):
                (zones[place]?.place).map { abs($0.center.distance(to: coordinate) - $0.radius) }
            case .during, .onBattery, .sessionLocked, .nobodyPresent: nil
            }
        }
        return distances.min() ?? .infinity
    }

    /// True if the rule applies in these surroundings; `nil` if that is in doubt.
    public func applies(in surroundings: Surroundings) -> Bool? {
        var isInDoubt = false
        for condition in conditions {
            switch condition.holds(in: surroundings) {
            case true?: break
            case false?: return false
            case nil: isInDoubt = true
            }
        }
        return isInDoubt ? nil : true
    }
}
