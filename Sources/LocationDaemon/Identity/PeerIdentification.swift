import Glibc
import LocationConfiguration
import LocationPolicy
import LocationUsage
import NIOCore
import Varlink

/// Finds out who is at the other end of a connection, from the kernel and from systemd, never from the peer.
///
/// A process id alone names whoever has it now, so the process is held by a pidfd while its evidence is gathered, and
/// evidence counts only if the process is still alive at the end: then its id cannot have passed to another.
///
/// On the event loop nothing waits for what a peer controls. Almost always everything is known at once, and then the
/// future is complete when it is returned.
///
/// `@unchecked Sendable` because it is confined to its event loop.
final class PeerIdentification: @unchecked Sendable {
    /// Why a peer could not be identified. It is refused, whatever the reason.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Who a process is, and a hold on it.
    typealias Identified = (PeerIdentity, WatchedProcess)

    /// The executables that declarations or `Agents` name. Only these are looked up in file systems that may not answer.
    /// Event loop only.
    var namedExecutables: Set<String> = []

    private let eventLoop: any EventLoop
    private let lookups: ExecutableLookups

    init(
        eventLoop: any EventLoop, lookUp: @escaping ExecutableLookups.LookUp = ProcessEvidence.lookUpExecutable
    ) {
        self.eventLoop = eventLoop
        lookups = ExecutableLookups(eventLoop: eventLoop, lookUp: lookUp)
    }

    /// The user who made `connection`; `nil` if it is not a socket. The kernel knows that at once.
    static func userID(of connection: ServerConnection) -> UInt32? {
        let credentials = try? connection.withUnsafeDescriptor {
            SocketOption.read(SO_PEERCRED, of: $0, as: PeerCredentials.self)
        }
        return credentials??.userID
    }

