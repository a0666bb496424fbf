/// The state of one client object: what was set, whether it is started, and what has been announced.
///
/// A state machine without effects. It is told what happened and returns what is to be done, in this order.
///
/// `Start` is held until it is known how it ends, since an error is the one "no" that every client understands, but not for
/// longer than clients wait: see ``longestHold``. A fix is announced only if the one before was read: the bus has no
/// back-pressure, and queues whatever a client that is asleep does not read.
public struct ClientObject: Sendable {
    /// How long a call of `Start` is held, in seconds. Clients give up after 25 (the default of every D-Bus library).
    public static let longestHold: Int64 = 20

    /// An event.
    public enum Event: Sendable {
        /// The peer called `Start`.
        case start
        /// The peer called `Stop`.
        case stop
        /// It may have locations, as far as its authorization goes.
        case permitted
        /// It may have locations, and there is one to announce.
        case located
        /// It may have locations, but none comes before the user comes back to it.
        case suspended
        /// It may not have locations.
        case refused(BusError)
        /// Nobody has decided whether it may have locations: not yet, or not any more.
        case undecided
        /// Nothing more will come.
        case ended(BusError)
        /// Calls were held for ``longestHold``.
        case held(isPermitted: Bool)
    }

    /// An action of the caller.
    public enum Action: Hashable, Sendable {
        /// Keep the call of `Start` for ``answerStart(_:)``.
        case holdStart
        /// Answer all calls of `Start` that are held, and this one.
        case answerStart(BusError?)
        /// Begin to ask for locations.
        case open
        /// Ask for locations no more.
        case close
        /// Tell the peer the new value of `Active`.
        case tellActive(Bool)
        /// Tell the peer of a location: the paths of the one before and of this one.
        case announce(old: String, new: ObjectPath)
    }

    private enum State: Hashable {
        case stopped
        /// It is not known yet what comes of `Start`, whose calls are held or were answered.
        case waiting(isHeld: Bool)
        case active
        /// It was active, or may become it, but may have no locations now.
        case refused
    }

    /// Names it while the service runs.
    public let number: UInt64
    /// `DesktopId`
    public private(set) var desktopID = ""
    /// `DistanceThreshold`, in metres; 0 for none.
    public private(set) var distanceThreshold: UInt32 = 0
    /// `TimeThreshold`, in seconds; 0 for none.
    public private(set) var timeThreshold: UInt32 = 0
    /// `RequestedAccuracyLevel`
    public private(set) var requestedLevel = AccuracyLevel.initial
    /// How many locations were announced; they are numbered from 0.
    public private(set) var announced: UInt64 = 0
    /// Whether the peer has read the location that was announced last.
    public private(set) var isRead = true
    private var state = State.stopped
    /// Whether a location was announced since it was started.
    private var hasLocation = false

    /// A client object that is not started.
    public init(number: UInt64) { self.number = number }

    /// `Active`
    public var isActive: Bool { state == .active }
    /// Whether it is neither started nor waiting for that.
    public var isStopped: Bool { state == .stopped }

    /// The properties, in the order of the interface's description.
    public var properties: [PropertyValue] {
        [
            ("Location", .path(location)), ClientProperty.distanceThreshold(distanceThreshold).told,
            ClientProperty.timeThreshold(timeThreshold).told, ClientProperty.desktopID(desktopID).told,
            ClientProperty.requestedLevel(requestedLevel).told, ("Active", .boolean(isActive)),
        ]
    }

    /// `Location`: that of the location that was announced last since the start, or "/". Some clients take whatever is there
    /// after they have started as the first fix.
    public var location: String {
        hasLocation ? ObjectPath.location(client: number, number: announced - 1).text : ObjectPath.none
    }

    /// Sets a property. Says whether that changed it.
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

    /// The peer has read a location. Says whether it can have the next one now.
    public mutating func read(_ number: UInt64) -> Bool {
        guard !isRead, number + 1 == announced else { return false }
        isRead = true
        return true
    }

    /// Takes in what happened and says what is to be done.
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
            (hasLocation, isRead) = (false, true)
            return [.holdStart, .open]
        case .waiting:
            state = .waiting(isHeld: true)
            return [.holdStart]
        case .active: return [.answerStart(nil)]
        case .refused:
            // Asked anew: the user may have forgotten the decision meanwhile.
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
        case .active: return [.close, .tellActive(false)]
        }
    }

    private mutating func activate() -> [Action] {
        let before = state
        switch before {
        case .stopped, .active: return []
        case .waiting(let isHeld):
            state = .active
            return (isHeld ? [.answerStart(nil)] : []) + [.tellActive(true)]
        case .refused:
            state = .active
            return [.tellActive(true)]
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
            return [.tellActive(false)]
        }
    }

    private mutating func end(_ error: BusError) -> [Action] {
        let before = state
        state = .stopped
        switch before {
        case .waiting(isHeld: true): return [.answerStart(error)]
        case .active: return [.tellActive(false)]
        case .stopped, .waiting(isHeld: false), .refused: return []
        }
    }

    private mutating func releaseStart() -> [Action] {
        guard state == .waiting(isHeld: true) else { return [] }
        state = .waiting(isHeld: false)
        return [.answerStart(nil)]
    }
}
