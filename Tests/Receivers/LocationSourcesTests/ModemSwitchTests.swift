import LinuxPlumbing
import Testing

@testable import LocationSources

@Suite(.timeLimit(.minutes(10))) struct ModemSwitchTests {
    private static let refusal = BusFailure(name: "org.example.Unauthorized", text: "not authorized")

    /// A switch whose receiver was switched on here.
    private func switchedOn(enabled: UInt32 = 1) -> ModemSwitch {
        var power = ModemSwitch(enabled: enabled, signals: false)
        #expect(power.setNeeded(true) == [.setUp(sources: enabled | 4, signals: false)])
        #expect(power.answered() == [])
        #expect(power.isOn && power.isOurs)
        return power
    }

    @Test("the receiver is switched on besides what is gathered already, and cleared alone", arguments: [0, 1, 3, 35])
    func ownBitAlone(enabled: UInt32) {
        var power = switchedOn(enabled: enabled)
        #expect(power.update(enabled: enabled | 4 | 64, signals: nil) == [])
        #expect(power.setNeeded(false) == [.setUp(sources: enabled | 64, signals: false)])
        #expect(!power.isSettled)
        #expect(power.answered() == [])
        #expect(power.isSettled && !power.isOn)
    }

    @Test("a receiver that was on before is used, and left on")
    func foreignReceiver() {
        var power = ModemSwitch(enabled: 5, signals: false)
        #expect(power.setNeeded(true) == [])
        #expect(power.isOn && !power.isOurs && power.problem == nil)
        #expect(power.setNeeded(false) == [])
        #expect(power.isSettled)
    }

    @Test("the receiver is not switched on while its location is shown to every user")
    func shownToAll() {
        var power = ModemSwitch(enabled: 1, signals: true)
        #expect(power.setNeeded(true) == [])
        #expect(power.problem == .shownToAll)
        #expect(power.update(enabled: nil, signals: false) == [.setUp(sources: 5, signals: false)])
        #expect(power.answered() == [])
        #expect(power.problem == nil)
    }

    @Test("the receiver is switched off at once when its location begins to be shown to every user, and the flag stays")
    func shownLater() {
        var power = switchedOn()
        #expect(power.update(enabled: nil, signals: true) == [.setUp(sources: 1, signals: true)])
        #expect(power.answered() == [])
        #expect(power.problem == .shownToAll)
        #expect(!power.isOn)
    }

    @Test("a receiver that another program shows to every user is used, and reported as shown")
    func shownByOther() {
        var power = ModemSwitch(enabled: 7, signals: true)
        #expect(power.setNeeded(true) == [])
        #expect(power.isOn && power.problem == .shownToAll)
        #expect(power.setNeeded(false) == [])
        #expect(power.isSettled)
    }

    @Test("a receiver that another program switched off is switched on again, at growing intervals")
    func switchedOff() {
        var power = switchedOn()
        #expect(power.update(enabled: 1, signals: nil) == [.retry(after: .seconds(5))])
        #expect(power.problem == .switchedOff)
        #expect(power.retry() == [.setUp(sources: 5, signals: false)])
        #expect(power.answered() == [])
        #expect(power.problem == nil)
        #expect(power.update(enabled: 0, signals: nil) == [.retry(after: .seconds(10))])
        // Nothing is left to be cleared.
        #expect(power.setNeeded(false) == [])
        #expect(power.isSettled)
    }

    @Test("a refusal is reported, and tried again later")
    func refusal() {
        var power = ModemSwitch(enabled: 1, signals: false)
        #expect(power.setNeeded(true) == [.setUp(sources: 5, signals: false)])
        #expect(power.answered(Self.refusal) == [.retry(after: .seconds(5))])
        #expect(power.problem == .refused(Self.refusal))
        #expect(!power.isOurs)
        #expect(power.retry() == [.setUp(sources: 5, signals: false)])
        #expect(power.answered() == [])
        #expect(power.problem == nil)
    }

    @Test("a port that another program owns is left alone")
    func unmanaged() {
        var power = ModemSwitch(enabled: 17, signals: false)
        #expect(power.setNeeded(true) == [])
        #expect(power.problem == .unmanaged)
    }

    @Test("a need that ends while the receiver is being switched on switches it off afterwards, and the reverse")
    func changesOfMind() {
        var power = ModemSwitch(enabled: 1, signals: false)
        #expect(power.setNeeded(true) == [.setUp(sources: 5, signals: false)])
        #expect(power.setNeeded(false) == [])
        #expect(!power.isSettled)
        #expect(power.answered() == [.setUp(sources: 1, signals: false)])
        #expect(power.setNeeded(true) == [])
        #expect(power.answered() == [.setUp(sources: 5, signals: false)])
        #expect(power.answered() == [])
        #expect(power.isOn && power.isOurs)
    }

    @Test("a refusal to switch off is not repeated without end")
    func refusalToSwitchOff() {
        var power = switchedOn()
        #expect(power.setNeeded(false) == [.setUp(sources: 1, signals: false)])
        #expect(power.answered(Self.refusal) == [])
        #expect(power.isSettled)
        #expect(power.problem == .refused(Self.refusal))
    }
}
