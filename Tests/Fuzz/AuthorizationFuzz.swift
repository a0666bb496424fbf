import LocationModel
import LocationPolicy

/// Random events of one client's authorization, two bytes or a little more each.
enum AuthorizationFuzz {
    static func run(_ input: [UInt8]) throws {
        var choices = Choices(input)
        var watch = AuthorizationWatch(circumstances(&choices))
        var instant = ContinuousClock.now
        var id: UInt64 = 0
        while !choices.isEmpty {
            id += 1
            instant += .seconds(Int(choices.byte() % 64))
            try watch.take(event(id, &choices), at: instant)
        }
    }

    private static func event(_ id: UInt64, _ choices: inout Choices) -> ClientAuthorization.Event {
        switch choices.byte() % 12 {
        case 0: .request(id, .whenInUse)
        case 1: .request(id, .always)
        case 2: .request(id, .temporaryFullAccuracy(purposeKey: choices.one(of: ["radar", "unknown"])))
        case 3, 4: .answer(choices.one(of: Prompt.Choice.allCases))
        case 5: .withdraw(id - min(id, UInt64(choices.byte())))
        case 6: .unanswered
        case 7: .leftUse
        case 8: .ended
        case 9: .backgroundDeliveryDue
        case 10:
            .decide(
                choices.one(of: [
                    .allow(.whenInUse), .allow(.always), .deny, .reset, .accuracy(.full), .accuracy(.reduced),
                ]))
        default: .circumstances(circumstances(&choices))
        }
    }

    private static func circumstances(_ choices: inout Choices) -> ClientAuthorization.Circumstances {
        let (flags, texts) = (choices.byte(), choices.byte())
        var declaration = ClientDeclaration(identifier: "org.example.App", match: ClientMatch(), file: "F")
        declaration.policy.isRestricted = flags & 1 != 0
        declaration.policy.maximumAuthorization = flags & 2 != 0 ? .whenInUse : .always
        declaration.policy.maximumAccuracy = flags & 4 != 0 ? .reduced : .full
        declaration.isReducedAccuracyDefault = flags & 8 != 0
        declaration.policy.presetAuthorization = flags & 16 == 0 ? nil : flags & 32 != 0 ? .always : .whenInUse
        declaration.whenInUseUsageDescription = texts & 1 == 0 ? "while it is used" : nil
        declaration.alwaysUsageDescription = texts & 2 == 0 ? "always" : nil
        declaration.temporaryFullAccuracyPurposes = texts & 4 == 0 ? ["radar": "for now"] : [:]
        return .init(declaration: declaration, isEnabledForUser: flags & 64 == 0)
    }
}

/// An independent model of the state machine, fed with its events and actions.
private struct AuthorizationWatch {
    private var machine: ClientAuthorization
    private var policy: ClientPolicy
    private var waiting: Set<ClientAuthorization.RequestID> = []
    private var shown: Prompt?
    /// True after a denial of the user or an administrator.
    private var isDenied = false
    /// True after a grant, until a denial or a reset.
    private var isAllowed = false
    /// The same for *allow once*.
    private var isAllowedOnce = false

    init(_ circumstances: ClientAuthorization.Circumstances) {
        machine = ClientAuthorization(record: AuthorizationRecord(), circumstances: circumstances)
        policy = circumstances.declaration.policy
    }

    mutating func take(_ event: ClientAuthorization.Event, at instant: ContinuousClock.Instant) throws {
        let (before, asked, saved) = (machine.record, shown, machine.recordToSave(by: event))
        let actions = machine.handle(event, at: instant)
        noteInput(event, asked)
        for action in actions {
            switch action {
            case .show(let prompt):
                try Finding.unless(shown == nil, "a second prompt is open")
                try Finding.unless(!prompt.usageDescription.isEmpty, "a prompt does not say why")
                shown = prompt
            case .withdrawPrompt:
                try Finding.unless(shown != nil, "a prompt was withdrawn that was not open")
                shown = nil
            case .complete(let id), .fail(let id, _):
                try Finding.unless(waiting.remove(id) != nil, "request \(id) was answered without having been asked")
            }
        }
        try Finding.unless(shown == machine.prompt, "the prompt that is shown is not the one that is open")
        try Finding.unless(before == machine.record || saved != nil, "nothing was saved")
        if let saved {
            try Finding.unless(saved == machine.record, "what is saved is not what holds")
            try Finding.unless(machine.handle(.saved(saved), at: instant).isEmpty, "saving has an effect of its own")
        }
        try Finding.unless(shown != nil || waiting.isEmpty, "a request waits and nobody is asked")
        try checkAccess()
    }

    private mutating func noteInput(_ event: ClientAuthorization.Event, _ asked: Prompt?) {
        switch event {
        case .request(let id, _): waiting.insert(id)
        case .withdraw(let id): waiting.remove(id)
        case .unanswered: shown = nil
        case .answer(let choice):
            guard let asked, asked.kind.choices.contains(choice) else { return }
            shown = nil
            if case .temporaryFullAccuracy = asked.kind { return }
            isDenied = choice == .dontAllow
            isAllowedOnce = choice == .allowOnce
            isAllowed = !isDenied && !isAllowedOnce
        case .decide(.deny): decided(isDenied: true, isAllowed: false)
        case .decide(.allow): decided(isDenied: false, isAllowed: true)
        case .decide(.reset): decided(isDenied: false, isAllowed: false)
        case .decide(.resetUnused): isAllowed = false
        case .leftUse, .ended: isAllowedOnce = false
        case .circumstances(let circumstances): policy = circumstances.declaration.policy
        case .decide(.accuracy), .decide(.end), .backgroundDeliveryDue, .saved: break
        }
    }

    private mutating func decided(isDenied: Bool, isAllowed: Bool) {
        (self.isDenied, self.isAllowed, isAllowedOnce) = (isDenied, isAllowed, false)
    }

    private func checkAccess() throws {
        let now = machine.authorization
        if isDenied {
            try Finding.unless([.denied, .restricted].contains(now.status), "a denial has become \(now.status)")
        }
        for isInUse in [false, true] {
            guard case .permitted(let accuracy) = machine.access(.init(isInUse: isInUse)) else { continue }
            try Finding.unless(
                isAllowed || isAllowedOnce || policy.presetAuthorization != nil, "a location that nobody has allowed")
            try Finding.unless(!policy.isRestricted, "a location that the policy forbids")
            switch now.status {
            case .authorizedAlways: break
            case .authorizedWhenInUse: try Finding.unless(isInUse, "a location in the background while \(now.status)")
            case .notDetermined, .denied, .restricted: throw Finding("a location while \(now.status)")
            }
            try Finding.unless(accuracy == now.accuracy, "another accuracy than the client is told")
        }
    }
}
