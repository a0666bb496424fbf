import GPSDProtocol
import Glibc
import LinuxPlumbing
import LocationConfiguration
import LocationCore
import LocationModel
import LocationPolicy
import NIOCore
import Pacing
import PeerIdentification
import Varlink

/// A connection of a program that speaks gpsd's protocol.
///
/// Confined to the event loop.
final class GPSDPeer {
    /// The knowledge about the program.
    private enum Identity {
        /// Nothing has been asked yet that depends on it.
        case unknown
        case beingFound
        /// Its connection to the core, and what it was identified as.
        case known(Connection, PeerIdentity)
        /// It gets no location on this connection.
        case refused
    }

    /// The number of POLL commands that wait for the identification. Others are answered at once.
    private static let mostPolls = 16
    /// The number of reports that a peer may miss because it does not read: after them it is disconnected, as gpsd does.
    private static let mostMissed = 180
    /// The time after an unanswered prompt in which a POLL opens no other one: programs send it every second.
    private static let promptPause = TimeAmount.seconds(60)
    /// The time after a POLL for which a program that has not enabled reports counts as a subscriber.
    private static let pollInterest = TimeAmount.seconds(60)

    /// The peer's own socket.
    let socket: LocalTCPSocket
    /// Continues to read commands. Set once the channel is open.
    var resumeReading: () -> Void = {}
    private let channel: any Channel
    /// Writes what fits directly to the socket. Set once the channel is open.
    private var output: ConnectionOutput?
    private unowned let frontEnd: GPSDFrontEnd
    /// Finds the peer's socket again.
    private let confirmSocket: () throws -> LocalTCPSocket
    private var parser = GPSDRequestParser()
    private var policy = GPSDWatchPolicy()
    private var identity = Identity.unknown
    /// Its process, and what watches for the exit of that.
    private var process: (WatchedProcess, exit: DescriptorPoller.Watch)?
    private var isClosed = false
    /// True while it waits for a turn, or its commands wait until it reads.
    private var isQueued = false
    private var waitingPolls = 0
    /// Set while the program counts as a subscriber because it has polled.
    private var pollTimer: LoopTimer?

    private var subscription: Subscription?
    /// True between the opening of a subscription and its end, also while it is being opened.
    private var isOpen = false
    /// Watches the authorization after a subscription has ended, since the user may still decide.
    private var watcher: AuthorizationWatcher?
    /// The last position that it was given. It is repeated as long as the core releases it again.
    private var last: Disclosure.Ticket?
    /// True after it was asked about, until its program is identified again.
    private var needsConfirmation = false
    private var isBeingConfirmed = false
    /// The time before which a POLL opens no prompt.
    private var nextPrompt = NIODeadline.uptimeNanoseconds(0)
    /// Limits the subscriptions that are opened again by themselves: one may end at once for another reason than the decision.
    private var reopenings = RateLimit(rate: 1, burst: 3)
    /// True if the last report had a position.
    private var hasSentFix = false
    /// True if there was a report since the last one that was due.
    private var hasReported = false
    /// The number of reports missed in a row.
    private var missed = 0

    init(
        _ socket: LocalTCPSocket, _ channel: any Channel, _ frontEnd: GPSDFrontEnd,
        confirmSocket: @escaping () throws -> LocalTCPSocket
    ) {
        (self.socket, self.channel, self.frontEnd, self.confirmSocket) = (socket, channel, frontEnd, confirmSocket)
    }

    private var core: Core { frontEnd.core }

    // MARK: The channel

    /// Sends the greeting, on the channel that has been opened.
    func open() {
        output = ConnectionOutput(channel)
        greet()
    }

    private func greet() { send(GPSDReply.version(release: Self.release, revision: GPSDReply.ownRevision)) }

    /// The release of gpsd that has the protocol's version.
    private static let release = "3.25"

    /// True if its next bytes may be read.
    var mayRead: Bool { !isQueued && channel.isWritable }

    func receive(_ bytes: ByteBuffer) {
        parser.append(bytes.readableBytesView)
        queue()
    }

    /// Answers one command.
    func takeTurn() {
        isQueued = false
        // Its commands wait until it has read the answers to those before.
        guard !isClosed, channel.isWritable else { return }
        guard let request = parser.next() else { return resumeReading() }
        answer(request)
        queue()
    }

    private func queue() {
        guard !isQueued, !isClosed else { return }
        isQueued = true
        frontEnd.queue(self)
    }

    func writabilityChanged() {
        guard channel.isWritable else { return }
        missed = 0
        if let subscription { core.resume(subscription) }
        queue()
    }

    /// Closes the connection.
    func close() { channel.close(promise: nil) }

    /// Ends everything that is open for the peer, whose connection is closed.
    func disconnected() {
        guard !isClosed else { return }
        isClosed = true
        output?.close()
        resumeReading = {}
        pollTimer?.cancel()
        closeSubscription()
        if let process { frontEnd.endWatch(process.exit) }
        if case .known(let connection, _) = identity { core.close(connection) }
        (process, identity) = (nil, .refused)
        frontEnd.forget(self)
    }

