public import LocationModel

/// A rule that applies, and whether it applies only because its conditions are in doubt.
public struct AppliedRule: Hashable, Sendable {
    /// The rule.
    public var id: AccessRule.ID
    /// True if the rule applies because its conditions are in doubt: no location yet, or an unknown time.
    public var isInDoubt: Bool

    /// A rule that applies.
    public init(_ id: AccessRule.ID, isInDoubt: Bool = false) { (self.id, self.isInDoubt) = (id, isInDoubt) }
}

/// The limits of all rules that apply at one moment: of each kind the strictest, with the rule that sets it.
///
/// Of several rules with the same limit, one that certainly applies is named before one in doubt, then the one of the stronger
/// author, then the one with the smaller number. So the order in which rules are given does not matter.
public struct RuleOutcome: Hashable, Sendable {
    /// A limit with its rule.
    public struct Ceiling<Value: Hashable & Sendable>: Hashable, Sendable {
        /// The limit.
        public var value: Value
        /// The rule that sets it.
        public var rule: AppliedRule
    }

    /// The rule that denies access; `nil` for none.
    public private(set) var denial: AppliedRule?
    /// The highest level of authorization; `nil` for no limit.
    public private(set) var authorization: Ceiling<ClientPolicy.Level>?
    /// The highest accuracy; `nil` for no limit.
    public private(set) var accuracy: Ceiling<AccuracyAuthorization>?
    /// The shortest time between two deliveries; `nil` for no limit.
    public private(set) var interval: Ceiling<Duration>?

    /// No limits.
    public init() {}

    /// The limits for `client` in these surroundings.
    public init(_ rules: some Sequence<AccessRule>, of client: String, in surroundings: Surroundings) {
        let applied = rules.filter { $0.scope.contains(client) }.compactMap { rule in
            let applies = rule.applies(in: surroundings)
            return applies == false ? nil : (rule.limit, AppliedRule(rule.id, isInDoubt: applies == nil))
        }
        // Certain rules first; the comparisons below keep the first of equal limits.
        for (limit, rule) in applied.sorted(by: { ($0.1.doubt, $0.1.id) < ($1.1.doubt, $1.1.id) }) {
            if limit.isDenial, denial == nil { denial = rule }
            if let value = limit.maximumAuthorization, authorization.map({ value < $0.value }) ?? true {
                authorization = Ceiling(value: value, rule: rule)
            }
            if let value = limit.maximumAccuracy, accuracy.map({ value == .reduced && $0.value == .full }) ?? true {
                accuracy = Ceiling(value: value, rule: rule)
            }
            if let value = limit.minimumInterval, interval.map({ value > $0.value }) ?? true {
                interval = Ceiling(value: value, rule: rule)
            }
        }
    }
}

extension AppliedRule {
    fileprivate var doubt: Int { isInDoubt ? 1 : 0 }
}
