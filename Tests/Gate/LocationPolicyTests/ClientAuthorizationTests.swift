import LocationModel
import LocationPolicy
import Testing

/// A client whose declaration has every usage description, unless a test removes one.
func completeDeclaration(_ change: (inout ClientDeclaration) -> Void = { _ in }) -> ClientDeclaration {
    var declaration = ClientDeclaration(identifier: "org.example.Weather", match: ClientMatch(), file: "weather.plist")
    declaration.whenInUseUsageDescription = "Shows the weather where you are."
    declaration.alwaysUsageDescription = "Warns of storms."
    declaration.temporaryFullAccuracyPurposes = ["radar": "Shows the rain radar."]
    change(&declaration)
    return declaration
}

extension ClientAuthorization.Circumstances {
    /// Circumstances without rules: a switch, and the policies that limit or grant.
    static let withoutRules: [Self] = [
        .init(declaration: completeDeclaration()),
        .init(declaration: completeDeclaration(), isEnabledForUser: false),
        .init(
            declaration: completeDeclaration {
                $0.policy.maximumAuthorization = .whenInUse
                $0.policy.maximumAccuracy = .reduced
            }),
        .init(declaration: completeDeclaration { $0.policy.isRestricted = true }),
        .init(
            declaration: completeDeclaration {
                $0.policy.presetAuthorization = .whenInUse
                $0.isReducedAccuracyDefault = true
            }),
    ]
}

/// The initial state of a row in the state table.
enum State: CaseIterable {
    case notDetermined, whenInUse, whenInUseAfterUpgradePrompt, once, provisionalAlways, always, denied
    case restricted, servicesOff

    var machine: ClientAuthorization {
        var record = AuthorizationRecord()
        switch self {
        case .notDetermined, .once, .restricted, .servicesOff: break
        case .whenInUse: record.grant = .whenInUse
        case .whenInUseAfterUpgradePrompt:
            record.grant = .whenInUse
            record.hasUsedUpgradePrompt = true
        case .provisionalAlways: record.grant = .provisionalAlways
        case .always: record.grant = .always
        case .denied: record.grant = .denied
        }
        var machine = ClientAuthorization(
            record: record,
            circumstances: .init(
                declaration: completeDeclaration { $0.policy.isRestricted = self == .restricted },
                isEnabledForUser: self != .servicesOff))
        if self == .once {
            _ = machine.handle(.request(1, .whenInUse), at: start)
            _ = machine.handle(.answer(.allowOnce), at: start)
        }
        return machine
    }
}

let start = ContinuousClock.now
let whenInUsePrompt = Prompt(kind: .whenInUse, usageDescription: "Shows the weather where you are.")
let alwaysPrompt = Prompt(kind: .always, usageDescription: "Shows the weather where you are.")
let upgradePrompt = Prompt(kind: .upgrade, usageDescription: "Warns of storms.")
let confirmPrompt = Prompt(kind: .confirmAlways, usageDescription: "Warns of storms.")

func record(_ grant: AuthorizationRecord.Grant?, upgraded: Bool = false) -> AuthorizationRecord {
    var record = AuthorizationRecord()
    record.grant = grant
    record.hasUsedUpgradePrompt = upgraded
    return record
}