    private func send(_ lines: String...) {
        var buffer = channel.allocator.buffer(capacity: 512)
        for line in lines {
            buffer.writeString(line)
            buffer.writeStaticString("\r\n")
        }
        write(buffer)
    }

    private func write(_ bytes: ByteBuffer) {
        guard !isClosed, let rest = output?.write(bytes) else { return }
        let count = rest.readableBytes
        channel.writeAndFlush(rest).assumeIsolated().whenComplete { [self] in output?.queueEnded(count, $0) }
    }

    // MARK: Commands

    /// The receiver, the only one.
    private var device: String {
        GPSDReply.device(PositionText.device, driver: "locationd", activated: frontEnd.startTime)
    }

    private func answer(_ request: GPSDRequest) {
        switch request {
        case .version: greet()
        case .devices: send(GPSDReply.devices(device))
        case .device(let isChange):
            if isChange {
                send(GPSDReply.error("locationd does not configure receivers."), device)
            } else {
                send(device)
            }
        case .watch(let watch): self.watch(watch)
        case .poll: poll()
        case .invalidWatch: send(GPSDReply.error("Invalid WATCH"))
        case .unrecognized(let text): send(GPSDReply.error("Unrecognized request '\(text)'"))
        case .tooLong: send(GPSDReply.error("Request of more than \(GPSDRequestParser.longest) bytes"))
        case .foreign: close()
        }
    }

    private func watch(_ watch: GPSDRequest.Watch?) {
        if let device = watch?.device, device != PositionText.device,
            !core.configuration.daemon.preferredDevices.contains(device)
        {
            return send(GPSDReply.error("No such device as \(device)"))
        }
        if let watch { policy.merge(watch) }
        send(GPSDReply.devices(device), GPSDReply.watch(policy))
        guard watch != nil else { return }
        if policy.isEnabled { want(mayPrompt: true) } else { closeSubscription() }
        if wantsReports { frontEnd.startReports() }
    }

    private func poll() {
        startPollTimer()
        want(mayPrompt: core.eventLoop.now >= nextPrompt)
        if case .beingFound = identity, waitingPolls < Self.mostPolls {
            waitingPolls += 1
        } else {
            answerPoll()
        }
    }

    private func answerPoll() {
        send(position().poll(time: GPSDReply.time(.now())))
    }

    /// Closes the subscription of a program that only polls, once it has not done so for a while: the receiver may rest.
    private func startPollTimer() {
        pollTimer?.cancel()
        pollTimer = core.eventLoop.makeTimer(in: Self.pollInterest) { [weak self] in
            guard let self else { return }
            pollTimer = nil
            if !policy.isEnabled { closeSubscription() }
        }
    }

    // MARK: Identification

    /// Opens a subscription, once the program is identified.
    private func want(mayPrompt: Bool) {
        switch identity {
        case .unknown: identify()
        case .known(let connection, _) where !isOpen && mayPrompt: subscribe(connection)
        case .beingFound, .known, .refused: break
        }
    }

    private func identify() {
        identity = .beingFound
        frontEnd.identify(socket, confirmSocket).assumeIsolated().whenComplete { [self] result in
            guard !isClosed else { return }
            switch result {
            case .success(let peer): admit(peer)
            case .failure(let error): refuse("\(error)")
            }
            for _ in 0..<waitingPolls { answerPoll() }
            waitingPolls = 0
        }
    }

    private func admit(_ peer: PeerIdentifier.LoopbackPeer) {
        let identity = peer.identity
        let process = peer.processes[0]
        guard identity.processID != getpid() else {
            frontEnd.note("GPSD names the port at which this service itself serves gpsd's programs.")
            return close()
        }
        // A child that inherited the connection would go on as this program, with its authorization.
        guard let exit = frontEnd.watch(process, action: { [weak self] in self?.close() }) else {
            return refuse("its process cannot be watched")
        }
        self.process = (process, exit)
        do throws(Refusal) {
            let connection = try core.open(
                identity, process, frontEnd: .gpsd, undeclared: UndeclaredProgram(identity)?.declaration(),
                isReserved: true)
            self.identity = .known(connection, identity)
            // It may have switched the reports off meanwhile.
            if policy.isEnabled || pollTimer != nil { subscribe(connection) }
        } catch {
            refuse("\(error)")
        }
    }

    /// Serves it from here on as one that may not know the location.
    private func refuse(_ reason: String) {
        closeSubscription()
        if case .known(let connection, _) = identity { core.close(connection) }
        identity = .refused
        frontEnd.note(
            "A program of user \(socket.userID) at gpsd's port gets no location, because it could not be identified: "
                + "\(reason).")
    }

