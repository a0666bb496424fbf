import GPSDProtocol
import Glibc
package import LinuxPlumbing
package import LocationConfiguration
package import LocationCore
import LocationModel
import Logging
package import NIOCore
import NIOPosix
import Pacing
package import PeerIdentification
import Varlink

/// The front end for programs that speak gpsd's protocol, on a port of this machine, under the same rules as for all others.
///
/// Its peers are identified by the kernel's evidence about their socket. A peer that may not know the location is answered like
/// one of a receiver without a fix.
///
/// `@unchecked Sendable` because it is confined to the event loop.
package final class GPSDFrontEnd: FrontEnd, @unchecked Sendable {
    /// Finds the socket at the other end of an accepted one.
    package typealias Search = (_ descriptor: CInt, _ cookie: UInt64?) throws -> LocalTCPSocket
    /// Identifies the holders of a peer's socket, which can be found again until the connection is closed.
    package typealias Identification = (LocalTCPSocket, _ confirm: @escaping () throws -> LocalTCPSocket) ->
        EventLoopFuture<PeerIdentifier.LoopbackPeer>

    /// A place to listen at.
    package enum Address: Hashable, Sendable {
        /// A port of 127.0.0.1 and of ::1, if the machine has that.
        case port(Int)
        /// A listening socket, as systemd passes it. The front end takes ownership.
        case descriptor(CInt)
    }

    let core: Core
    let encoder = PositionEncoder()
    /// The time from which on there has been a receiver, as clients see it.
    let startTime = GPSDReply.time(.now())
    /// Finds a peer's socket; opened with the first listener, because that is not possible everywhere.
    private var find: Search?
    let identify: Identification
    /// The time between two reports to a peer without a new location.
    private let interval: TimeAmount
    private var listeners: [any Channel] = []
    /// The open connections.
    private var peers: [ObjectIdentifier: GPSDPeer] = [:]
    /// The peers with commands to answer. Users take turns, and so do the peers of a user, by one command each.
    private var turns = FairQueue<UInt32, GPSDPeer>()
    private var areTurnsScheduled = false
    /// The time of the next reports, while a peer has enabled them.
    private var beat: LoopTimer?
    /// Watches for the exit of peers' processes; opened for the first of them.
    private var poller: DescriptorPoller?
    private let memory: HeapTrimmer
    /// Limits the log lines that peers cause.
    private var notes = RateLimit(rate: 1, burst: 10)

    /// - Parameters:
    ///   - interval: the longest time without a report; only tests change it.
    ///   - find: finds a peer's socket; `nil` to ask the kernel. Only tests replace it.
    ///   - identify: identifies the holders of a peer's socket; `nil` for the kernel's word. Only tests replace it.
    package init(
        core: Core, identifier: PeerIdentifier, interval: TimeAmount = .seconds(1), find: Search? = nil,
        identify: Identification? = nil
    ) {
        self.core = core
        self.interval = interval
        self.find = find
        self.identify = identify ?? { identifier.identify($0, confirm: $1) }
        memory = HeapTrimmer(eventLoop: core.eventLoop)
    }

    // MARK: FrontEnd

    /// Its state while it listens.
    package var status: FrontEndStatus? { listeners.isEmpty ? nil : FrontEndStatus(.gpsd) }

    package var isUnused: Bool { peers.isEmpty }

    /// Does nothing: what a changed configuration means for clients, the core applies.
    package func apply(_ configuration: Configuration) {}

    package func close() {
        for listener in listeners { listener.close(promise: nil) }
        for peer in peers.values { peer.close() }
        listeners = []
        beat?.cancel()
        beat = nil
        poller?.stop()
        poller = nil
        memory.cancel()
    }

    // MARK: Connections

    /// The size of the kernel's buffer for a peer in bytes, and that of unsent bytes here from which on nothing new is sent:
    /// a peer that reads slowly soon gets the newest position.
    private static let sendBufferSize = 2304
    private static let mostUnsent = 4096

    /// Starts listening. Call it before the front end is added to the core. Throws if not all of the address can be had.
    package func listen(at address: Address) async throws {
        try await core.eventLoop.submit {
            guard self.find == nil else { return }
            let table = try TCPSocketTable()
            self.find = { try table.peer(of: $0, cookie: $1) }
        }.get()
        let channels: [any Channel]
        switch address {
        case .descriptor(let descriptor): channels = [try await bootstrap.withBoundSocket(descriptor).get()]
        case .port(let port):
            let first = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
            do {
                channels = [first, try await bootstrap.bind(host: "::1", port: first.localAddress?.port ?? port).get()]
            } catch let error as IOError where [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode) {
                // A machine without IPv6 has no such address.
                channels = [first]
            } catch {
                // Half of the port would leave the other half to whoever has it.
                try await first.close()
                throw error
            }
        }
        try await core.eventLoop.submit { self.listeners += channels }.get()
    }

    /// The port at which it listens; `nil` before. Event loop only.
    package var port: Int? { listeners.lazy.compactMap(\.localAddress?.port).first }

    private var bootstrap: ServerBootstrap {
        ServerBootstrap(group: core.eventLoop)
            .serverChannelOption(.maxMessagesPerRead, value: UInt(AcceptPause.burst))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptPause(logger: self.core.logger, note: { self.note($0) }) {
                            // One that cannot be found is refused when it is opened.
                            try? self.find?($0, nil).userID
                        })
                }
            }
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1024))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.socketOption(.so_sndbuf), value: Self.sendBufferSize)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 1, high: Self.mostUnsent))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.accept(channel) }
            }
    }

    /// Opens a connection for an accepted channel, unless its user has reached the limit. Throws for one that is not of this
    /// machine, or has been closed already: some programs connect only to see whether anybody listens.
    private func accept(_ channel: any Channel) throws {
        let search = { [find] (cookie: UInt64?) throws -> LocalTCPSocket in
            let found = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) {
                try find?($0, cookie)
            }
            guard let found = found ?? nil else { throw TCPSocketTable.Failure.notConnected }
            return found
        }
        let socket = try search(nil)
        try open(channel, socket) { try search(socket.cookie) }
    }

    /// Opens a connection for a peer with this socket, which can be found again until the connection is closed.
    func open(
        _ channel: any Channel, _ socket: LocalTCPSocket, confirm: @escaping () throws -> LocalTCPSocket
    ) throws {
        do throws(Refusal) {
            try core.reserveConnection(of: socket.userID, through: .gpsd)
        } catch {
            note("Closed a connection to gpsd's port: user \(socket.userID) has too many.")
            throw error
        }
        let peer = GPSDPeer(socket, channel, self, confirmSocket: confirm)
        peers[ObjectIdentifier(peer)] = peer
        memory.note(peers.count)
        try channel.pipeline.syncOperations.addHandler(GPSDPeerHandler(peer))
    }

    /// Forgets a peer whose connection is closed.
    func forget(_ peer: GPSDPeer) {
        guard peers.removeValue(forKey: ObjectIdentifier(peer)) != nil else { return }
        core.releaseConnection(of: peer.socket.userID, through: .gpsd)
        memory.scheduleIfDue(peers.count)
    }

    /// Logs a line that a peer has caused.
    func note(_ line: String) {
        if notes.allows(at: core.eventLoop.now) { core.logger.notice("\(line)") }
    }

    /// Calls `action` when a process exits; `nil` if that cannot be watched.
    func watch(_ process: WatchedProcess, action: @escaping () -> Void) -> DescriptorPoller.Watch? {
        // Without a poller the peer is refused, and the next one tries again.
        if poller == nil { poller = try? DescriptorPoller(eventLoop: core.eventLoop, name: "gpsd clients") }
        return poller?.add(process.descriptor, handler: action)
    }

    func endWatch(_ watch: DescriptorPoller.Watch) { poller?.remove(watch) }
}

