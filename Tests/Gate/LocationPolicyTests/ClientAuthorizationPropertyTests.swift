import Glibc
import SeededRandom
import LocationModel
import LocationPolicy
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClientAuthorizationPropertyTests {
    /// Invariants after any sequence of events.
    struct Invariants {
        var openPrompts = 0
        var openRequests: Set<ClientAuthorization.RequestID> = []
        /// True if the last decision of the user or an administrator was a denial.
        var isDenied = false

        mutating func check(
            _ event: ClientAuthorization.Event, before: ClientAuthorization, after: ClientAuthorization,
            _ actions: [ClientAuthorization.Action]
        ) -> String? {
            if case .request(let id, _) = event { openRequests.insert(id) }
            if case .withdraw(let id) = event { openRequests.remove(id) }
            let offered = before.prompt?.kind.choices ?? []
            if case .answer(let choice) = event, offered.contains(choice) {
                openPrompts -= 1
                if choice == .dontAllow, case .temporaryFullAccuracy = before.prompt?.kind {
                } else {
                    isDenied = choice == .dontAllow
                }
            }
            if case .unanswered = event, before.prompt != nil { openPrompts -= 1 }
            if case .decide(let decision) = event {
                switch decision {
                case .deny: isDenied = true
                case .allow, .reset: isDenied = false
                // An end never lifts a denial.
                case .end: isDenied = isDenied || after.record.grant == .denied
                case .accuracy, .resetUnused: break
                }
            }
            for action in actions {
                switch action {
                case .show: openPrompts += 1
                case .withdrawPrompt: openPrompts -= 1
                case .complete(let id), .fail(let id, _):
                    guard openRequests.remove(id) != nil else { return "request \(id) was answered twice" }
                }
                if openPrompts > 1 { return "more than one prompt is open" }
            }
            if openPrompts != (after.prompt == nil ? 0 : 1) { return "the prompts shown are not those that are open" }
            let saved = before.recordToSave(by: event)
            if let saved, saved != after.record { return "what is saved is not what holds" }
            if before.record != after.record, saved == nil { return "a decision was not saved" }
            if after.prompt == nil, !openRequests.isEmpty { return "a request hangs with nobody being asked" }
            if isDenied, after.record.grant != .denied { return "a denial was forgotten" }
            return checkAccess(after)
        }

        private func checkAccess(_ machine: ClientAuthorization) -> String? {
            let status = machine.authorization.status
            for isInUse in [false, true] {
                guard case .permitted(let accuracy) = machine.access(.init(isInUse: isInUse)) else { continue }
                if isDenied { return "a location after a denial" }
                switch status {
                case .notDetermined, .denied, .restricted: return "a location with status \(status)"
                case .authorizedWhenInUse where !isInUse: return "a location in the background with \(status)"
                case .authorizedWhenInUse, .authorizedAlways: break
                }
                if accuracy == .full, machine.authorization.accuracy == .reduced { return "too exact a location" }
            }
            return nil
        }
    }

    private static let sequences: UInt64 = getenv("LOCATIOND_ALL_STATES") == nil ? 20_000 : 100_000

    @Test("invariants hold after random sequences of events")
    func invariantsHoldForAnySequence() {
        for seed in 0..<Self.sequences {
            var generator = SeededGenerator(seed: seed)
            var invariants = Invariants()
            var machine = ClientAuthorization(
                record: AuthorizationRecord(), circumstances: Self.circumstances(using: &generator))
            var instant = start
            var trace: [ClientAuthorization.Event] = []
            for id in 1...20 as ClosedRange<UInt64> {
                let event = Self.event(id, using: &generator)
                trace.append(event)
                instant += .seconds(Int.random(in: 0...40, using: &generator))
                let before = machine
                let actions = machine.handle(event, at: instant)
                if let violation = invariants.check(event, before: before, after: machine, actions) {
                    Issue.record("seed \(seed): \(violation) after \(trace)")
                    return
                }
                if let record = before.recordToSave(by: event) {
                    #expect(machine.handle(.saved(record), at: instant).isEmpty)
                }
            }
        }
    }

    private static func circumstances(using generator: inout SeededGenerator) -> ClientAuthorization.Circumstances {
        .init(
            declaration: completeDeclaration {
                $0.policy.isRestricted = .random(using: &generator) && .random(using: &generator)
                $0.policy.maximumAuthorization = .random(using: &generator) ? .always : .whenInUse
                $0.policy.maximumAccuracy = .random(using: &generator) ? .full : .reduced
                $0.policy.presetAuthorization = [nil, nil, nil, .whenInUse, .always].randomElement(using: &generator)!
                $0.isReducedAccuracyDefault = .random(using: &generator)
                if Int.random(in: 0..<8, using: &generator) == 0 { $0.alwaysUsageDescription = nil }
            },
            isEnabledForUser: Int.random(in: 0..<5, using: &generator) > 0)
    }

    private static func event(_ id: UInt64, using generator: inout SeededGenerator) -> ClientAuthorization.Event {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0...6:
            let requests: [ClientAuthorization.Request] = [
                .whenInUse, .always, .temporaryFullAccuracy(purposeKey: "radar"),
                .temporaryFullAccuracy(purposeKey: "unknown"),
            ]
            return .request(id, requests.randomElement(using: &generator)!)
        case 7: return .withdraw(.random(in: 1...id, using: &generator))
        case 8...12: return .answer(Prompt.Choice.allCases.randomElement(using: &generator)!)
        case 13: return .unanswered
        case 14: return .leftUse
        case 15: return .ended
        case 16: return .backgroundDeliveryDue
        case 17, 18:
            let decisions: [ClientAuthorization.Decision] = [
                .allow(.whenInUse), .allow(.always), .deny, .reset, .accuracy(.full), .accuracy(.reduced),
                .allow(.always, until: Timestamp(secondsSince1970: 1)),
                .allow(.whenInUse, until: Timestamp(secondsSince1970: 2)),
                .end(at: Timestamp(secondsSince1970: 1)), .end(at: Timestamp(secondsSince1970: 2)), .resetUnused,
            ]
            return .decide(decisions.randomElement(using: &generator)!)
        default: return .circumstances(circumstances(using: &generator))
        }
    }
}
