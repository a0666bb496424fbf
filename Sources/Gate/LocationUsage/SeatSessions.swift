import LinuxPlumbing
import NIOCore
import Pacing

/// The sessions of persons on the machine's seats, by logind on the bus.
///
/// Without logind, and until it has said everything about every session, nothing is known.
final class SeatSessions {
    static let name = "org.freedesktop.login1"
    static let path = "/org/freedesktop/login1"
    static let manager = "org.freedesktop.login1.Manager"
    static let session = "org.freedesktop.login1.Session"
    /// A session as logind describes it.
    fileprivate struct Session: Equatable {
        var user: UInt32
        /// True for a session in which a person works, at a seat or elsewhere.
        var isOfPerson: Bool
        /// True for a session that is ending: processes that were left behind keep it.
        var isClosing: Bool
        /// True for a session in which a person sits at a screen of the machine.
        var isAtSeat: Bool
        var isText: Bool
        var isActive: Bool
        var isLocked: Bool
        var isIdle: Bool
    }

    private let eventLoop: any EventLoop
    private let service: BusService
    /// The time after which text sessions are read again: logind computes their idleness, from the last keystroke, only when
    /// asked.
    private let interval: TimeAmount
    private let onChange: () -> Void
    /// By their paths, `nil` for one of which nothing is known yet; `nil` while they are not listed.
    private var sessions: [String: Session?]?
    /// The sessions that were locked when logind went away. A restarted logind has forgotten all locks (as of version 252), so
    /// they stay locked until it signals a change.
    private var lockedBefore: Set<String> = []
    private var timer: LoopTimer?
    /// True while idleness is wanted, for which text sessions are read again and again.
    var readsIdleness = false {
        didSet { if readsIdleness != oldValue { setTimer() } }
    }

    /// True while it matters which users are logged in, for which a session that is left is read again.
    var readsLogins = false

    init(bus: SystemBus, interval: TimeAmount, onChange: @escaping () -> Void) {
        (eventLoop, self.interval, self.onChange) = (bus.eventLoop, interval, onChange)
        service = BusService(Self.name, on: bus)
        service.open { [weak self] in self?.follow($0) }
    }

    func close() {
        service.close()
        timer?.cancel()
        (timer, sessions) = (nil, nil)
    }

    /// True if every session of the user at a seat is locked, or there is none; `nil` while that is in doubt.
    func isLocked(of user: UInt32) -> Bool? {
        known?.allSatisfy { !$0.isAtSeat || $0.user != user || $0.isLocked }
    }

    /// True if the session in the foreground of a seat is neither idle nor locked.
    func isAnybodyPresent() -> Bool? {
        known?.contains { $0.isAtSeat && $0.isActive && !$0.isIdle && !$0.isLocked }
    }

    /// True if a person has a session of this user that is not ending.
    func isLoggedIn(_ user: UInt32) -> Bool? {
        known?.contains { $0.user == user && $0.isOfPerson && !$0.isClosing }
    }

    /// All sessions; `nil` while one of them is not known.
    private var known: [Session]? {
        guard let sessions else { return nil }
        let known = sessions.values.compactMap(\.self)
        return known.count == sessions.count ? known : nil
    }
}

// MARK: logind

extension SeatSessions {
    private func follow(_ state: BusService.State) {
        for (path, session) in sessions ?? [:] where session?.isLocked == true { lockedBefore.insert(path) }
        sessions = nil
        setTimer()
        onChange()
        guard case .running = state else { return }
        service.handleSignals("SessionNew", of: Self.manager, below: Self.path) { [weak self] _, arguments in
            if arguments.count == 2, let path = arguments[1].text { self?.add(path) }
        }
        service.handleSignals("SessionRemoved", of: Self.manager, below: Self.path) { [weak self] _, arguments in
            if arguments.count == 2, let path = arguments[1].text { self?.remove(path) }
        }
        service.handlePropertyChanges(of: Self.session, below: Self.path) { [weak self] path, changed in
            self?.update(path, changed)
        }
        service.call("ListSessions", of: Self.manager, at: Self.path) { [weak self] in self?.receive($0) }
    }

    private func receive(_ answer: Result<[BusArgument], BusFailure>) {
        // An array of structures: id, user id, user name, seat, path. After an error everything stays in doubt.
        guard case .success(let values) = answer, let list = values.first?.list else { return }
        let paths = list.compactMap { $0.list?.last?.text }
        lockedBefore.formIntersection(paths)
        sessions = [:]
        paths.forEach(add)
        onChange()
    }

    private func add(_ path: String) {
        // A session that begins before logind has listed them is in the list.
        guard sessions != nil else { return }
        sessions?.updateValue(nil, forKey: path)
        read(path)
    }

    private func remove(_ path: String) {
        guard sessions?.removeValue(forKey: path) != nil else { return }
        lockedBefore.remove(path)
        setTimer()
        onChange()
    }

    private func read(_ path: String) {
        service.readProperties(of: Self.session, at: path) { [weak self] answer in
            guard let self, let before = sessions?[path] else { return }
            var session = (try? answer.get()).flatMap(Session.init)
            if lockedBefore.contains(path) { session?.isLocked = true }
            sessions?.updateValue(session, forKey: path)
            setTimer()
            if session != before { onChange() }
        }
    }

    private func update(_ path: String, _ changed: BusArgument) {
        // The answer about a session that is not known yet comes after this, and has it.
        if changed["LockedHint"] != nil { lockedBefore.remove(path) }
        guard var session = sessions?[path] ?? nil else { return }
        let before = session
        if let isLocked = changed["LockedHint"]?.isTrue { session.isLocked = isLocked }
        if let isIdle = changed["IdleHint"]?.isTrue { session.isIdle = isIdle }
        if let isActive = changed["Active"]?.isTrue { session.isActive = isActive }
        sessions?.updateValue(session, forKey: path)
        if session != before { onChange() }
        // logind signals no change of the state, of which this is a part: the session may be ending.
        if readsLogins, changed["Active"] != nil { read(path) }
    }

    /// Sets the time of the next reading of the sessions that do not signal everything.
    private func setTimer() {
        let isNeeded = sessions?.values.contains(where: needsReading) == true
        if !isNeeded {
            timer?.cancel()
            timer = nil
        } else if timer == nil {
            timer = eventLoop.makeTimer(in: interval) { [weak self] in
                guard let self else { return }
                timer = nil
                for (path, session) in sessions ?? [:] where needsReading(session) { read(path) }
                setTimer()
            }
        }
    }

    private func needsReading(_ session: Session?) -> Bool {
        guard let session else { return true }
        return readsIdleness && session.isText && session.isAtSeat
    }
}

extension SeatSessions.Session {
    /// Reads the properties of a session; `nil` if one is missing.
    fileprivate init?(_ properties: BusArgument) {
        guard let user = properties["User"]?.list?.first?.integer.flatMap(UInt32.init(exactly:)),
            let seat = properties["Seat"]?.list?.first?.text, let kind = properties["Class"]?.text,
            let type = properties["Type"]?.text, let isActive = properties["Active"]?.isTrue,
            let isLocked = properties["LockedHint"]?.isTrue, let isIdle = properties["IdleHint"]?.isTrue
        else { return nil }
        self.init(
            user: user, isOfPerson: LoginFiles.isOfPerson(class: kind),
            isClosing: properties["State"]?.text == "closing",
            isAtSeat: !seat.isEmpty && LoginFiles.isOfPerson(class: kind),
            isText: !LoginFiles.isGraphical(type: type), isActive: isActive, isLocked: isLocked, isIdle: isIdle)
    }
}
