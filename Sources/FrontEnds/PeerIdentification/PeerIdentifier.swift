package import LinuxPlumbing
import Glibc
import LocationConfiguration
package import LocationPolicy
package import NIOCore
import POSIXSupport
package import Varlink

/// Identifies peers by the kernel and systemd, never by their own claims.
///
/// A process id can be reused, so a pidfd refers to the process while its evidence is gathered, and the evidence counts
/// only if the process is alive at the end.
///
/// The event loop never waits for anything that a peer controls. Almost always everything is known at once, and then
/// the returned future is complete.
///
/// `@unchecked Sendable` because it is confined to its event loop.
package final class PeerIdentifier: @unchecked Sendable {
    /// A peer could not be identified. It is refused, whatever the reason.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The identity of a process, and a reference to it.
    package typealias Identified = (PeerIdentity, WatchedProcess)

    /// The executables that declarations and `Agents` name. Only these are looked up on file systems that may not
    /// answer. Event loop only.
    package var namedExecutables: Set<String> = []

    let eventLoop: any EventLoop
    let holders: HolderLookups
    private let lookups: ExecutableLookups
    private let membership: (_ processID: Int32) -> UnitMembership

    package init(
        eventLoop: any EventLoop, lookUp: @escaping ExecutableLookups.LookUp = ProcessEvidence.lookUpExecutable,
        membership: @escaping (_ processID: Int32) -> UnitMembership = UnitMembership.init(of:),
        findHolders: HolderLookups.LookUp? = nil
    ) {
        self.eventLoop = eventLoop
        self.membership = membership
        holders = HolderLookups(eventLoop: eventLoop, lookUp: findHolders)
        lookups = ExecutableLookups(eventLoop: eventLoop, lookUp: lookUp)
    }

    /// The user id of the peer of `connection`, from the kernel; `nil` if it is not a socket.
    package static func userID(of connection: ServerConnection) -> UInt32? {
        let credentials = try? connection.withUnsafeDescriptor {
            SocketOption.read(SO_PEERCRED, of: $0, as: PeerCredentials.self)
        }
        return credentials??.userID
    }

    /// Identifies the peer of `connection`. Call it on its event loop.
    @Sendable package func identify(_ connection: ServerConnection) -> EventLoopFuture<Identified> {
        do {
            guard let (peer, process) = try connection.withUnsafeDescriptor(Self.hold(peerOf:)) else {
                throw Failure(description: "the connection is not a socket")
            }
            // Only connections that will be read are checked. A refused peer gets its error whatever it sends.
            return complete(peer, process).flatMapThrowing { identified in
                try WriterCheck.install(on: connection, of: peer.processID)
                return identified
            }
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
    }

    /// Identifies the process that connected to a bus, by the credentials that the bus took from the kernel. Call it on the
    /// event loop.
    ///
    /// The process must have the user of the connection: otherwise its id was reused, or it has become a set-uid program.
    /// Without a pidfd, which buses before dbus 1.16 do not pass, the id may have been reused by another process of the same
    /// user while a child kept the connection. It cannot be determined who holds the connection then, so the system unit does not
    /// count: it is the one criterion that is promised against programs of the same user. The executable is looked up
    /// wherever it is, since users are asked about undeclared programs, too.
    package func identify(_ credentials: BusCredentials) -> EventLoopFuture<Identified> {
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
        let holdsProcess = credentials.processDescriptor != nil
        return complete(peer, process, looksUpAll: true).map { peer, process in
            var peer = peer
            if !holdsProcess { peer.systemdUnit = nil }
            return (peer, process)
        }
    }

    /// A reference to the process of a borrowed pidfd, or without one to the process that has the id now.
    private static func hold(_ processID: Int32, _ pidfd: Int32?) -> WatchedProcess? {
        guard let pidfd else { return WatchedProcess(processID: processID) }
        let own = fcntl(pidfd, F_DUPFD_CLOEXEC, 0)
        return own >= 0 ? WatchedProcess(processID: processID, owning: own) : nil
    }

    /// Identifies the running process with this id; `nil` if there is none. Call it on the event loop.
    package func identify(processID: Int32) -> EventLoopFuture<Identified?> {
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

    /// Opens a reference to the peer's process and reads its credentials from the socket.
    private static func hold(peerOf socket: Int32) throws -> Identified {
        guard let credentials = SocketOption.read(SO_PEERCRED, of: socket, as: PeerCredentials.self) else {
            throw Failure(description: "the kernel does not name its user")
        }
        // 0 stands for a process of another pid namespace, which has no id here.
        guard credentials.processID > 0 else {
            throw Failure(description: "the kernel does not name its process")
        }
        let process = try hold(peerOf: socket, processID: credentials.processID)
        var peer = PeerIdentity(userID: credentials.userID, processID: credentials.processID)
        peer.securityLabel = SocketOption.securityLabel(of: socket)
        return (peer, process)
    }

    /// Adds the evidence about the process itself.
    func complete(
        _ peer: PeerIdentity, _ process: WatchedProcess, looksUpAll: Bool = false
    ) -> EventLoopFuture<Identified> {
        var peer = peer
        let membership = membership(peer.processID)
        peer.systemdUnit = membership.systemdUnit
        peer.userUnit = membership.userUnit
        peer.session = membership.session
        peer.flatpakID = peer.userUnit.flatMap(ProcessEvidence.flatpakID(ofUnit:))
        let executable = ProcessEvidence.executable(of: peer.processID)
        guard case .needsLookup(let path) = executable, looksUpAll || isNamed(path) else {
            return eventLoop.makeCompletedFuture { [peer] in try Self.finish(peer, process, executable) }
        }
        return lookups.executable(of: peer.processID, of: peer.userID, at: path)
            .flatMapThrowing { [peer] in try Self.finish(peer, process, $0) }
    }

    /// True if a declaration or `Agents` names this path. Compares bytes, as the kernel does: names that Unicode calls
    /// equivalent can be two different files.
    private func isNamed(_ path: String) -> Bool {
        namedExecutables.firstIndex(of: path).map { namedExecutables[$0].utf8.elementsEqual(path.utf8) } ?? false
    }

    private static func finish(
        _ peer: PeerIdentity, _ process: WatchedProcess, _ executable: ProcessEvidence.Executable
    ) throws -> Identified {
        var peer = peer
        switch executable {
        case .verified(let path):
            peer.executable = path
            let view = NamespaceView(of: peer.processID)
            if view.map({ !NamespaceView.trusted.contains($0) }) ?? true {
                peer.unverifiedExecutable = UnverifiedExecutable(path: path, reason: .ownNamespace)
            }
        case .unverified(let program): peer.unverifiedExecutable = program
        case .needsLookup(let path): peer.unverifiedExecutable = UnverifiedExecutable(path: path, reason: .notLookedUp)
        case .unknown: break
        }
        guard !process.hasExited else { throw Failure(description: "\(process) has exited") }
        return (peer, process)
    }

    /// Opens a reference to the peer's process, unless it has exited.
    private static func hold(peerOf socket: Int32, processID: Int32) throws -> WatchedProcess {
        if let descriptor = SocketOption.read(SocketOption.peerPIDFD, of: socket, as: Int32.self) {
            // Linux 6.5 and later: exactly the process that connected, even if its id has been reused.
            return WatchedProcess(processID: processID, owning: descriptor)
        }
        let reason = errno
        // An error of this machine, not of the peer; the log distinguishes it.
        if [EMFILE, ENFILE, ENOMEM].contains(reason) {
            throw Failure(description: "no descriptor for process \(processID): \(String(cString: strerror(reason)))")
        }
        // EINVAL or ESRCH: it has been reaped. Before Linux 6.5 the id is used, so a process that exits right after
        // connecting could be confused with the next one with its id.
        guard reason == ENOPROTOOPT, let process = WatchedProcess(processID: processID) else {
            throw Failure(description: "process \(processID) has exited")
        }
        return process
    }
}

/// The bus's information about the process that made a connection.
package struct BusCredentials {
    package let userID: UInt32
    package let processID: Int32
    /// A pidfd of the process, if the bus passed one; the message owns it.
    package var processDescriptor: Int32?
    package var securityLabel: String?

    /// - Parameter processDescriptor: borrowed.
    package init(userID: UInt32, processID: Int32, processDescriptor: Int32? = nil, securityLabel: String? = nil) {
        (self.userID, self.processID) = (userID, processID)
        (self.processDescriptor, self.securityLabel) = (processDescriptor, securityLabel)
    }
}

extension Configuration {
    /// The executables that identify clients or agents.
    package var namedExecutables: Set<String> {
        Set(daemon.agents + clients.compactMap(\.match.executable))
    }
}

/// The kernel's `struct ucred`, which Glibc's module map does not export.
private struct PeerCredentials: BitwiseCopyable {
    var processID: Int32 = 0
    var userID: UInt32 = .max
    var groupID: UInt32 = .max
}

/// Socket options of getsockopt(2) for Unix sockets.
private enum SocketOption {
    /// From the kernel's headers; glibc 2.36 does not define it.
    static let peerPIDFD: Int32 = 77

    /// Reads an option; `nil` with `errno` set after an error. `Value` must be the option's C type.
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
    /// `nil` without such a module, and for a label longer than any known one, which no declaration matches.
    static func securityLabel(of socket: Int32) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { buffer in
            var size = socklen_t(buffer.count)
            guard getsockopt(socket, SOL_SOCKET, SO_PEERSEC, buffer.baseAddress, &size) == 0 else { return nil }
            return SecurityLabel.name(String(decoding: buffer.prefix(Int(size)).prefix { $0 != 0 }, as: UTF8.self))
        }
    }
}

/// Reads and parses security labels.
package enum SecurityLabel {
    /// The label of a process at this moment; `nil` without a security module that gives labels.
    static func read(of processID: Int32) throws(PeerIdentifier.Failure) -> String? {
        do throws(Errno) {
            let text = try SmallFile.read("/proc/\(processID)/attr/current", limit: 4096)
            return name(String(decoding: text.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        } catch {
            // There is no such file, or it has no content, without a security module.
            guard ![ENOENT, EINVAL].contains(error.code) else { return nil }
            throw PeerIdentifier.Failure(
                description: "the security label of process \(processID) is not known: \(error)")
        }
    }

    /// The label without the mode that AppArmor appends, as in `firefox (enforce)`; `nil` for an unconfined process.
    package static func name(_ text: String) -> String? {
        let name = text.hasSuffix(")") ? text.split(separator: " (", maxSplits: 1)[0] : Substring(text)
        return name.isEmpty || name == "unconfined" ? nil : String(name)
    }
}