// MARK: Turns and reports

extension GPSDFrontEnd {
    /// Queues a peer for its next turn.
    func queue(_ peer: GPSDPeer) {
        turns.append(peer, of: peer.socket.userID)
        guard !areTurnsScheduled else { return }
        areTurnsScheduled = true
        core.eventLoop.execute { self.takeTurns() }
    }

    private func takeTurns() {
        let slice = LoopSlice(on: core.eventLoop)
        while let peer = turns.popFirst() {
            peer.takeTurn()
            guard turns.isEmpty || !slice.isOver else { return slice.resumeLater { self.takeTurns() } }
        }
        areTurnsScheduled = false
    }

    /// Has reports repeated as long as a peer has enabled them.
    func startReports() {
        guard beat == nil else { return }
        beat = core.eventLoop.makeTimer(in: interval) { [weak self] in
            guard let self else { return }
            beat = nil
            repeatReports(to: peers.values.filter(\.wantsReports)[...])
        }
    }

    private func repeatReports(to peers: ArraySlice<GPSDPeer>) {
        if beat == nil, !peers.isEmpty { startReports() }
        let slice = LoopSlice(on: core.eventLoop)
        for (index, peer) in zip(peers.indices, peers) {
            peer.repeatReport()
            guard slice.isOver else { continue }
            let rest = NIOLoopBound(peers[(index + 1)...], eventLoop: core.eventLoop)
            return slice.resumeLater { self.repeatReports(to: rest.value) }
        }
    }
}

extension FrontEndKind {
    /// gpsd's protocol on a port of this machine.
    package static let gpsd = FrontEndKind(name: "gpsd", servesUndeclared: true)
}
