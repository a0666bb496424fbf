import LocationModel
import LocationPolicy
import SeededRandom
import Testing

/// Rules in the one evaluation of access: a row each.
@Suite("Access rules", .timeLimit(.minutes(10))) struct AccessRuleTests {
    static let night = AccessCondition.during(WeeklyHours(from: 22 * 60, to: 6 * 60)!)
    static let atNight = LocalTime(.monday, minute: 60)
    static let atNoon = LocalTime(.monday, minute: 720)
    static let surroundings = Surroundings(
        localTime: atNoon, isOnBattery: false, isSessionLocked: false, isAnybodyPresent: true,
        placements: ["home": .outside])

    static func limit(_ change: (inout AccessRule.Limit) -> Void) -> AccessRule.Limit {
        var limit = AccessRule.Limit()
        change(&limit)
        return limit
    }

    static let reduced = limit { $0.maximumAccuracy = .reduced }
    static let whenInUse = limit { $0.maximumAuthorization = .whenInUse }

    static func evaluate(
        _ rules: [AccessRule], grant: AuthorizationRecord.Grant? = .always, isInUse: Bool = true,
        _ change: (inout Surroundings) -> Void = { _ in }
    ) -> AccessEvaluation {
        var record = AuthorizationRecord()
        record.grant = grant
        var now = surroundings
        change(&now)
        return ClientAuthorization(
            record: record, circumstances: .init(declaration: completeDeclaration(), rules: rules)
        ).evaluate(.init(isInUse: isInUse, surroundings: now))
    }

    @Test("each condition holds, does not hold, or is in doubt; in doubt the rule applies and reports it")
    func conditions() {
        let rows: [(AccessCondition, (inout Surroundings) -> Void, AppliedRule?)] = [
            (Self.night, { $0.localTime = Self.atNight }, AppliedRule(.init(.user, 1))),
            (Self.night, { _ in }, nil),
            (Self.night, { $0.localTime = nil }, AppliedRule(.init(.user, 1), isInDoubt: true)),
            (.onBattery, { $0.isOnBattery = true }, AppliedRule(.init(.user, 1))), (.onBattery, { _ in }, nil),
            (.onBattery, { $0.isOnBattery = nil }, AppliedRule(.init(.user, 1), isInDoubt: true)),
            (.sessionLocked, { $0.isSessionLocked = true }, AppliedRule(.init(.user, 1))),
            (.sessionLocked, { _ in }, nil),
            (.sessionLocked, { $0.isSessionLocked = nil }, AppliedRule(.init(.user, 1), isInDoubt: true)),
            (.nobodyPresent, { $0.isAnybodyPresent = false }, AppliedRule(.init(.user, 1))),
            (.nobodyPresent, { _ in }, nil),
            (.nobodyPresent, { $0.isAnybodyPresent = nil }, AppliedRule(.init(.user, 1), isInDoubt: true)),
        ]
        for (number, (condition, change, expected)) in rows.enumerated() {
            let result = Self.evaluate([AccessRule(.init(.user, 1), when: [condition], limit: .denial)], change)
            #expect(result.access == (expected == nil ? .permitted(.full) : .refused), "row \(number)")
            #expect(result.authorization.status == (expected == nil ? .authorizedAlways : .denied), "row \(number)")
            #expect(result.decisiveRules == (expected.map { [$0] } ?? []), "row \(number)")
        }
    }

    @Test("a rule about a place withholds the location and leaves the client's authorization as it is")
    func places() {
        let rows: [(AccessCondition, Placement?, isInDoubt: Bool?)] = [
            (.inside("home"), .inside, false), (.inside("home"), .outside, nil), (.inside("home"), .inDoubt, true),
            (.inside("home"), nil, true), (.outside("home"), .inside, nil), (.outside("home"), .outside, false),
            (.outside("home"), .inDoubt, true), (.outside("home"), nil, true), (.inside("work"), .outside, true),
        ]
        for (number, (condition, placement, isInDoubt)) in rows.enumerated() {
            let rule = AccessRule(.init(.user, 1), when: [condition], limit: .denial)
            let result = Self.evaluate([rule]) { $0.placements["home"] = placement }
            #expect(result.view.release == (isInDoubt == nil ? .full : nil), "row \(number)")
            #expect(result.view.isWithheld == (isInDoubt != nil), "row \(number)")
            #expect(result.access == .permitted(.full), "the client is told of no place, row \(number)")
            #expect(result.authorization.status == .authorizedAlways, "row \(number)")
            #expect(
                result.withholdingRule == isInDoubt.map { AppliedRule(rule.id, isInDoubt: $0) }, "row \(number)")
        }
        // A client that gets nothing anyway learns the reason that it would learn elsewhere.
        let home = AccessRule(.init(.user, 1), when: [.inside("home")], limit: .denial)
        for (grant, access) in [(AuthorizationRecord.Grant.whenInUse, Access.suspended), (.denied, .refused)] {
            let result = Self.evaluate([home], grant: grant, isInUse: false) { $0.placements["home"] = .inside }
            #expect(result.access == access)
            #expect(result.decisiveRules.isEmpty)
        }
        let ceiling = AccessRule(.init(.user, 2), when: [.inside("home")], limit: Self.whenInUse)
        let held = Self.evaluate([ceiling], isInUse: false) { $0.placements["home"] = .inside }
        #expect(held.view.isWithheld)
        #expect(held.access == .permitted(.full))
        #expect(held.withholdingRule == AppliedRule(ceiling.id))
    }

    @Test("all conditions of a rule must hold; one that certainly does not outweighs one in doubt")
    func conjunction() {
        let rule = AccessRule(.init(.user, 1), when: [Self.night, .inside("home"), .onBattery], limit: .denial)
        func applies(_ time: LocalTime?, _ placement: Placement?, _ battery: Bool?) -> Bool? {
            rule.applies(
                in: Surroundings(
                    localTime: time, isOnBattery: battery, placements: placement.map { ["home": $0] } ?? [:]))
        }
        #expect(applies(Self.atNight, .inside, true) == true)
        #expect(applies(Self.atNoon, nil, nil) == false)
        #expect(applies(Self.atNight, nil, false) == false)
        #expect(applies(Self.atNight, .inDoubt, true) == nil)
        #expect(AccessRule(.init(.user, 2), limit: .denial).applies(in: Surroundings()) == true)
    }

    @Test("a rule of the machine or the client restricts, a rule of the user denies; switches are named before them")
    func origins() {
        for (origin, status) in [
            (AccessRule.Origin.client, AuthorizationStatus.restricted), (.machine, .restricted), (.user, .denied),
        ] {
            for grant in [AuthorizationRecord.Grant?.none, .always, .denied] {
                let result = Self.evaluate([AccessRule(.init(origin, 1), limit: .denial)], grant: grant)
                #expect(result.authorization.status == status)
                #expect(result.statusRule == .rule(AppliedRule(.init(origin, 1))))
            }
        }
    }

    @Test("the strictest limit of each kind counts, its rule is named, and the order of rules does not matter")
    func strictest() {
        let rules = [
            AccessRule(.init(.user, 1), limit: Self.limit { $0.minimumInterval = .seconds(60) }),
            AccessRule(.init(.machine, 3), limit: Self.limit { $0.minimumInterval = .seconds(600) }),
            AccessRule(.init(.user, 2), limit: Self.limit { $0.minimumInterval = .seconds(600) }),
            AccessRule(.init(.user, 5), limit: Self.reduced), AccessRule(.init(.client, 9), limit: Self.whenInUse),
            // Named first of equal ones, but weaker.
            AccessRule(
                .init(.client, 2),
                limit: Self.limit {
                    ($0.maximumAuthorization, $0.maximumAccuracy, $0.minimumInterval) = (.always, .full, .seconds(30))
                }),
            // In doubt, so another one is named.
            AccessRule(.init(.client, 1), when: [.inside("work")], limit: Self.reduced),
        ]
        let expected = Self.evaluate(rules)
        #expect(expected.access == .permitted(.reduced))
        #expect(expected.authorization == Authorization(status: .authorizedWhenInUse, accuracy: .reduced))
        #expect(expected.interval?.rule.id == .init(.machine, 3))
        #expect(expected.accuracyRule == .rule(AppliedRule(.init(.user, 5))))
        #expect(expected.ceilingRule?.id == .init(.client, 9) && expected.ceiling == .whenInUse)
        #expect(expected.isGrantLowered)
        #expect(expected.decisiveRules.map(\.id) == [.init(.client, 9), .init(.user, 5), .init(.machine, 3)])
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<100 { #expect(Self.evaluate(rules.shuffled(using: &generator)) == expected) }
    }

    @Test("a rule limits its clients and no others")
    func scope() {
        let weather = "org.example.Weather"
        let rows: [(AccessRule.Scope, Bool)] = [
            (.everyone(except: []), true), (.everyone(except: [weather]), false), (.only([weather]), true),
            (.everyone(except: ["org.example.Doorbell"]), true), (.only(["org.example.Doorbell"]), false),
            (.only([]), false),
        ]
        for (scope, isLimited) in rows {
            let access = Self.evaluate([AccessRule(.init(.user, 1), scope: scope, limit: .denial)]).access
            #expect((access == .refused) == isLimited)
        }
    }

    @Test("a lowered authorization suspends in the background, and use is watched for it")
    func ceiling() {
        let rule = AccessRule(.init(.user, 1), when: [Self.night], limit: Self.whenInUse)
        #expect(Self.evaluate([rule], isInUse: false).access == .permitted(.full))
        let atNight = Self.evaluate([rule], isInUse: false) { $0.localTime = Self.atNight }
        #expect(atNight.access == .suspended)
        #expect(atNight.decisiveRules == [AppliedRule(rule.id)])
        var record = AuthorizationRecord()
        record.grant = .always
        let client = ClientAuthorization(
            record: record, circumstances: .init(declaration: completeDeclaration(), rules: [rule]))
        #expect(client.dependsOnUse)
        // Prompts and reports of the lasting authorization do not depend on the time of day.
        #expect(client.authorization.status == .authorizedAlways)
    }

    @Test("no prompt opens for what a rule without conditions excludes")
    func prompts() {
        func prompt(
            _ limit: AccessRule.Limit?, _ request: ClientAuthorization.Request, _ conditions: [AccessCondition] = []
        )
            -> Prompt.Kind?
        {
            var record = AuthorizationRecord()
            if request != .whenInUse { (record.grant, record.accuracy) = (.whenInUse, .reduced) }
            let rules = limit.map { [AccessRule(.init(.machine, 1), when: conditions, limit: $0)] } ?? []
            var client = ClientAuthorization(
                record: record, circumstances: .init(declaration: completeDeclaration(), rules: rules))
            _ = client.handle(.request(1, request), at: start)
            return client.prompt?.kind
        }
        let temporary = ClientAuthorization.Request.temporaryFullAccuracy(purposeKey: "radar")
        #expect(prompt(nil, .whenInUse) == .whenInUse && prompt(.denial, .whenInUse) == nil)
        #expect(prompt(nil, .always) == .upgrade && prompt(Self.whenInUse, .always) == nil)
        #expect(prompt(nil, temporary) != nil && prompt(Self.reduced, temporary) == nil)
        #expect(prompt(.denial, .whenInUse, [Self.night]) == .whenInUse)
    }

    @Test("the interval lasts for all deliveries to a client; reduced accuracy has an interval of its own")
    func interval() {
        let rule = AccessRule(.init(.user, 1), limit: Self.limit { $0.minimumInterval = .seconds(60) })
        #expect(Self.evaluate([]).minimumInterval == nil)
        #expect(Self.evaluate([rule]).minimumInterval == .seconds(60))
        #expect(Self.evaluate([rule], grant: .denied).minimumInterval == nil)
        let both = [rule, AccessRule(.init(.user, 2), limit: Self.reduced)]
        #expect(Self.evaluate(both).minimumInterval == AccuracyReduction.interval)
        let long = AccessRule(.init(.user, 3), limit: Self.limit { $0.minimumInterval = .seconds(3600) })
        #expect(Self.evaluate(both + [long]).minimumInterval == .seconds(3600))

        var pace = DeliveryPace()
        #expect(pace.allows(1, at: start, interval: .seconds(60)))
        pace.delivered(1, at: start)
        // The same location to another subscription, which does not prolong the interval.
        #expect(pace.allows(1, at: start + .seconds(30), interval: .seconds(60)))
        pace.delivered(1, at: start + .seconds(30))
        #expect(!pace.allows(2, at: start + .seconds(59), interval: .seconds(60)))
        #expect(pace.allows(2, at: start + .seconds(60), interval: .seconds(60)))
        // The rule ended, or a longer one began.
        #expect(pace.allows(2, at: start + .seconds(1), interval: nil))
        #expect(!pace.allows(2, at: start + .seconds(60), interval: .seconds(600)))
    }

    @Test("a rule reads as a sentence")
    func sentences() {
        let doorbell = AccessRule.Scope.everyone(except: ["org.example.Doorbell"])
        let days = WeeklyHours(from: 540, to: 1020, on: [.monday, .friday])!
        let weekend = WeeklyHours(on: [.saturday, .sunday])!
        let all = Self.limit {
            ($0.maximumAuthorization, $0.maximumAccuracy, $0.minimumInterval) = (.whenInUse, .reduced, .seconds(5400))
        }
        let rows: [(AccessRule, String)] = [
            (
                AccessRule(.init(.user, 1), when: [.inside("home")], scope: doorbell, limit: .denial),
                "within 300 m of home: nobody but org.example.Doorbell"
            ),
            (
                AccessRule(.init(.user, 1), when: [.outside("office")], scope: .only(["b.B", "a.A"]), limit: .denial),
                "outside office: not a.A or b.B"
            ),
            (
                AccessRule(.init(.user, 1), when: [Self.night, .onBattery], limit: Self.reduced),
                "from 22:00 to 06:00, on battery: all only the approximate location (about 5 km)"
            ),
            (
                AccessRule(.init(.user, 1), when: [.during(days)], scope: doorbell, limit: all),
                "from 09:00 to 17:00 on Monday and Friday: all but org.example.Doorbell only while in use, only the "
                    + "approximate location (about 5 km), at most every 90 minutes"
            ),
            (AccessRule(.init(.user, 1), when: [.during(weekend)], limit: .denial), "on weekends: nobody"),
            (
                AccessRule(
                    .init(.user, 1), when: [.sessionLocked, .nobodyPresent], scope: .only(["a.A"]),
                    limit: Self.limit { $0.minimumInterval = .seconds(3600) }),
                "while the screen is locked, while nobody is at the machine: a.A at most every hour"
            ),
            (AccessRule(.init(.user, 1), limit: .denial), "always: nobody"),
        ]
        for (rule, sentence) in rows { #expect(rule.sentence { $0 == "home" ? 300 : nil } == sentence) }
        #expect(
            [AccessRule.ID(.user, 3), .init(.client, 2), .init(.machine, 1)].sorted().map(\.description)
                == ["client-2", "machine-1", "3"])
    }
}

extension AccessEvaluation {
    /// The shortest time between two deliveries to the client; `nil` for no limit. At least ``AccuracyReduction/interval``
    /// with reduced accuracy.
    var minimumInterval: Duration? {
        guard view.release == .reduced else { return interval?.value }
        return max(interval?.value ?? .zero, AccuracyReduction.interval)
    }
}
