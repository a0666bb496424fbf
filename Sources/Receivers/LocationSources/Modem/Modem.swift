import LinuxPlumbing
import NIOCore
import Pacing

/// A modem of ModemManager whose receiver can be read: switches it on while it is needed, and reads its sentences.
///
/// Confined to its event loop. After `drop()` nothing is reported.
final class Modem {
    /// The reason for which it has no location, or for which its use is a risk.
    enum Problem: Equatable {
        case switching(ModemSwitch.Problem)
        /// ModemManager has refused to answer.
        case refused(BusFailure)
        /// Nothing new comes.
        case silent
        /// Nothing comes that is NMEA with RMC and GGA.
        case withoutSentences
    }

    static let interface = "org.freedesktop.ModemManager1.Modem.Location"
    /// The time within which ModemManager has to answer. It queries polkit, and has the modem switch its receiver.
    private static let timeout = Duration.seconds(5)

    /// The name of its receiver, which stays the same while the modem is plugged in at the same port: `modem:1-1`.
    let device: String
    /// The modem's own name; `nil` if unknown.
    let driver: String?
    private let path: String
    private let service: BusService
    private let eventLoop: any EventLoop
    private let report: (ReceiverReport) -> Void
    private let onChange: () -> Void

    private var power: ModemSwitch
    private var answers: ModemAnswers
    private var pace = ModemPace()
    private var asking: LoopTimer?
    private var isAwaitingAnswer = false
    private var retry: LoopTimer?
    private var refusal: BusFailure?

    /// - Parameters:
    ///   - properties: those of the modem's `Location` interface.
    ///   - onChange: called when its state or its problem may have changed.
    init(
        at path: String, name: (device: String, driver: String?), properties: BusArgument, of service: BusService,
        eventLoop: any EventLoop, report: @escaping (ReceiverReport) -> Void, onChange: @escaping () -> Void
    ) {
        (self.path, device, driver, self.service) = (path, name.device, name.driver, service)
        (self.eventLoop, self.report, self.onChange) = (eventLoop, report, onChange)
        power = ModemSwitch(
            enabled: properties.enabledSources ?? 0, signals: properties["SignalsLocation"]?.isTrue ?? false)
        answers = ModemAnswers(device: device)
    }

    /// True if its receiver is read.
    var isActive: Bool { power.isNeeded && power.isOn }
    /// True if nothing is left to be done for a receiver that is not needed.
    var isSettled: Bool { power.isSettled }

    var problem: Problem? {
        if let problem = power.problem { return .switching(problem) }
        if let refusal { return .refused(refusal) }
        guard isActive, answers.isSilent else { return nil }
        return answers.hasSentences ? .silent : .withoutSentences
    }

    func setNeeded(_ needed: Bool) { perform(power.setNeeded(needed)) }

    /// Processes changed properties of its `Location` interface.
    func update(_ properties: BusArgument) {
        perform(power.update(enabled: properties.enabledSources, signals: properties["SignalsLocation"]?.isTrue))
    }

    /// Tries again at once, because the modem has been enabled, for example.
    func stateChanged() {
        retry?.cancel()
        perform(power.retry())
    }

    /// Ends everything, because the modem or ModemManager has disappeared.
    func drop() {
        asking?.cancel()
        retry?.cancel()
    }

    private func perform(_ actions: [ModemSwitch.Action]) {
        for action in actions {
            switch action {
            case .setUp(let sources, let signals): setUp(sources, signals)
            case .retry(let delay):
                retry = schedule(in: delay) { [weak self] in
                    guard let self else { return }
                    perform(power.retry())
                }
            }
        }
        if !power.isNeeded { retry?.cancel() }
        if isActive {
            if asking == nil, !isAwaitingAnswer { beginAsking() }
        } else {
            asking?.cancel()
            (asking, refusal) = (nil, nil)
        }
        onChange()
    }

    private func setUp(_ sources: UInt32, _ signals: Bool) {
        service.call(
            "Setup", of: Self.interface, at: path, timeout: Self.timeout,
            {
                $0.append(sources)
                $0.append(signals)
            },
            answer: { [weak self] answer in
                guard let self else { return }
                switch answer {
                case .success: perform(power.answered())
                case .failure(let failure): perform(power.answered(failure))
                }
            })
    }

    // MARK: Asking for sentences

    private func beginAsking() {
        (answers, pace) = (ModemAnswers(device: device), ModemPace())
        ask()
    }

    private func ask() {
        asking = nil
        isAwaitingAnswer = true
        service.call("GetLocation", of: Self.interface, at: path, timeout: Self.timeout) { [weak self] answer in
            self?.receive(answer)
        }
    }

    private func receive(_ answer: Result<[BusArgument], BusFailure>) {
        isAwaitingAnswer = false
        guard isActive else { return }
        let delay: Duration
        switch answer {
        case .success(let values):
            refusal = nil
            let result = answers.receive(values.first?[UInt64(ModemSwitch.Sources.nmea)]?.text)
            result.reports.forEach(report)
            delay = pace.delay(afterNew: result.isNew)
        case .failure(let failure):
            refusal = failure
            delay = ModemPace.pause
        }
        // What was reported may have ended the need.
        if isActive { asking = schedule(in: delay) { [weak self] in self?.ask() } }
        onChange()
    }

    private func schedule(in delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        eventLoop.makeTimer(in: TimeAmount(delay), body)
    }
}

extension BusArgument {
    /// The set of gathered kinds of data.
    fileprivate var enabledSources: UInt32? { self["Enabled"]?.integer.flatMap { UInt32(exactly: $0) } }
}
