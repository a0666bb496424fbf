import LinuxPlumbing
import LocationCore
import LocationModel
import LocationPolicy
import NIOCore
import Pacing

/// A client object on the bus: performs the actions of its ``ClientObject``, and subscribes to the core for it.
///
/// Confined to the event loop.
final class GeoClueClient {
    let peer: GeoCluePeer
    let user: GeoClueUser
    private(set) var object: ClientObject
    private unowned let frontEnd: GeoClueFrontEnd
    private let identity: PeerIdentity
    private let process: WatchedProcess
    /// The last status of the watched authorization.
    private var sentStatus: AuthorizationStatus?
    /// The held calls of `Start`.
    private var held: [HeldMessage] = []
    private var holdTimer: LoopTimer?
    /// Its connection to the core, opened at the first start, when its `DesktopId` is known.
    private var connection: Connection?
    private var watcher: AuthorizationWatcher?
    /// The latest subscription, open or closed. Its access decides about reads of announced locations.
    private var subscription: Subscription?
    private var isOpen = false
    /// The pending question to the desktop whether its earlier answer still holds.
    private var question: BusConnection.Slot?
    /// The last two announced locations: a client may still read one after the next is announced. They are dropped when the
    /// subscription is ended by the core, and when the access of the client changes.
    private var locations: [(number: UInt64, ticket: Disclosure.Ticket)] = []

    init(
        _ peer: GeoCluePeer, number: UInt64, frontEnd: GeoClueFrontEnd, _ identity: PeerIdentity,
        _ process: WatchedProcess,
        _ user: GeoClueUser
    ) {
        self.peer = peer
        self.user = user
        self.frontEnd = frontEnd
        self.identity = identity
        self.process = process
        object = ClientObject(number: number)
    }

    private var path: ObjectPath { .client(object.number) }
    private var core: Core { frontEnd.core }

    /// Ends everything that is open for the object, which is removed.
    func remove() {
        handle(.stop)
        holdTimer?.cancel()
        (held, question) = ([], nil)
        if let watcher { core.close(watcher) }
        if let connection { core.close(connection) }
        (connection, watcher, subscription, isOpen, locations) = (nil, nil, nil, false, [])
    }

    // MARK: Calls

    func start(_ call: IncomingMessage) { handle(.start, call) }

    func stop(_ call: IncomingMessage) {
        handle(.stop)
        frontEnd.bus?.reply(to: call.pointer)
    }

    /// Sets a property and announces the change.
    func set(_ property: ClientProperty, _ call: IncomingMessage) {
        let isChanged = object.set(property)
        frontEnd.bus?.reply(to: call.pointer)
        guard isChanged else { return }
        frontEnd.bus?.sendChange([property.change], of: path, to: peer.name)
        guard isOpen, let subscription else { return }
        switch property {
        case .distanceThreshold, .timeThreshold:
            core.setFilter(distance: filters.distance, interval: filters.interval, of: subscription)
        case .requestedLevel: core.setRequestedAccuracy(requestedAccuracy, of: subscription)
        // Counts from the next start.
        case .desktopID: break
        }
    }

    /// The properties of an announced location, with NaN for a position that the program may not have (any more); `nil` for a
    /// location that was not announced.
    func properties(ofLocation number: UInt64) -> [PropertyValue]? {
        guard number < object.announced else { return nil }
        return Properties.location(disclosure(ofLocation: number)?.location)
    }

    /// An announced location, if the program may have it now.
    private func disclosure(ofLocation number: UInt64) -> Disclosure? {
        guard let ticket = locations.first(where: { $0.number == number })?.ticket, let subscription else { return nil }
        return core.disclosure(again: ticket, to: subscription)
    }

    /// Records that the peer has read a location, and announces the next if it is due.
    func noteRead(_ number: UInt64) {
        if object.read(number), isOpen, let subscription { core.resume(subscription) }
    }

    /// Sends `PropertiesChanged` of `Location`.
    func announceLocation() {
        guard object.location != ObjectPath.none else { return }
        frontEnd.bus?.sendChange([("Location", .path(object.location))], of: path, to: peer.name)
    }

    // MARK: The state machine

    private func handle(_ event: ClientObject.Event, _ call: IncomingMessage? = nil) {
        for action in object.handle(event) { perform(action, call) }
    }