    /// The identity of the process that made `connection`, and a hold on it. To be called on its event loop.
    @Sendable func identify(_ connection: ServerConnection) -> EventLoopFuture<Identified> {
        do {
            guard let (peer, process) = try connection.withUnsafeDescriptor(Self.hold(peerOf:)) else {
                throw Failure(description: "the connection is not a socket")
            }
            // Only what is going to be read is checked: a peer that is refused is told so whatever it sends.
            return complete(peer, process).flatMapThrowing { identified in
                try WriterCheck.install(on: connection, of: peer.processID)
                return identified
            }
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
    }

    /// The identity of the process that made a connection to a bus, by what the bus took from the kernel then, and a hold on it.
    /// To be called on the event loop.
    ///
    /// Without a pidfd the process id is all there is: the process must have the user of the connection, or it is another one
    /// that has the id by now, or a set-uid program that its user has become. Its executable is looked up wherever it is:
    /// users are asked also about programs that no declaration names.
    func identify(_ credentials: BusCredentials) -> EventLoopFuture<Identified> {
        let processID = credentials.processID
        var status = stat()
        guard let process = Self.hold(processID, credentials.processDescriptor), !process.hasExited,
            stat("/proc/\(processID)", &status) == 0
        else {
            return eventLoop.makeFailedFuture(Failure(description: "process \(processID) has exited"))
        }
        guard status.st_uid == credentials.userID else {
            return eventLoop.makeFailedFuture(
                Failure(
                    description: "process \(processID) is of user \(status.st_uid), and the connection of user "
                        + "\(credentials.userID)"))
        }
        var peer = PeerIdentity(userID: credentials.userID, processID: processID)
        peer.securityLabel = credentials.securityLabel
        return complete(peer, process, looksUpAll: true)
    }

    /// Holds the process that a pidfd of somebody else's refers to, or without one the process that has the id now.
    private static func hold(_ processID: Int32, _ pidfd: Int32?) -> WatchedProcess? {
        guard let pidfd else { return WatchedProcess(processID: processID) }
        let own = fcntl(pidfd, F_DUPFD_CLOEXEC, 0)
        return own >= 0 ? WatchedProcess(processID: processID, owning: own) : nil
    }

    /// The identity of a running process, and a hold on it; `nil` if there is none with this id. To be called on the event
    /// loop.
    func identify(processID: Int32) -> EventLoopFuture<Identified?> {
        var status = stat()
        guard let process = WatchedProcess(processID: processID), stat("/proc/\(processID)", &status) == 0 else {
            return eventLoop.makeSucceededFuture(nil)
        }
        return complete(PeerIdentity(userID: status.st_uid, processID: processID), process).map { $0 }
            .flatMapErrorThrowing { error in
                guard process.hasExited else { throw error }
                return nil
            }
    }

    /// Holds the process that made a connection, and takes what the socket knows of it.
    private static func hold(peerOf socket: Int32) throws -> Identified {
        guard let credentials = SocketOption.read(SO_PEERCRED, of: socket, as: PeerCredentials.self) else {
            throw Failure(description: "the kernel does not say whose it is")
        }
        // 0 is a process of another pid namespace, which has no name here.
        guard credentials.processID > 0 else {
            throw Failure(description: "the kernel does not name its process")
        }
        let process = try hold(peerOf: socket, processID: credentials.processID)
        var peer = PeerIdentity(userID: credentials.userID, processID: credentials.processID)
        peer.securityLabel = SocketOption.securityLabel(of: socket)
        return (peer, process)
    }

    /// Adds what is known of the process itself.
    private func complete(
        _ peer: PeerIdentity, _ process: WatchedProcess, looksUpAll: Bool = false
    ) -> EventLoopFuture<Identified> {
        var peer = peer
        let membership = UnitMembership(of: peer.processID)
        peer.systemdUnit = membership.systemdUnit
        peer.userUnit = membership.userUnit
        peer.session = membership.session
        peer.flatpakID = peer.userUnit.flatMap(ProcessEvidence.flatpakID(ofUnit:))
        let executable = ProcessEvidence.executable(of: peer.processID)
        guard case .toBeLookedUp(let path) = executable, looksUpAll || isNamed(path) else {
            return eventLoop.makeCompletedFuture { [peer] in try Self.finish(peer, process, executable) }
        }
        return lookups.executable(of: peer.processID, of: peer.userID, at: path)
            .flatMapThrowing { [peer] in try Self.finish(peer, process, $0) }
    }

    /// To the kernel names are bytes: what Unicode calls equivalent are two files.
    private func isNamed(_ path: String) -> Bool {
        namedExecutables.firstIndex(of: path).map { namedExecutables[$0].utf8.elementsEqual(path.utf8) } ?? false
    }

    private static func finish(
        _ peer: PeerIdentity, _ process: WatchedProcess, _ executable: ProcessEvidence.Executable
    ) throws -> Identified {
        var peer = peer
        switch executable {
        case .seen(let path):
            peer.executable = path
            let view = NamespaceView(of: peer.processID)
            if view.map({ !NamespaceView.trusted.contains($0) }) ?? true {
                peer.unseenExecutable = UnseenExecutable(path: path, reason: .ownNamespace)
            }
        case .unseen(let program): peer.unseenExecutable = program
        case .toBeLookedUp(let path): peer.unseenExecutable = UnseenExecutable(path: path, reason: .notLookedUp)
        case .unknown: break
        }
        guard !process.hasExited else { throw Failure(description: "\(process) has exited") }
        return (peer, process)
    }

    /// Holds the process that connected, refusing one that is gone already.
    private static func hold(peerOf socket: Int32, processID: Int32) throws -> WatchedProcess {
        if let descriptor = SocketOption.read(SocketOption.peerPIDFD, of: socket, as: Int32.self) {
            // Linux 6.5 and later: the very process that connected, even if its id was given to another since.
            return WatchedProcess(processID: processID, owning: descriptor)
        }
        let reason = errno
        // That is nothing of the peer's, and whoever reads the log is to know.
        if [EMFILE, ENFILE, ENOMEM].contains(reason) {
            throw Failure(description: "process \(processID) could not be held: \(String(cString: strerror(reason)))")
        }
        // EINVAL or ESRCH: it was reaped before we could hold it. Before Linux 6.5 the process that has the id now is
        // taken: whoever exits right after connecting could be taken for the next process with its id.
        guard reason == ENOPROTOOPT, let process = WatchedProcess(processID: processID) else {
            throw Failure(description: "process \(processID) has exited")
        }
        return process
    }
}

/// What a bus says of the process that made a connection.
struct BusCredentials {
    let userID: UInt32
    let processID: Int32
    /// Refers to the process, where the bus says that; belongs to the message.
    var processDescriptor: Int32?
    var securityLabel: String?
}

extension Configuration {
    /// The executables by which clients or agents are recognised.
    var namedExecutables: Set<String> {
        Set(daemon.agents + clients.compactMap(\.match.executable))
    }
}

/// The kernel's `struct ucred`, which Glibc's module map does not show to Swift.
private struct PeerCredentials: BitwiseCopyable {
    var processID: Int32 = 0
    var userID: UInt32 = .max
    var groupID: UInt32 = .max
}

/// What getsockopt(2) tells of a Unix socket.
private enum SocketOption {
    /// From the kernel's headers; glibc 2.36 does not have it yet.
    static let peerPIDFD: Int32 = 77

    /// The value of an option, or `nil` with `errno` set. `Value` must be the option's C type.
    static func read<Value: BitwiseCopyable>(_ option: Int32, of socket: Int32, as type: Value.Type) -> Value? {
        withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
            var size = socklen_t(MemoryLayout<Value>.size)
            guard getsockopt(socket, SOL_SOCKET, option, buffer.baseAddress, &size) == 0,
                size == MemoryLayout<Value>.size
            else { return nil }
            return buffer[0]
        }
    }

    /// The label that SELinux, AppArmor or Smack gave the peer when it connected.
    ///
    /// None is the answer of a kernel without such a module; a label longer than any known one is as good as none,
    /// since no declaration matches it then.
    static func securityLabel(of socket: Int32) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { buffer in
            var size = socklen_t(buffer.count)
            guard getsockopt(socket, SOL_SOCKET, SO_PEERSEC, buffer.baseAddress, &size) == 0 else { return nil }
            return SecurityLabel.name(String(decoding: buffer.prefix(Int(size)).prefix { $0 != 0 }, as: UTF8.self))
        }
    }
}

/// The text form of a process's security label.
enum SecurityLabel {
    /// The label without the mode that AppArmor appends, as in `firefox (enforce)`; `nil` for a process that is not
    /// confined at all.
    static func name(_ text: String) -> String? {
        let name = text.hasSuffix(")") ? text.split(separator: " (", maxSplits: 1)[0] : Substring(text)
        return name.isEmpty || name == "unconfined" ? nil : String(name)
    }
}
