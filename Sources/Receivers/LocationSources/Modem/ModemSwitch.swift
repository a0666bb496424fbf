import LinuxPlumbing
import Pacing

/// Decides when to have ModemManager switch a modem's receiver on or off: a state machine that returns actions.
///
/// ModemManager gathers one set of kinds of locations that all programs share, with one flag by which it shows the location to every user of
/// the machine. So a request holds what is gathered already and the flag as it is; only a bit that was set here is cleared; and
/// the receiver is neither switched on nor kept on from here while another program has that flag set.
struct ModemSwitch {
    /// The kinds of locations that ModemManager gathers: `MMModemLocationSource`.
    enum Sources {
        static let nmea: UInt32 = 4
        /// The port is left to another program, such as gpsd.
        static let unmanaged: UInt32 = 16
    }

    /// The reason for which the receiver cannot be used, or should not.
    enum Problem: Equatable {
        /// Another program has ModemManager show the location to every user.
        case shownToAll
        /// The receiver's port is left to another program.
        case unmanaged
        /// Another program has switched the receiver off.
        case switchedOff
        /// ModemManager has refused a request.
        case refused(BusFailure)
    }

    enum Action: Equatable {
        /// Calls `Setup`; `answered` follows.
        case setUp(sources: UInt32, signals: Bool)
        /// Calls `retry` after this time, unless the receiver is not needed any more.
        case retry(after: Duration)
    }

    private enum Request {
        case on, off
    }

    private(set) var enabled: UInt32
    private(set) var signals: Bool
    private(set) var isNeeded = false
    /// True if the receiver was switched on here.
    private(set) var isOurs = false
    private(set) var problem: Problem?
    /// The request that is not answered yet.
    private var request: Request?
    /// True until the next attempt is due.
    private var isWaiting = false
    private var backOff = BackOff(from: .seconds(5), to: .seconds(300))

    init(enabled: UInt32, signals: Bool) { (self.enabled, self.signals) = (enabled, signals) }

    /// True if ModemManager reads the receiver, for whomever.
    var isOn: Bool { enabled & Sources.nmea != 0 }
    /// True if nothing is left to be done for a receiver that is not needed.
    var isSettled: Bool { request == nil && !isOurs }

    mutating func setNeeded(_ needed: Bool) -> [Action] {
        guard needed != isNeeded else { return [] }
        (isNeeded, isWaiting) = (needed, false)
        backOff.reset()
        return proceed()
    }

    /// Processes the properties of the modem. What is missing is unchanged.
    mutating func update(enabled: UInt32?, signals: Bool?) -> [Action] {
        let wasOn = isOn
        self.enabled = enabled ?? self.enabled
        self.signals = signals ?? self.signals
        if isOurs, request == nil, wasOn, !isOn {
            isOurs = false
            guard isNeeded else { return [] }
            problem = .switchedOff
            return wait() + proceed()
        }
        return proceed()
    }

    /// Processes the answer to `setUp`; without a failure it was done.
    mutating func answered(_ failure: BusFailure? = nil) -> [Action] {
        let request = request
        self.request = nil
        switch (request, failure) {
        case (.on?, nil):
            isOurs = true
            enabled |= Sources.nmea
        case (.off?, nil):
            isOurs = false
            enabled &= ~Sources.nmea
        case (.on?, let failure?):
            problem = .refused(failure)
            return isNeeded ? wait() : []
        case (.off?, let failure?):
            // Another attempt would be refused as well.
            isOurs = false
            problem = .refused(failure)
            return []
        case (nil, _): break
        }
        return proceed()
    }

    /// Tries again.
    mutating func retry() -> [Action] {
        isWaiting = false
        return proceed()
    }

    private mutating func wait() -> [Action] {
        isWaiting = true
        return [.retry(after: backOff.next())]
    }

    private mutating func proceed() -> [Action] {
        guard request == nil else { return [] }
        if isOurs, !isNeeded || signals {
            request = .off
            return [.setUp(sources: enabled & ~Sources.nmea, signals: signals)]
        }
        guard isNeeded else { return [] }
        guard !signals else {
            problem = .shownToAll
            return []
        }
        if isOn {
            problem = nil
            return []
        }
        guard enabled & Sources.unmanaged == 0 else {
            problem = .unmanaged
            return []
        }
        guard !isWaiting else { return [] }
        request = .on
        return [.setUp(sources: enabled | Sources.nmea, signals: false)]
    }
}