    private func perform(_ action: ClientObject.Action, _ call: IncomingMessage?) {
        switch action {
        case .holdStart: if let call { hold(call) }
        case .answerStart(let error): answerStart(error, call)
        case .open: open()
        case .close: close()
        case .announceActive(let isActive):
            frontEnd.announceLocationNow(of: self)
            frontEnd.bus?.sendChange([("Active", .boolean(isActive))], of: path, to: peer.name)
            user.noteActive(isActive)
        case .announce(let old, let new):
            frontEnd.bus?.signal("LocationUpdated", of: Interface.client.rawValue, at: path.text, to: peer.name) {
                $0.append(.path(old))
                $0.append(.path(new.text))
            }
            frontEnd.announceLocationLater(of: self)
        }
    }

    private func hold(_ call: IncomingMessage) {
        guard held.count < GeoCluePeer.mostWaiting else {
            frontEnd.bus?.fail(call.pointer, .limitsExceeded("Too many calls of Start wait for their answer."))
            return
        }
        held.append(HeldMessage(call))
        guard holdTimer == nil else { return }
        let seconds = TimeAmount.seconds(ClientObject.longestHold)
        holdTimer = frontEnd.core.eventLoop.makeTimer(in: seconds) { [weak self] in
            guard let self else { return }
            holdTimer = nil
            let isPermitted = subscription?.access.isPermitted ?? false
            handle(.held(isPermitted: isOpen && isPermitted))
        }
    }

    private func answerStart(_ error: BusError?, _ call: IncomingMessage?) {
        holdTimer?.cancel()
        holdTimer = nil
        let calls = held.map(\.pointer)
        // A call while it is active was not held.
        for call in calls.isEmpty ? [call?.pointer].compactMap({ $0 }) : calls {
            if let error { frontEnd.bus?.fail(call, error) } else { frontEnd.bus?.reply(to: call) }
        }
        held = []
    }

    /// Continues a start that waits for the desktop's level.
    func levelsChanged() {
        if !isOpen, !object.isStopped, question == nil { open() }
    }

    private static let withoutLevel = BusError.accessDenied(
        "The desktop has not said whether location services are on in its settings.")

    // MARK: The core

    /// Subscribes to locations. If the desktop has answered for this program it is asked again first; it answers at once, by
    /// its current settings.
    private func open() {
        guard !user.lacksLevel else { return handle(.refused(Self.withoutLevel)) }
        // Its calls of `Start` are held until the agent has answered, or has not.
        guard !user.awaitsLevel else { return }
        do throws(Refusal) {
            let connection = try connect()
            guard let application = connection.peer.application, let agent = user.agent,
                let answer = try core.desktopAnswer(about: connection)
            else { return subscribe() }
            question = agent.ask(about: application) { [weak self] isAllowed in
                self?.question = nil
                guard let isAllowed, isAllowed != answer else {
                    self?.subscribe()
                    return
                }
                agent.decide(isAllowed, connection) {
                    self?.core.afterwards { self?.subscribe() }
                }
            }
            if question == nil { subscribe() }
        } catch {
            handle(.ended(BusError(error)))
        }
    }

    private func subscribe() {
        // The answer of the desktop may have taken a while.
        guard !object.isStopped, !isOpen else { return }
        guard !user.awaitsLevel, !user.lacksLevel else { return open() }
        do throws(Refusal) {
            let connection = try connect()
            sentStatus = nil
            watcher = try core.watch(AuthorizationRelay(to: self), connection)
            // The watcher has notified a denied client, which has stopped.
            guard !object.isStopped else { return close() }
            var options = SubscriptionOptions()
            (options.distanceFilter, options.minimumInterval) = filters
            options.accuracy = requestedAccuracy
            isOpen = true
            let opened = try core.subscribe(self, options, connection)
            if let opened { subscription = opened }
            if opened == nil || object.isStopped { close() }
        } catch {
            handle(.ended(BusError(error)))
            close()
        }
    }

    private func connect() throws(Refusal) -> Connection {
        if let connection {
            if connection.peer.claimedDesktopID == claim { return connection }
            core.close(connection)
        }
        var peer = identity
        peer.claimedDesktopID = claim
        let application = frontEnd.applications.id(
            of: peer, isClaimDeclared: core.isClaimDeclared(of: peer))
        peer.application = application
        let undeclared = UndeclaredProgram(peer).map {
            frontEnd.applications.declaration(of: $0, claim: claim, application: application)
        }
        let new = try core.open(peer, process, frontEnd: .geoClue, undeclared: undeclared, isReserved: true)
        connection = new
        return new
    }