    /// Identifies the program again, since a prompt was open for any time. It gets no location before.
    private func confirm(_ identity: PeerIdentity) {
        guard !isBeingConfirmed else { return }
        isBeingConfirmed = true
        frontEnd.identify(socket, confirmSocket).assumeIsolated().whenComplete { [self] result in
            isBeingConfirmed = false
            guard !isClosed, case .known = self.identity else { return }
            do {
                var now = try result.get().identity
                now.processID = identity.processID
                guard now == identity else { return refuse("another program holds it now") }
                needsConfirmation = false
                if sendsAtOnce { report(position()) }
            } catch {
                refuse("\(error)")
            }
        }
    }

    // MARK: The core

    private func subscribe(_ connection: Connection) {
        guard !isOpen else { return }
        closeSubscription()
        isOpen = true
        do throws(Refusal) {
            subscription = try core.subscribe(self, SubscriptionOptions(), connection)
            if sendsAtOnce, last != nil { report(position()) }
        } catch {
            end(error)
        }
    }

    private func closeSubscription() {
        if let subscription { core.close(subscription) }
        if let watcher { core.close(watcher) }
        (subscription, watcher, isOpen, last) = (nil, nil, false, nil)
    }

    /// Watches for the user's decision after the end of a subscription. Not from within a call of the core.
    private func awaitDecision() {
        guard !isClosed, !isOpen, watcher == nil, case .known(let connection, _) = identity else { return }
        // A program that is no client any more has no decision to wait for; it gets no location.
        watcher = try? core.watch(DecisionRelay(to: self), connection)
    }

    /// Opens a subscription again after the user has decided.
    private func decided() {
        guard !isClosed, !isOpen, policy.isEnabled, case .known(let connection, _) = identity,
            reopenings.allows(at: core.eventLoop.now)
        else { return }
        subscribe(connection)
    }

    /// The position that it may have at this moment, and is sent now.
    private func position() -> EncodedPosition {
        guard !needsConfirmation, let last, let subscription,
            let disclosure = core.disclosure(repeating: last, to: subscription),
            let position = frontEnd.encoder.encode(disclosure.content)
        else { return frontEnd.encoder.noFix }
        core.noteDelivery(of: disclosure, to: subscription)
        return position
    }

    // MARK: Reports

    /// True while it gets reports without asking for each.
    var wantsReports: Bool { !isClosed && policy.wantsReports }

    /// True if a new position is sent when it comes. One that rules about places limit is sent everything by the steady clock of
    /// the reports, whatever it holds: the moments of its reports, which every local user can watch, and which the program itself
    /// sees, tell nothing about the place.
    var sendsAtOnce: Bool {
        guard let subscription else { return false }
        return wantsReports && !needsConfirmation && !subscription.isLimitedByPlaces
    }

    /// Repeats the last report, unless there has been one since this was called last. No client waits longer than a few seconds
    /// for one.
    func repeatReport() {
        guard wantsReports else { return }
        guard channel.isWritable else {
            missed += 1
            if missed > Self.mostMissed { close() }
            return
        }
        if hasReported { hasReported = false } else { report(position(), isRepeated: true) }
    }

    private func report(_ position: EncodedPosition, isRepeated: Bool = false) {
        hasSentFix = position !== frontEnd.encoder.noFix
        hasReported = !isRepeated
        if policy.json { write(position.json) }
        if policy.nmea { write(position.nmea) }
    }
}

extension GPSDPeer: Subscriber {
    /// True if it has read all but the last few reports.
    var isReady: Bool { !isClosed && channel.isWritable }

    func deliver(_ disclosure: Disclosure, skipped: Int?) {
        guard let position = frontEnd.encoder.encode(disclosure.content) else { return }
        last = disclosure.ticket
        if needsConfirmation, case .known(_, let identity) = identity { confirm(identity) }
        if sendsAtOnce { report(position) }
    }

    /// Reports that there is no fix, whatever the reason, unless the last position may still be known: an approximate one is
    /// while the receiver has none.
    func send(_ diagnostic: LocationDiagnostic, _ cause: LocationCause?, skipped: Int?) {
        if diagnostic == .authorizationRequestInProgress { needsConfirmation = true }
        guard hasSentFix, sendsAtOnce else { return }
        let position = position()
        if position === frontEnd.encoder.noFix { report(position) }
    }

    func end(_ refusal: Refusal) {
        (subscription, isOpen, last) = (nil, false, nil)
        nextPrompt = core.eventLoop.now + Self.promptPause
        if hasSentFix, wantsReports { report(frontEnd.encoder.noFix) }
        core.afterwards { [self] in awaitDecision() }
    }
}

extension GPSDPeer {
    /// Waits for a decision of the user that gives access.
    private final class DecisionRelay: AuthorizationObserver {
        private weak var peer: GPSDPeer?

        init(to peer: GPSDPeer) { self.peer = peer }

        var isReady: Bool { true }

        func send(_ report: AuthorizationReport) {
            switch report.authorization.status {
            case .authorizedWhenInUse, .authorizedAlways:
                peer?.core.afterwards { [weak peer] in peer?.decided() }
            case .notDetermined, .denied, .restricted: break
            }
        }

        func end(_ refusal: Refusal) { peer?.watcher = nil }
    }
}
