/// The state of a client object: its properties, whether it is started, and the announced locations.
///
/// A state machine without effects: it takes events and returns actions, to be performed in their order.
///
/// A call of `Start` is held until its outcome is known, because an error reply is the only refusal that every client
/// understands; at most for ``longestHold``, after which clients give up. A location is announced only after the previous one
/// was read: the bus has no back-pressure, and would queue signals for a client that does not read.
public struct ClientObject: Sendable {
    /// The longest time that a call of `Start` is held, in seconds. Clients give up after 25, the default of D-Bus libraries.
    public static let longestHold: Int64 = 20

    /// An event.
    public enum Event: Sendable {
        /// The peer called `Start`.
        case start
        /// The peer called `Stop`.
        case stop
        /// It is authorized.
        case permitted
        /// A location is due.
        case located
        /// It is authorized, but not in use.
        case suspended
        /// It is denied.
        case refused(BusError)
        /// The user has not decided yet, or the decision was reset.
        case undecided
        /// The core has ended its subscription.
        case ended(BusError)
        /// ``longestHold`` has passed.
        case held(isPermitted: Bool)
    }

    /// An action of the caller.
    public enum Action: Hashable, Sendable {
        /// Hold the call of `Start` until ``answerStart(_:)``.
        case holdStart
        /// Answer all held calls of `Start`, or the current call if none is held.
        case answerStart(BusError?)
        /// Subscribe to locations.
        case open
        /// End the subscription.
        case close
        /// Tell the peer the new value of `Active`.
        case announceActive(Bool)
        /// Tell the peer of a location: the paths of the one before and of this one.
        case announce(old: String, new: ObjectPath)
    }

    private enum State: Hashable {
        case stopped
        /// Started, with the outcome still open. Its calls of `Start` are held, or have been answered.
        case waiting(isHeld: Bool)
        case active
        /// Started and answered, but denied now.
        case refused
    }

    /// Its number in its path.
    public let number: UInt64
    /// `DesktopId`
    public private(set) var desktopID = ""
    /// `DistanceThreshold`, in metres; 0 for none.
    public private(set) var distanceThreshold: UInt32 = 0
    /// `TimeThreshold`, in seconds; 0 for none.
    public private(set) var timeThreshold: UInt32 = 0
    /// `RequestedAccuracyLevel`
    public private(set) var requestedLevel = AccuracyLevel.initial
    /// The number of announced locations, which are numbered from 0.
    public private(set) var announced: UInt64 = 0
    /// True if the peer has read the last announced location.
    public private(set) var isRead = true
    private var state = State.stopped
    private var wasStarted = false
    /// True if a location was announced since the start.
    private var hasLocation = false

    /// A client object that is not started.
    public init(number: UInt64) { self.number = number }

    /// `Active`
    public var isActive: Bool { state == .active }
    /// True before the first start, after a stop, and after a start that was refused.
    public var isStopped: Bool { state == .stopped }
    /// True if it was started, and is stopped again.
    public var wasUsed: Bool { wasStarted && isStopped }

    /// The properties, in the order of the interface's description.
    public var properties: [PropertyValue] {
        [
            ("Location", .path(location)), ClientProperty.distanceThreshold(distanceThreshold).change,
            ClientProperty.timeThreshold(timeThreshold).change, ClientProperty.desktopID(desktopID).change,
            ClientProperty.requestedLevel(requestedLevel).change, ("Active", .boolean(isActive)),
        ]
    }

    /// `Location`: the path of the last location announced since the start, or "/". Some clients read it after the start and
    /// take any other path as the first fix.
    public var location: String {
        hasLocation ? ObjectPath.location(client: number, number: announced - 1).text : ObjectPath.none
    }

    /// Sets a property. Returns true if its value has changed.
    public mutating func set(_ property: ClientProperty) -> Bool {
        func change<Value: Equatable>(_ value: inout Value, to new: Value) -> Bool {
            defer { value = new }
            return value != new
        }
        return switch property {
        case .desktopID(let text): change(&desktopID, to: text)
        case .distanceThreshold(let metres): change(&distanceThreshold, to: metres)
        case .timeThreshold(let seconds): change(&timeThreshold, to: seconds)
        case .requestedLevel(let level): change(&requestedLevel, to: level)
        }
    }

    /// Records that the peer has read a location. Returns true if the next one can be announced now.
    public mutating func read(_ number: UInt64) -> Bool {
        guard !isRead, number + 1 == announced else { return false }
        isRead = true
        return true
    }

    /// Takes an event and returns the actions that follow from it.
    public mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .start: start()
        case .stop: stop()
        case .permitted: state == .waiting(isHeld: true) ? [] : activate()
        case .located: state == .stopped ? [] : activate() + [announce()]
        case .suspended: activate()
        case .refused(let error): refuse(error)
        case .undecided: isActive ? refuse(.accessDenied("")) : []
        case .ended(let error): end(error)
        case .held(let isPermitted):
            if isPermitted { activate() } else { releaseStart() }
        }
    }

    private mutating func start() -> [Action] {
        switch state {
        case .stopped:
            state = .waiting(isHeld: true)
            (wasStarted, hasLocation, isRead) = (true, false, true)
            return [.holdStart, .open]
        case .waiting:
            state = .waiting(isHeld: true)
            return [.holdStart]
        case .active: return [.answerStart(nil)]
        case .refused:
            // A new request: the user may have reset the decision.
            state = .waiting(isHeld: true)
            return [.holdStart, .close, .open]
        }
    }

    private mutating func stop() -> [Action] {
        let before = state
        state = .stopped
        switch before {
        case .stopped: return []
        case .waiting(isHeld: true): return [.answerStart(nil), .close]
        case .waiting(isHeld: false), .refused: return [.close]
        case .active: return [.close, .announceActive(false)]
        }
    }

    private mutating func activate() -> [Action] {
        let before = state
        switch before {
        case .stopped, .active: return []
        case .waiting(let isHeld):
            state = .active
            return (isHeld ? [.answerStart(nil)] : []) + [.announceActive(true)]
        case .refused:
            state = .active
            return [.announceActive(true)]
        }
    }

    private mutating func announce() -> Action {
        let old = location
        announced += 1
        (hasLocation, isRead) = (true, false)
        return .announce(old: old, new: .location(client: number, number: announced - 1))
    }

    private mutating func refuse(_ error: BusError) -> [Action] {
        switch state {
        case .stopped, .refused: return []
        case .waiting(isHeld: true):
            state = .stopped
            return [.answerStart(error), .close]
        case .waiting(isHeld: false):
            state = .refused
            return []
        case .active:
            state = .refused
            return [.announceActive(false)]
        }
    }

    private mutating func end(_ error: BusError) -> [Action] {
        let before = state
        state = .stopped
        switch before {
        case .waiting(isHeld: true): return [.answerStart(error)]
        case .active: return [.announceActive(false)]
        case .stopped, .waiting(isHeld: false), .refused: return []
        }
    }

    private mutating func releaseStart() -> [Action] {
        guard state == .waiting(isHeld: true) else { return [] }
        state = .waiting(isHeld: false)
        return [.answerStart(nil)]
    }
}