@Suite(.timeLimit(.minutes(10))) struct ClientAuthorizationTests {
    // MARK: The state table, one row for each transition

    @Test(
        "each state shows its status",
        arguments: [
            (.notDetermined, .notDetermined), (.whenInUse, .authorizedWhenInUse),
            (.whenInUseAfterUpgradePrompt, .authorizedWhenInUse), (.once, .authorizedWhenInUse),
            (.provisionalAlways, .authorizedAlways), (.always, .authorizedAlways), (.denied, .denied),
            (.restricted, .restricted), (.servicesOff, .denied),
        ] as [(State, AuthorizationStatus)])
    func status(in state: State, is status: AuthorizationStatus) {
        #expect(state.machine.authorization == Authorization(status: status, accuracy: .full))
    }

    @Test(
        "a request leads to a prompt or completes at once",
        arguments: [
            (.notDetermined, .whenInUse, .show(whenInUsePrompt)),
            (.notDetermined, .always, .show(alwaysPrompt)),
            (.whenInUse, .whenInUse, .complete(9)),
            (.whenInUse, .always, .show(upgradePrompt)),
            (.whenInUseAfterUpgradePrompt, .whenInUse, .complete(9)),
            (.whenInUseAfterUpgradePrompt, .always, .complete(9)),
            (.once, .whenInUse, .complete(9)),
            (.once, .always, .complete(9)),
            (.provisionalAlways, .whenInUse, .complete(9)),
            (.provisionalAlways, .always, .complete(9)),
            (.always, .whenInUse, .complete(9)),
            (.always, .always, .complete(9)),
            (.denied, .whenInUse, .complete(9)),
            (.denied, .always, .complete(9)),
            (.restricted, .whenInUse, .complete(9)),
            (.restricted, .always, .complete(9)),
            (.servicesOff, .whenInUse, .complete(9)),
            (.servicesOff, .always, .complete(9)),
        ] as [(State, ClientAuthorization.Request, ClientAuthorization.Action)])
    func request(in state: State, for request: ClientAuthorization.Request, leadsTo action: ClientAuthorization.Action)
    {
        var machine = state.machine
        #expect(machine.handle(.request(9, request), at: start) == [action])
    }

    @Test(
        "an answer saves the decision and completes the request",
        arguments: [
            (.notDetermined, .whenInUse, .allowWhileUsing, record(.whenInUse), .authorizedWhenInUse),
            (.notDetermined, .whenInUse, .allowOnce, nil, .authorizedWhenInUse),
            (.notDetermined, .whenInUse, .dontAllow, record(.denied), .denied),
            (.notDetermined, .always, .allowWhileUsing, record(.provisionalAlways), .authorizedAlways),
            (.notDetermined, .always, .allowOnce, nil, .authorizedWhenInUse),
            (.notDetermined, .always, .dontAllow, record(.denied), .denied),
            (.whenInUse, .always, .keepWhileUsing, record(.whenInUse, upgraded: true), .authorizedWhenInUse),
            (.whenInUse, .always, .changeToAlways, record(.always, upgraded: true), .authorizedAlways),
        ] as [(State, ClientAuthorization.Request, Prompt.Choice, AuthorizationRecord?, AuthorizationStatus)])
    func answer(
        in state: State, to request: ClientAuthorization.Request, _ choice: Prompt.Choice, saves: AuthorizationRecord?,
        status: AuthorizationStatus
    ) {
        var machine = state.machine
        _ = machine.handle(.request(9, request), at: start)
        #expect(machine.recordToSave(by: .answer(choice)) == saves)
        #expect(machine.handle(.answer(choice), at: start) == [.complete(9)])
        #expect(machine.authorization.status == status)
        #expect(machine.prompt == nil)
    }

    @Test("an answer that the prompt did not offer changes nothing", arguments: Prompt.Choice.allCases)
    func unofferedAnswerChangesNothing(choice: Prompt.Choice) {
        var machine = State.whenInUse.machine
        _ = machine.handle(.request(9, .always), at: start)
        guard !Prompt.Kind.upgrade.choices.contains(choice) else { return }
        #expect(machine.handle(.answer(choice), at: start) == [])
        #expect(machine.prompt == upgradePrompt)
        var quiet = State.notDetermined.machine
        #expect(quiet.handle(.answer(choice), at: start) == [])
        #expect(quiet.authorization.status == .notDetermined)
    }

    // MARK: Provisional always

    @Test(
        "provisional always is confirmed before the first delivery in the background",
        arguments: [
            (.keepWhileUsing, record(.whenInUse, upgraded: true), .authorizedWhenInUse),
            (.changeToAlways, record(.always, upgraded: true), .authorizedAlways),
        ] as [(Prompt.Choice, AuthorizationRecord, AuthorizationStatus)])
    func provisionalAlwaysIsConfirmedBeforeBackgroundDelivery(
        choice: Prompt.Choice, saved: AuthorizationRecord, status: AuthorizationStatus
    ) {
        var machine = State.provisionalAlways.machine
        #expect(machine.access(.init(isInUse: true)) == .permitted(.full))
        #expect(
            machine.access(.init(isInUse: false)) == .suspended, "nothing is delivered before the user has confirmed")
        #expect(machine.handle(.backgroundDeliveryDue, at: start) == [.show(confirmPrompt)])
        #expect(machine.handle(.backgroundDeliveryDue, at: start) == [], "one prompt is enough")
        #expect(machine.recordToSave(by: .answer(choice)) == saved)
        #expect(machine.handle(.answer(choice), at: start) == [])
        #expect(machine.authorization.status == status)
        #expect(machine.handle(.request(9, .always), at: start) == [.complete(9)], "the question was the one there is")
    }

    @Test("only provisional always is confirmed", arguments: State.allCases.filter { $0 != .provisionalAlways })
    func onlyProvisionalAlwaysIsConfirmed(state: State) {
        var machine = state.machine
        #expect(machine.handle(.backgroundDeliveryDue, at: start) == [])
    }

    @Test("without its usage description always is not confirmed")
    func confirmationNeedsUsageDescription() {
        let silent = ClientAuthorization.Circumstances(
            declaration: completeDeclaration { $0.alwaysUsageDescription = nil }, isEnabledForUser: true)
        var machine = State.provisionalAlways.machine
        _ = machine.handle(.backgroundDeliveryDue, at: start)
        #expect(machine.handle(.circumstances(silent), at: start) == [.withdrawPrompt])
        #expect(machine.handle(.backgroundDeliveryDue, at: start) == [])
        #expect(machine.access(.init(isInUse: false)) == .suspended)
    }

    // MARK: Once

    @Test("once ends with use and with the last process", arguments: [ClientAuthorization.Event.leftUse, .ended])
    func onceEnds(event: ClientAuthorization.Event) {
        var machine = State.once.machine
        #expect(machine.record == AuthorizationRecord(), "nothing of it is kept")
        #expect(machine.handle(event, at: start) == [])
        #expect(machine.authorization.status == .notDetermined)
        #expect(machine.handle(.request(9, .whenInUse), at: start) == [.show(whenInUsePrompt)])
    }

    @Test(
        "a lasting decision does not end with use or with the process",
        arguments: [State.whenInUse, .always, .provisionalAlways, .denied])
    func lastingDecisionOutlivesProcess(state: State) {
        var machine = state.machine
        let before = machine.authorization
        _ = machine.handle(.leftUse, at: start)
        _ = machine.handle(.ended, at: start)
        #expect(machine.authorization == before)
    }

    // MARK: Requests that meet, go away or fail

    @Test("requests for the same authorization share a prompt")
    func equalRequestsShareAPrompt() {
        var machine = State.notDetermined.machine
        #expect(machine.handle(.request(1, .always), at: start) == [.show(alwaysPrompt)])
        #expect(machine.handle(.request(2, .whenInUse), at: start) == [])
        #expect(machine.handle(.withdraw(1), at: start) == [], "2 still waits")
        #expect(machine.handle(.answer(.allowWhileUsing), at: start) == [.complete(2)])
    }

    @Test("a request for more waits and is handled after the open prompt")
    func requestForMoreWaitsForOpenPrompt() {
        var machine = State.notDetermined.machine
        _ = machine.handle(.request(1, .whenInUse), at: start)
        #expect(machine.handle(.request(2, .always), at: start) == [])
        #expect(
            machine.handle(.answer(.allowWhileUsing), at: start)
                == [.complete(1), .show(upgradePrompt)])
        #expect(machine.handle(.answer(.keepWhileUsing), at: start).contains(.complete(2)))
    }

    @Test("a prompt is withdrawn with its last request")
    func promptIsWithdrawnWithLastRequest() {
        var machine = State.notDetermined.machine
        _ = machine.handle(.request(1, .whenInUse), at: start)
        #expect(machine.handle(.withdraw(1), at: start) == [.withdrawPrompt])
        #expect(machine.prompt == nil)
        #expect(machine.authorization.status == .notDetermined)
    }

    @Test("a confirmation is withdrawn when its client ends")
    func confirmationIsWithdrawnWithClient() {
        var machine = State.provisionalAlways.machine
        _ = machine.handle(.backgroundDeliveryDue, at: start)
        #expect(machine.handle(.ended, at: start) == [.withdrawPrompt])
        #expect(machine.authorization.status == .authorizedAlways, "still to be confirmed another time")
        #expect(machine.access(.init(isInUse: false)) == .suspended)
    }

    @Test("an unanswered prompt fails all waiting requests")
    func nobodyAnswers() {
        var machine = State.notDetermined.machine
        _ = machine.handle(.request(1, .whenInUse), at: start)
        _ = machine.handle(.request(2, .always), at: start)
        #expect(machine.handle(.unanswered, at: start) == [.fail(1, .unanswered), .fail(2, .unanswered)])
        #expect(machine.authorization.status == .notDetermined)
        #expect(machine.handle(.request(3, .whenInUse), at: start) == [.show(whenInUsePrompt)])
    }

    @Test("prompts are limited to a burst and then one a minute")
    func promptsAreRationed() {
        var machine = State.notDetermined.machine
        for id in 1...5 as ClosedRange<UInt64> {
            #expect(machine.handle(.request(id, .whenInUse), at: start) == [.show(whenInUsePrompt)])
            #expect(machine.handle(.withdraw(id), at: start) == [.withdrawPrompt])
        }
        #expect(machine.handle(.request(6, .whenInUse), at: start) == [.fail(6, .tooManyPrompts)])
        let later = start + .seconds(60)
        #expect(machine.handle(.request(7, .whenInUse), at: later) == [.show(whenInUsePrompt)])
        #expect(machine.handle(.withdraw(7), at: later) == [.withdrawPrompt])
        #expect(machine.handle(.request(8, .whenInUse), at: later) == [.fail(8, .tooManyPrompts)])
    }

    @Test("without room for a prompt a request fails at once, and spends nothing of the prompt budget")
    func noRoom() {
        var machine = State.notDetermined.machine
        machine.promptObstacle = .noRoomForPrompt
        for id in 1...9 as ClosedRange<UInt64> {
            #expect(machine.handle(.request(id, .whenInUse), at: start) == [.fail(id, .noRoomForPrompt)])
        }
        machine.promptObstacle = nil
        #expect(machine.handle(.request(10, .whenInUse), at: start) == [.show(whenInUsePrompt)])
        machine.promptObstacle = .noRoomForPrompt
        // It joins the open prompt.
        #expect(machine.handle(.request(11, .whenInUse), at: start) == [])
    }

    @Test(
        "a missing usage description fails the request at once",
        arguments: [
            (\.whenInUseUsageDescription, .whenInUse, "NSLocationWhenInUseUsageDescription"),
            (\.whenInUseUsageDescription, .always, "NSLocationWhenInUseUsageDescription"),
            (\.alwaysUsageDescription, .always, "NSLocationAlwaysAndWhenInUseUsageDescription"),
        ] as [(any WritableKeyPath<ClientDeclaration, String?> & Sendable, ClientAuthorization.Request, String)])
    func missingUsageDescriptionFailsAtOnce(
        text: any WritableKeyPath<ClientDeclaration, String?> & Sendable, request: ClientAuthorization.Request,
        key: String
    ) {
        var machine = ClientAuthorization(
            record: AuthorizationRecord(),
            circumstances: .init(declaration: completeDeclaration { $0[keyPath: text] = nil }, isEnabledForUser: true)
        )
        #expect(machine.handle(.request(9, request), at: start) == [.fail(9, .missingUsageDescription(key: key))])
    }

    // MARK: Commands

    @Test("commands decide in every state", arguments: State.allCases)
    func commands(state: State) {
        let hidden = state == .restricted || state == .servicesOff
        for (decision, status) in [
            (.allow(.whenInUse), .authorizedWhenInUse), (.allow(.always), .authorizedAlways), (.deny, .denied),
            (.reset, .notDetermined),
        ] as [(ClientAuthorization.Decision, AuthorizationStatus)] {
            var machine = state.machine
            let before = machine.authorization.status
            _ = machine.handle(.decide(decision), at: start)
            #expect(machine.authorization.status == (hidden ? before : status))
        }
    }

    @Test("a decision that ends leads back to the one before it, in every state", arguments: State.allCases)
    func endings(state: State) {
        let (noon, later) = (Timestamp(secondsSince1970: 1000), Timestamp(secondsSince1970: 2000))
        var machine = state.machine
        let before = machine.record
        _ = machine.handle(.decide(.allow(.always, until: noon)), at: start)
        #expect(machine.record.grant == .always && machine.record.ending == .init(time: noon, next: before.grant))
        // A second one puts the end off, and not what follows it.
        _ = machine.handle(.decide(.allow(.whenInUse, until: later)), at: start)
        #expect(machine.record.ending == .init(time: later, next: before.grant))
        #expect(machine.record.current(at: noon) == machine.record)
        #expect(machine.record.current(at: later).grant == before.grant)
        for time in [noon, Timestamp(secondsSince1970: 1999)] {
            _ = machine.handle(.decide(.end(at: time)), at: start)
            #expect(machine.record.grant == .whenInUse, "not yet")
        }
        _ = machine.handle(.decide(.end(at: later)), at: start)
        #expect(machine.record == before)
        #expect(machine.recordToSave(by: .decide(.end(at: later))) == (before == machine.savedRecord ? nil : before))
    }

    @Test(
        "a reset for lack of use takes a permission, and leaves a denial and a decision that ends",
        arguments: State.allCases)
    func unused(state: State) {
        var machine = state.machine
        let before = machine.record
        _ = machine.handle(.decide(.resetUnused), at: start)
        #expect(machine.record.grant == (before.grant == .denied ? .denied : nil))
        let keepsAccuracy = before.accuracy == .reduced || before.grant == .denied
        #expect(machine.record.accuracy == (keepsAccuracy ? before.accuracy : nil))
        var ending = state.machine
        _ = ending.handle(.decide(.allow(.always, until: Timestamp(secondsSince1970: 1000))), at: start)
        let record = ending.record
        _ = ending.handle(.decide(.resetUnused), at: start)
        #expect(ending.record == record)
    }

    @Test("a denial and a lasting decision have no end, and accuracy leaves it")
    func lasting() {
        let end = Timestamp(secondsSince1970: 1000)
        for decision in [ClientAuthorization.Decision.deny, .reset, .allow(.always)] {
            var machine = State.whenInUse.machine
            _ = machine.handle(.decide(.allow(.always, until: end)), at: start)
            _ = machine.handle(.decide(decision), at: start)
            #expect(machine.record.ending == nil, "\(decision)")
        }
        var machine = State.whenInUse.machine
        _ = machine.handle(.decide(.allow(.always, until: end)), at: start)
        _ = machine.handle(.decide(.accuracy(.reduced)), at: start)
        #expect(machine.record.ending?.time == end)
        // What another database restricts has no end either.
        var denied = AuthorizationRecord()
        denied.grant = .denied
        #expect(machine.record.restricted(by: denied).ending == nil)
        denied.grant = .always
        denied.ending = .init(time: end, next: .denied)
        #expect(machine.record.restricted(by: denied).grant == .denied, "the denial is not forgotten")
    }

    @Test("a command withdraws the open prompt")
    func commandWithdrawsPrompt() {
        var machine = State.notDetermined.machine
        _ = machine.handle(.request(1, .whenInUse), at: start)
        #expect(machine.recordToSave(by: .decide(.deny)) == record(.denied))
        #expect(machine.handle(.decide(.deny), at: start) == [.withdrawPrompt, .complete(1)])
    }

    // MARK: Ceilings and switches

    @Test("a hidden decision takes effect again afterwards", arguments: State.allCases)
    func hiddenDecisionTakesEffectAgain(state: State) {
        var machine = state.machine
        guard state != .restricted, state != .servicesOff else { return }
        let before = machine.authorization
        let changes: [(ClientAuthorization.Circumstances, AuthorizationStatus)] = [
            (
                .init(declaration: completeDeclaration { $0.policy.isRestricted = true }, isEnabledForUser: true),
                .restricted
            ),
            (.init(declaration: completeDeclaration(), isEnabledForUser: false), .denied),
            (
                .init(
                    declaration: completeDeclaration { $0.policy.maximumAuthorization = .whenInUse },
                    isEnabledForUser: true),
                before.status == .authorizedAlways ? .authorizedWhenInUse : before.status
            ),
        ]
        for (circumstances, status) in changes {
            #expect(machine.handle(.circumstances(circumstances), at: start) == [])
            #expect(machine.authorization.status == status)
            let back = ClientAuthorization.Circumstances(declaration: completeDeclaration(), isEnabledForUser: true)
            #expect(machine.handle(.circumstances(back), at: start) == [])
            #expect(machine.authorization == before)
        }
    }

    @Test("a lower maximum withdraws a prompt that has become pointless")
    func lowerMaximumWithdrawsPointlessPrompt() {
        var machine = State.whenInUse.machine
        _ = machine.handle(.request(1, .always), at: start)
        let lowered = completeDeclaration { $0.policy.maximumAuthorization = .whenInUse }
        let circumstances = ClientAuthorization.Circumstances(declaration: lowered, isEnabledForUser: true)
        #expect(machine.handle(.circumstances(circumstances), at: start) == [.withdrawPrompt, .complete(1)])
        #expect(machine.handle(.request(2, .always), at: start) == [.complete(2)])
        #expect(!machine.record.hasUsedUpgradePrompt, "the one prompt is not spent")
    }

    @Test("a preset needs no prompt, and a denial overrides it")
    func presetNeedsNoPromptAndDenialOverridesIt() {
        let preset = completeDeclaration { $0.policy.presetAuthorization = .always }
        var machine = ClientAuthorization(
            record: AuthorizationRecord(), circumstances: .init(declaration: preset, isEnabledForUser: true))
        #expect(machine.authorization.status == .authorizedAlways)
        #expect(machine.access(.init(isInUse: false)) == .permitted(.full))
        #expect(machine.handle(.request(1, .always), at: start) == [.complete(1)])
        _ = machine.handle(.decide(.deny), at: start)
        #expect(machine.authorization.status == .denied)
    }

    // MARK: Accuracy

    @Test("temporary full accuracy ends with use")
    func temporaryFullAccuracy() {
        let rough = completeDeclaration { $0.isReducedAccuracyDefault = true }
        var machine = ClientAuthorization(
            record: record(.whenInUse), circumstances: .init(declaration: rough, isEnabledForUser: true))
        #expect(machine.access(.init(isInUse: true)) == .permitted(.reduced))
        let prompt = Prompt(
            kind: .temporaryFullAccuracy(purposeKey: "radar"), usageDescription: "Shows the rain radar.")
        #expect(machine.handle(.request(1, .temporaryFullAccuracy(purposeKey: "radar")), at: start) == [.show(prompt)])
        #expect(machine.handle(.answer(.allowOnce), at: start) == [.complete(1)])
        #expect(machine.access(.init(isInUse: true)) == .permitted(.full))
        _ = machine.handle(.leftUse, at: start)
        #expect(machine.access(.init(isInUse: true)) == .permitted(.reduced))
        #expect(
            machine.handle(.request(2, .temporaryFullAccuracy(purposeKey: "spying")), at: start)
                == [.fail(2, .missingUsageDescription(key: "NSLocationTemporaryUsageDescriptionDictionary.spying"))])
    }

    @Test("the maximum accuracy limits decisions")
    func maximumAccuracyLimitsDecisions() {
        let rough = completeDeclaration { $0.policy.maximumAccuracy = .reduced }
        var machine = ClientAuthorization(
            record: record(.always), circumstances: .init(declaration: rough, isEnabledForUser: true))
        _ = machine.handle(.decide(.accuracy(.full)), at: start)
        #expect(machine.access(.init(isInUse: true)) == .permitted(.reduced))
        #expect(
            machine.handle(.request(1, .temporaryFullAccuracy(purposeKey: "radar")), at: start) == [.complete(1)])
    }

    // MARK: Access

    @Test(
        "access depends on state and use",
        arguments: [
            (.notDetermined, .refused, .refused), (.whenInUse, .suspended, .permitted(.full)),
            (.once, .suspended, .permitted(.full)), (.provisionalAlways, .suspended, .permitted(.full)),
            (.always, .permitted(.full), .permitted(.full)), (.denied, .refused, .refused),
            (.restricted, .refused, .refused), (.servicesOff, .refused, .refused),
        ] as [(State, Access, Access)])
    func access(in state: State, inTheBackground: Access, inUse: Access) {
        #expect(state.machine.access(.init(isInUse: false)) == inTheBackground)
        #expect(state.machine.access(.init(isInUse: true)) == inUse)
    }
}
