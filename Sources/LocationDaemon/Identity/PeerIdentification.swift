import CSystemd
import Glibc
import LocationPolicy
import Varlink

/// Finds out who is at the other end of a connection, from the kernel and from systemd, never from the peer.
///
/// A process id alone names whoever has it now, so the process is held by a pidfd while its evidence is gathered, and
/// evidence counts only if the process is still alive at the end: then its id cannot have passed to another.
enum PeerIdentification {
    /// Why a peer could not be identified. It is refused, whatever the reason.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The identity of the process that made `connection`. To be called on the connection's event loop.
    @Sendable static func identify(_ connection: ServerConnection) throws -> PeerIdentity {
        guard let peer = try connection.withUnsafeDescriptor(identify(peerOf:)) else {
            throw Failure(description: "the connection is not a socket")
        }
        return peer
    }

    private static func identify(peerOf socket: Int32) throws -> PeerIdentity {
        guard let credentials = SocketOption.read(SO_PEERCRED, of: socket, as: PeerCredentials.self) else {
            throw Failure(description: "the kernel does not say whose it is")
        }
        // 0 is a process of another pid namespace, which has no name here.
        guard credentials.processID > 0 else {
            throw Failure(description: "the kernel does not name its process")
        }
        let process = try ProcessHandle(peerOf: socket, processID: credentials.processID)
        var peer = PeerIdentity(userID: credentials.userID, processID: credentials.processID)
        peer.executable = ProcessEvidence.executable(of: credentials.processID)
        let membership = UnitMembership(of: credentials.processID)
        peer.systemdUnit = membership.systemdUnit
        peer.userUnit = membership.userUnit
        peer.session = membership.session
        peer.flatpakID = peer.userUnit.flatMap(ProcessEvidence.flatpakID(ofUnit:))
        peer.securityLabel = SocketOption.securityLabel(of: socket)
        guard process.isAlive else { throw Failure(description: "process \(peer.processID) has exited") }
        return peer
    }
}

/// The kernel's `struct ucred`, which Glibc's module map does not show to Swift.
private struct PeerCredentials: BitwiseCopyable {
    var processID: Int32 = 0
    var userID: UInt32 = .max
    var groupID: UInt32 = .max
}

/// A process held by a pidfd.
private struct ProcessHandle: ~Copyable {
    /// From the kernel's headers; glibc 2.36 does not have it yet.
    private static let peerPIDFD: Int32 = 77
    private let descriptor: Int32

    /// Holds the process that connected, refusing one that is gone already.
    init(peerOf socket: Int32, processID: Int32) throws {
        if let descriptor = SocketOption.read(Self.peerPIDFD, of: socket, as: Int32.self) {
            // Linux 6.5 and later: the very process that connected, even if its id was given to another since.
            self.descriptor = descriptor
        } else if errno == ENOPROTOOPT {
            // Before that, the process that has the id now: whoever exits right after connecting could be taken for
            // the next process with its id.
            descriptor = locationd_pidfd_open(processID)
        } else {
            // EINVAL or ESRCH: it was reaped before we could hold it.
            descriptor = -1
        }
        guard descriptor >= 0 else { throw PeerIdentification.Failure(description: "process \(processID) has exited") }
    }

    /// A pidfd becomes readable when its process ends.
    var isAlive: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) == 0
    }

    deinit { close(descriptor) }
}

/// What getsockopt(2) tells of a Unix socket.
private enum SocketOption {
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