    private var claim: String? { object.desktopID.isEmpty ? nil : object.desktopID }

    private var requestedAccuracy: AccuracyAuthorization {
        AccuracyLevel.isRough(object.requestedLevel) ? .reduced : .full
    }

    /// The thresholds in metres and seconds, within the core's limits.
    private var filters: (distance: Double, interval: Double) {
        (min(Double(object.distanceThreshold), 1e8), min(Double(object.timeThreshold), 86_400))
    }

    /// Closes the subscription and the watcher.
    private func close() {
        let (watcher, subscription) = (watcher, isOpen ? subscription : nil)
        (self.watcher, isOpen, question) = (nil, false, nil)
        if let watcher { core.close(watcher) }
        if let subscription { core.close(subscription) }
    }
}

extension GeoClueClient: Subscriber {
    /// True if the peer has read the last announced location.
    var isReady: Bool { object.isRead }

    func deliver(_ disclosure: Disclosure, skipped: Int?) {
        // It is called between a stop and the end of the subscription, too.
        guard disclosure.location != nil, !object.isStopped else { return }
        locations.append((object.announced, disclosure.ticket))
        if locations.count > 2 { locations.removeFirst() }
        handle(.located)
    }

    func send(_ diagnostic: LocationDiagnostic, _ cause: LocationCause?, skipped: Int?) {
        switch diagnostic {
        case .insufficientlyInUse: handle(.suspended)
        // Changes of the authorization come through the watcher.
        default: break
        }
    }

    func end(_ refusal: Refusal) {
        locations = []
        handle(.ended(BusError(refusal)))
        close()
    }
}

extension GeoClueClient {
    /// Forwards changes of the authorization at once, even if the peer has not read the last location.
    private final class AuthorizationRelay: AuthorizationObserver {
        private weak var client: GeoClueClient?

        init(to client: GeoClueClient) { self.client = client }

        var isReady: Bool { true }
        func send(_ report: AuthorizationReport) { client?.authorizationChanged(to: report) }
        func end(_ refusal: Refusal) { client?.end(refusal) }
    }

    private func authorizationChanged(to report: AuthorizationReport) {
        let status = report.authorization.status
        // Only the cause has changed, with the use of the program. The subscription reports that.
        guard status != sentStatus else { return }
        sentStatus = status
        switch status {
        case .denied, .restricted:
            handle(.refused(.accessDenied(report.cause?.message ?? "This program may not know the location.")))
        case .authorizedWhenInUse, .authorizedAlways: handle(.permitted)
        case .notDetermined: handle(.undecided)
        }
    }
}

extension Disclosure {
    /// The location, exact or reduced.
    var location: Location? {
        switch content {
        case .location(let publication), .reduced(let publication): publication.location
        case .frame, .heading: nil
        }
    }
}

extension BusError {
    /// The error on the bus for a refusal of the core.
    init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .invalidParameter(let name): .invalidArguments("The parameter \(name) is out of its range.")
            case .permissionDenied: .accessDenied("This user may not do this.")
            case .limitExceeded(let limit, let value):
                .limitsExceeded("This user has as many as \(limit) allows: \(value).")
            case .tooManyConnections(let value, let message):
                .limitsExceeded(message ?? "This user has as many as ConnectionsPerUser allows: \(value).")
            case .locationUnavailable(let message), .notDeclared(_, let message), .notAuthorized(_, _, _, let message),
                .missingUsageDescription(_, _, let message), .noAgent(_, let message), .notAnswered(_, let message),
                .tooManyPrompts(let message), .backgroundActivityNotAllowed(let message), .notAnAgent(let message),
                .notAManager(let message), .notSaved(_, let message), .notReadable(let message),
                .watchNotSaved(let message), .invalidRule(let message):
                .accessDenied(message)
            // GeoClue has no conditions, no prompts, no rules and no management.
            case .noSuchPrompt, .choiceNotOffered, .noSuchClient, .noSuchProcess, .restricted, .noSuchRule, .fixedRule,
                .noSuchPlace, .placeExists, .placeInUse:
                .accessDenied("This program may not know the location.")
            }
    }
}
