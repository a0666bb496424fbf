import LocationConfiguration
import LocationPolicy
import LocationStore

/// The rules and places of one user, as they are on disk.
struct StoredRules: Hashable, Sendable {
    /// The rules, by their numbers.
    var rules: [AccessRule] = []
    /// The places by name.
    var places: [String: NamedPlace] = [:]
    /// The number of the last rule; numbers are not used again.
    var lastNumber = 0
    /// The secret of the places' zones; `nil` until the first place, and if it was lost.
    var secret: AccuracyReduction.Secret?

    init() {}

    /// Reads the stored rules and places. A damaged rule denies.
    init(_ kept: KeptRules) {
        rules = kept.lists.sorted { $0.key < $1.key }.map { number, list in
            AccessRule.read(Array(list.utf8), id: .init(.user, number), file: "").rule
        }
        (places, lastNumber, secret) = (kept.places, kept.lastNumber, kept.secret)
    }

    /// The rule with this number.
    func rule(_ number: Int) -> AccessRule? { rules.first { $0.id.number == number } }

    /// A rule of the user that names a place; `nil` for none.
    func rule(about place: String) -> AccessRule? { rules.first { $0.conditions.contains { $0.place == place } } }

    /// Applies a change.
    mutating func apply(_ change: RuleChange) {
        switch change {
        case .rule(let number, let rule):
            rules.removeAll { $0.id.number == number }
            if let rule { rules.append(rule) }
            rules.sort { $0.id.number < $1.id.number }
            lastNumber = max(lastNumber, number)
        case .place(let place, let secret):
            places[place.name] = place
            if self.secret == nil { self.secret = secret }
        case .noPlace(let name): places[name] = nil
        case .secret(let secret): self.secret = secret
        }
    }

    /// The changes after which a database that took the place of the open one limits at least as much as this one did.
    ///
    /// Its rules count, and those of before that it lacks stay in force, with the places that they name.
    func changes(since replaced: StoredRules) -> [RuleChange] {
        var changes: [RuleChange] = []
        var last = max(lastNumber, replaced.lastNumber)
        for rule in replaced.rules where !rules.contains(where: { $0.hasSameEffect(as: rule) }) {
            var kept = rule
            if self.rule(rule.id.number) != nil {
                last += 1
                kept.id.number = last
            }
            changes.append(.rule(kept.id.number, kept))
        }
        // Another secret, or another place of the name, would draw another border around the same home.
        if let known = replaced.secret, known != secret, !replaced.places.isEmpty { changes.append(.secret(known)) }
        for (name, place) in replaced.places where places[name] != place {
            if places[name] == nil || replaced.rule(about: name) != nil {
                changes.append(.place(place, replaced.secret))
            }
        }
        return changes
    }
}

/// A change of a user's rules and places.
enum RuleChange: Hashable, Sendable {
    /// The rule with a number; `nil` removes it.
    case rule(Int, AccessRule?)
    /// A place, and the secret of the user's zones if it is known.
    case place(NamedPlace, AccuracyReduction.Secret?)
    /// The place of this name is removed.
    case noPlace(String)
    /// The secret of the user's zones, in place of another one.
    case secret(AccuracyReduction.Secret)
}

extension AccessRule {
    /// True if the rules differ in their identifiers at most.
    fileprivate func hasSameEffect(as other: AccessRule) -> Bool {
        var other = other
        other.id = id
        return self == other
    }
}
