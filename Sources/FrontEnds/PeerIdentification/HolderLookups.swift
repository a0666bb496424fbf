package import LinuxPlumbing
package import NIOCore
import Pacing

/// Looks up the processes that hold a socket, on threads of their own, because the number of files to read is up to the user.
///
/// Each user's look-ups come one after the other; those that wait are done together, by one reading of the files. At most sixteen
/// users' are done at the same time. A look-up that takes too long fails, with all others of its user.
///
/// `@unchecked Sendable` because it is confined to its event loop.
package final class HolderLookups: @unchecked Sendable {
    package typealias Holder = SocketHolders.Holder
    /// Finds the holders of sockets of one user. Blocks.
    package typealias LookUp = @Sendable ([LocalTCPSocket]) -> [Result<[Holder], Failure>]

    /// The reason why the holders of a socket are not known.
    package typealias Failure = PeerIdentifier.Failure

    private static let mostThreads = 16
    /// The time for one reading of the files, and for the thread that does it.
    private static let readingTime = Duration.seconds(2)
    private static let timeLimit = TimeAmount.seconds(4)

    private struct Request {
        let socket: LocalTCPSocket
        let promise: EventLoopPromise<[Holder]>
    }

    /// The requests of one user that are being served.
    private struct Batch {
        let id: UInt64
        /// Empty after the time limit.
        var requests: [Request]
        let deadline: LoopTimer
    }

    private let eventLoop: any EventLoop
    private let lookUp: LookUp
    private var waiting: [UInt32: [Request]] = [:]
    private var running: [UInt32: Batch] = [:]
    private var lastID: UInt64 = 0

    package init(eventLoop: any EventLoop, lookUp: LookUp? = nil) {
        self.eventLoop = eventLoop
        self.lookUp = lookUp ?? Self.searcher()
    }

    /// Looks up the holders of a socket. There is at least one in the result.
    func holders(of socket: LocalTCPSocket) -> EventLoopFuture<[Holder]> {
        let promise = eventLoop.makePromise(of: [Holder].self)
        if let batch = running[socket.userID], batch.requests.isEmpty {
            promise.fail(Self.timeout)
            return promise.futureResult
        }
        waiting[socket.userID, default: []].append(Request(socket: socket, promise: promise))
        startNext()
        return promise.futureResult
    }

    private static let timeout = Failure(description: "the processes of its user could not be looked at in time")

    private func startNext() {
        while running.count < Self.mostThreads, let user = waiting.keys.first(where: { running[$0] == nil }),
            let requests = waiting.removeValue(forKey: user)
        {
            lastID += 1
            let id = lastID
            let deadline = eventLoop.makeTimer(in: Self.timeLimit) { [weak self] in self?.timeOut(user) }
            running[user] = Batch(id: id, requests: requests, deadline: deadline)
            let (lookUp, eventLoop, sockets) = (lookUp, eventLoop, requests.map(\.socket))
            do {
                try DetachedThread.start(name: "holders") { [self] in
                    let results = lookUp(sockets)
                    eventLoop.execute { self.finished(user, results) }
                }
            } catch {
                finished(user, sockets.map { _ in .failure(Failure(description: "\(error)")) })
            }
        }
    }

    private func finished(_ user: UInt32, _ results: [Result<[Holder], Failure>]) {
        guard let batch = running.removeValue(forKey: user) else { return }
        batch.deadline.cancel()
        for (request, result) in zip(batch.requests, results) { request.promise.completeWith(result.mapError { $0 }) }
        startNext()
    }

    /// Fails the requests of a user. Its thread stays, and until it ends nothing more is looked up for that user.
    private func timeOut(_ user: UInt32) {
        let failed = (running[user]?.requests ?? []) + (waiting.removeValue(forKey: user) ?? [])
        running[user]?.requests = []
        for request in failed { request.promise.fail(Self.timeout) }
    }

    // MARK: The search

    /// The look-up by the kernel's files.
    private static func searcher() -> LookUp {
        // One for each thread at work would be searched again each time; this one is only locked while a group is found.
        let groups = LockedGroups()
        return { sockets in
            let deadline = ContinuousClock.now + readingTime
            var results = [Result<[Holder], Failure>](
                repeating: .failure(Failure(description: "no process of its control group holds it")),
                count: sockets.count)
            for (group, indices) in Dictionary(grouping: sockets.indices, by: { sockets[$0].controlGroup }) {
                let found = search(
                    sockets[indices[0]].userID, group, Set(indices.map { sockets[$0].inode }), groups, deadline)
                for index in indices {
                    switch found {
                    case .success(let holders):
                        if let holders = holders[sockets[index].inode] { results[index] = .success(holders) }
                    case .failure(let error): results[index] = .failure(error)
                    }
                }
            }
            return results
        }
    }

    private static func search(
        _ user: UInt32, _ group: UInt64?, _ inodes: Set<UInt32>, _ groups: LockedGroups,
        _ deadline: ContinuousClock.Instant
    ) -> Result<[UInt32: [Holder]], Failure> {
        guard let mount = SocketHolders.mountOfSockets() else {
            return .failure(Failure(description: "the mount of sockets is unknown"))
        }
        guard let processes = groups.processes(in: group, of: user) else {
            return .failure(Failure(description: "its control group is not there any more"))
        }
        do {
            // All processes of the user include some that nobody may look at, which have nothing to do with this one.
            let search = SocketHolders(
                of: inodes, mount: mount, deadline: deadline,
                readsAll: groups.isUnified && SocketHolders.mayReadAll)
            return .success(try search.find(among: processes))
        } catch {
            return .failure(Failure(description: "\(error)"))
        }
    }
}
