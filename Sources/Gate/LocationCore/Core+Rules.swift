package import LocationConfiguration
package import LocationModel
package import LocationPolicy
import Logging
import TextSupport

// The management of a user's rules and places.

/// A rule, as it is listed.
package struct RuleReport: Hashable, Sendable {
    /// The effect of a rule at this moment.
    package enum State: Hashable, Sendable {
        /// Its conditions hold.
        case applies
        /// Its conditions are in doubt, so it applies: the reason, as a clause.
        case inDoubt(String)
        /// A condition does not hold.
        case doesNotApply
    }

    package let rule: AccessRule
    /// The client whose declaration has it; `nil` for another rule.
    package var client: String?
    /// The file of that declaration.
    package var file: String?
    /// The rule in words.
    package let sentence: String
    package let state: State
    /// The next time at which a condition about the time may change; `nil` without one.
    package let until: Timestamp?
}

extension Core {
    /// Lists the rules that may limit clients of a user: the user's, the machine's and those of declarations.
    ///
    /// - Parameter client: only those that may limit this client; `nil` for all.
    package func listRules(
        of userID: Int?, client: String?, _ connection: Connection
    ) throws(Refusal) -> [RuleReport] {
        let user = rules.rules(of: try managedUser(userID, connection))
        let client = try client.map { name throws(Refusal) in
            let identifier = directory.identifier(named: name, of: user.userID)
            guard directory.declaration(named: identifier, of: table.users[user.userID]) != nil else {
                throw .noSuchClient(name, among: directory.registry.declarations.keys)
            }
            return identifier
        }
        var reports = user.stored.rules.map { report($0, of: user) }
        reports += rules.machineRules.map { report($0, of: user) }
        let declarations = directory.registry.declarations.values.filter {
            $0.match.users?.contains(user.userID) ?? true
        }
        for declaration in declarations.sorted(by: { $0.identifier < $1.identifier }) {
            reports += declaration.policy.rules.map { rule in
                var narrowed = rule
                narrowed.scope = .only([declaration.identifier])
                return report(narrowed, of: user, client: declaration.identifier, file: declaration.file)
            }
        }
        guard let client else { return reports }
        return reports.filter { $0.rule.scope.contains(client) }
    }

    private func report(
        _ rule: AccessRule, of user: UserRules, client: String? = nil, file: String? = nil
    ) -> RuleReport {
        let surroundings = user.surroundings(at: nil)
        let state: RuleReport.State =
            switch rule.applies(in: surroundings) {
            case true?: .applies
            case false?: .doesNotApply
            case nil: .inDoubt(user.doubt(about: rule, in: surroundings))
            }
        return RuleReport(
            rule: rule, client: client, file: file, sentence: user.sentence(of: rule), state: state,
            until: rules.nextChange(of: rule.hours))
    }

