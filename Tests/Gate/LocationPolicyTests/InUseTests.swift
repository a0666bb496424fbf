import LocationPolicy
import Testing

@Suite(.timeLimit(.minutes(10))) struct InUseTests {
    static let attended = LoginSession(isActive: true)
    static let textual = LoginSession(isGraphical: false, isActive: true)

    /// Evidence, and whether it shows use.
    static let table: [(UsageEvidence, Bool)] = [
        // The process's own session.
        (.init(place: .session(attended)), true),
        (.init(place: .session(textual)), true),
        (.init(place: .session(.init(isActive: false))), false),
        (.init(place: .session(.init(isActive: true, isClosing: true))), false),
        (.init(place: .session(.init(isActive: true, isLocked: true))), false),
        (.init(place: .session(.init(isOfPerson: false, isActive: true))), false),
        // Its terminal.
        (.init(place: .session(textual), terminal: .foreground), true),
        (.init(place: .session(textual), terminal: .background), false),
        (.init(place: .session(attended), terminal: .background), false),
        (.init(place: .session(.init(isActive: false)), terminal: .foreground), false),
        // Applications of the user's service manager.
        (.init(place: .application(shownIn: attended)), true),
        (.init(place: .application(shownIn: .init(isActive: false))), false),
        (.init(place: .application(shownIn: .init(isActive: true, isLocked: true))), false),
        (.init(place: .application(shownIn: textual)), false),
        (.init(place: .application(shownIn: textual), terminal: .foreground), true),
        (.init(place: .application(shownIn: attended), terminal: .background), false),
        (.init(place: .application(shownIn: nil)), false),
        (.init(place: .application(shownIn: nil), terminal: .foreground), false),
        // Services.
        (.init(place: .background), false),
        (.init(place: .background, terminal: .foreground), false),
        // A background activity that is shown to the user.
        (.init(place: .background, isBackgroundActivityShown: true), true),
        (.init(place: .session(attended), terminal: .background, isBackgroundActivityShown: true), true),
        (.init(place: .session(.init(isActive: true, isLocked: true)), isBackgroundActivityShown: true), true),
    ]

    @Test("evidence of a session, terminal or shown activity is use", arguments: table)
    func evidence(
        _ evidence: UsageEvidence, isInUse: Bool
    ) {
        #expect(evidence.isInUse == isInUse)
        var inUse = InUse()
        inUse.update(evidence, at: .now)
        #expect(inUse.isInUse(at: .now) == isInUse)
        #expect(inUse.deadline == nil)
    }

    /// Evidence after a moment of use, and whether a grace period follows.
    static let ends: [(UsageEvidence, Bool)] = [
        (.init(place: .session(.init(isActive: false))), true),
        (.init(place: .session(attended), terminal: .background), true),
        (.init(place: .application(shownIn: nil)), true),
        (.init(place: .background), true),
        (.init(place: .session(.init(isActive: true, isLocked: true))), false),
        (.init(place: .session(.init(isActive: false, isLocked: true))), false),
        (.init(place: .session(.init(isActive: true, isClosing: true))), false),
        (.init(place: .application(shownIn: .init(isActive: true, isLocked: true))), false),
    ]

    @Test("grace follows a switch, but not the end of a session or a lock", arguments: ends)
    func graceAfter(
        _ evidence: UsageEvidence, hasGrace: Bool
    ) {
        let start = ContinuousClock.now
        var inUse = InUse()
        inUse.update(.init(place: .session(Self.attended)), at: start)
        inUse.update(evidence, at: start + .seconds(10))
        #expect(inUse.deadline == (hasGrace ? start + .seconds(15) : nil))
        #expect(inUse.isInUse(at: start + .seconds(14.999)) == hasGrace)
        #expect(!inUse.isInUse(at: start + .seconds(15)))
    }

    @Test("evidence against use does not renew the grace")
    func graceIsNotRenewedWithoutUse() {
        let (start, away) = (ContinuousClock.now, UsageEvidence(place: .session(.init(isActive: false))))
        var inUse = InUse()
        inUse.update(.init(place: .session(Self.attended)), at: start)
        for second in 1...6 { inUse.update(away, at: start + .seconds(second)) }
        #expect(!inUse.isInUse(at: start + .seconds(6)))
        #expect(inUse.deadline == nil)
    }

    @Test("use during the grace continues")
    func useContinuesDuringGrace() {
        let start = ContinuousClock.now
        var inUse = InUse()
        inUse.update(.init(place: .session(Self.attended)), at: start)
        inUse.update(.init(place: .background), at: start + .seconds(1))
        inUse.update(.init(place: .session(Self.attended)), at: start + .seconds(2))
        #expect(inUse.deadline == nil)
        #expect(inUse.isInUse(at: start + .seconds(3600)))
    }

    @Test("a lock during the grace ends it")
    func lockingDuringGraceEndsIt() {
        let start = ContinuousClock.now
        var inUse = InUse()
        inUse.update(.init(place: .session(Self.attended)), at: start)
        inUse.update(.init(place: .session(.init(isActive: false))), at: start)
        inUse.update(.init(place: .session(.init(isActive: false, isLocked: true))), at: start + .seconds(1))
        #expect(!inUse.isInUse(at: start + .seconds(1)))
    }

    static let units: [(String, String, Bool)] = [
        ("app-gnome-org.example.Weather-4711.scope", "app.slice", true),
        ("app-flatpak-org.example.Weather-4711.scope", "app.slice", true),
        ("app-org.example.Weather@1.service", "app.slice", true),
        ("app-org.example.Weather@autostart.service", "app.slice", true),
        ("vte-spawn-5b1c.scope", "app-org.gnome.Terminal.slice", true),
        ("tmux-spawn-5b1c.scope", "app-tmux.slice", true),
        ("weather.service", "app.slice", false),
        ("dbus-:1.2-org.example.Weather@0.service", "app.slice", false),
        ("app-org.example.Weather.service", "background.slice", false),
        ("app-org.example.Weather-1.scope", "session.slice", false),
        ("app-org.example.Weather-1.scope", "application.slice", false),
        ("init.scope", "", false),
    ]

    @Test("only units that hold applications count", arguments: units)
    func applications(
        _ unit: String, _ slice: String, isApplication: Bool
    ) {
        #expect(ApplicationUnit.isApplication(unit: unit, slice: slice) == isApplication)
    }

    @Test(
        "a program that the message bus starts is an application where the protocol is one of applications",
        arguments: [
            ("dbus.service", "session.slice"), ("dbus-:1.2-org.example.Weather@0.service", "app.slice"),
            ("dbus-org.example.Weather.service", "app.slice"), ("xdg-desktop-portal.service", "session.slice"),
        ])
    func activated(_ unit: String, _ slice: String) {
        #expect(!ApplicationUnit.isApplication(unit: unit, slice: slice))
        #expect(ApplicationUnit.isApplication(unit: unit, slice: slice, mayBeActivated: true))
        #expect(!ApplicationUnit.isApplication(unit: "weather.service", slice: "app.slice", mayBeActivated: true))
    }
}