    /// Adds a rule, by the values of its keys. It takes effect at once; calls `completion` once it is saved.
    package func addRule(
        _ values: AccessRule.Values, of userID: Int?, _ connection: Connection,
        completion: @escaping (Result<RuleReport, Refusal>) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let user = rules.rules(of: try managedUser(userID, connection))
            let limit = configuration.daemon.limits.rulesPerUser
            guard user.stored.rules.count < limit else { throw .limitExceeded("RulesPerUser", limit) }
            let (rule, problems) = AccessRule.read(values, id: .init(.user, user.stored.lastNumber + 1))
            if let problem = problems.first {
                throw .invalidRule(
                    message: [problem.keyPath, problem.message].compactMap { $0 }.joined(separator: ": "))
            }
            for place in rule.conditions.compactMap(\.place) where user.stored.places[place] == nil {
                throw .noSuchPlace(place, suggestion: user.stored.places.keys.suggestion(for: place))
            }
            let change = RuleChange.rule(rule.id.number, rule)
            apply([change], to: user)
            save([change], of: user, by: connection, isRestriction: true) { [self] refusal in
                completion(refusal.map { .failure($0) } ?? .success(report(rule, of: user)))
            }
        }
    }

    /// Removes a rule of the user; calls `completion` once that is saved and in force.
    package func removeRule(
        _ id: String, of userID: Int?, _ connection: Connection, completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let user = rules.rules(of: try managedUser(userID, connection))
            guard let number = Int(id), user.stored.rule(number) != nil else {
                let others = try listRules(of: userID, client: nil, connection).filter { $0.rule.id.description == id }
                guard let other = others.first, other.rule.id.origin != .user else { throw .noSuchRule(id) }
                throw .fixedRule(id, file: others.compactMap(\.file).first)
            }
            save([.rule(number, nil)], of: user, by: connection, isRestriction: false, completion: completion)
        }
    }

    /// Lists the places of a user, by name.
    package func listPlaces(of userID: Int?, _ connection: Connection) throws(Refusal) -> [NamedPlace] {
        rules.rules(of: try managedUser(userID, connection)).stored.places.values.sorted { $0.name < $1.name }
    }

    /// Adds a place, or with `replaces` puts it in place of one of its name; calls `completion` once that is saved and in force.
    package func addPlace(
        _ name: String, at center: Coordinate?, radius: Double, replaces: Bool, of userID: Int?,
        _ connection: Connection, completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let user = rules.rules(of: try managedUser(userID, connection))
            if let problem = NamedPlace.problem(withName: name) { throw .invalidRule(message: "The name: \(problem)") }
            guard let center else { throw .invalidParameter("latitude") }
            guard let place = NamedPlace(name: name, center: center, radius: radius) else {
                throw .invalidParameter("radius")
            }
            let isNew = user.stored.places[name] == nil && !user.placesBeingAdded.contains(name)
            guard isNew || replaces else { throw .placeExists(name) }
            let limit = configuration.daemon.limits.placesPerUser
            guard !isNew || user.stored.places.count + user.placesBeingAdded.count < limit else {
                throw .limitExceeded("PlacesPerUser", limit)
            }
            if isNew { user.placesBeingAdded.insert(name) }
            save([.place(place, user.stored.secret)], of: user, by: connection, isRestriction: false) { refusal in
                if isNew { user.placesBeingAdded.remove(name) }
                completion(refusal)
            }
        }
    }

    /// Removes a place that no rule of the user names; calls `completion` once that is saved and in force.
    package func removePlace(
        _ name: String, of userID: Int?, _ connection: Connection, completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let user = rules.rules(of: try managedUser(userID, connection))
            guard user.stored.places[name] != nil else {
                throw .noSuchPlace(name, suggestion: user.stored.places.keys.suggestion(for: name))
            }
            if let rule = user.stored.rule(about: name) { throw .placeInUse(name, rule: rule.id.description) }
            save([.noPlace(name)], of: user, by: connection, isRestriction: false, completion: completion)
        }
    }

    /// Saves changes, which then take effect unless they are a restriction that has done so.
    private func save(
        _ changes: [RuleChange], of user: UserRules, by connection: Connection, isRestriction: Bool,
        completion: @escaping (Refusal?) -> Void
    ) {
        let saved = disk.save(
            changes, of: user.userID, by: connection.peer.userID, isDenial: isRestriction)
        queue.take(saved) { [self] result in
            switch result {
            case .success(let secret):
                if !isRestriction {
                    apply(
                        changes.map { change in
                            if case .place(let place, _) = change { .place(place, secret) } else { change }
                        }, to: user)
                }
                // After those concerned have been notified.
                queue.take { completion(nil) }
            case .failure(let error):
                logger.error(
                    "A change of the rules of user \(user.userID) could not be saved: \(error)",
                    metadata: ["uid": "\(user.userID)"])
                completion(.notSaved(Unsaved(reason: error, isInForce: isRestriction)))
            }
        }
    }

    /// Puts changes in force.
    func apply(_ changes: [RuleChange], to user: UserRules) {
        var stored = user.stored
        for change in changes { stored.apply(change) }
        user.set(stored)
        rules.update()
        managers.note(.rules, of: user.userID)
        managers.note(.clients, of: user.userID)
        guard let clients = table.users[user.userID]?.clients.values else { return }
        for client in clients {
            authorizer.apply(
                .circumstances(directory.circumstances(of: client.declaration, client.key.userID)), to: client)
        }
    }
}

extension AccessRule {
    /// The hours in its conditions.
    var hours: [WeeklyHours] {
        conditions.compactMap { if case .during(let hours) = $0 { hours } else { nil } }
    }
}

extension UserRules {
    /// A rule in words.
    func sentence(of rule: AccessRule) -> String { rule.sentence { stored.places[$0]?.radius } }

    /// The rule with this identifier in words; `nil` if there is none.
    func sentence(of id: AccessRule.ID, _ declaration: ClientDeclaration) -> String? {
        (declaration.policy.rules + rules).first { $0.id == id }.map(sentence)
    }

    /// The reason for which the conditions of a rule are in doubt, as a clause.
    func doubt(about rule: AccessRule, in surroundings: Surroundings) -> String {
        let condition = rule.conditions.first { $0.holds(in: surroundings) == nil }
        return switch condition {
        case .inside(let place), .outside(let place):
            if stored.places[place] == nil {
                "there is no place \(place)"
            } else if stored.secret == nil {
                "the border of \(place) was lost"
            } else if surroundings.placements.isEmpty {
                "no location yet"
            } else {
                "too near to \(place), or too inaccurate, to tell"
            }
        case .during: "the time is not known"
        case .onBattery: "no word about the battery"
        case .sessionLocked: "no word about the lock of the screen"
        case .nobodyPresent: "no word about who is at the machine"
        case nil: "a part of it is damaged"
        }
    }
}
