import CLinux
import Glibc

/// A TCP socket of this machine, as the kernel describes it.
package struct LocalTCPSocket: Hashable, Sendable {
    /// The user who created it.
    package let userID: UInt32
    /// The number by which `/proc` names it. 0 for an orphan, which no process holds, and whose user reads as root.
    package let inode: UInt32
    /// The number that no other socket has had since the machine was started.
    package let cookie: UInt64
    /// The id of the control group in which it was created; `nil` before Linux 5.8.
    package let controlGroup: UInt64?

    package init(userID: UInt32, inode: UInt32, cookie: UInt64, controlGroup: UInt64?) {
        (self.userID, self.inode, self.cookie, self.controlGroup) = (userID, inode, cookie, controlGroup)
    }
}

/// Finds the TCP socket at the other end of a connection within this machine (sock_diag(7)).
///
/// The kernel finds one connection by its two addresses, and answers within the same call: nothing here waits, apart from
/// the very first look-up since the machine was started, for which the kernel loads a module.
///
/// Confined to one thread.
package final class TCPSocketTable {
    /// The reason why the socket at the other end is not known.
    package enum Failure: Error, Hashable, CustomStringConvertible {
        /// An end of the connection is not an address of the loopback interface.
        case notLoopback
        /// One end is closed, or shut down in one direction, or no process holds the other end any more.
        case notConnected
        /// The kernel has no such socket: that of another network namespace, or one that has just been closed.
        case notFound
        /// The kernel does not answer, with its error.
        case system(Int32)

        package var description: String {
            switch self {
            case .notLoopback: "it does not come from this machine"
            case .notConnected: "it has been closed"
            case .notFound: "the kernel does not know its other end"
            case .system(let code): "the kernel does not say whose it is: \(String(cString: strerror(code)))"
            }
        }
    }

    private let netlink: Int32
    /// The number of the last question.
    private var sequence: UInt32 = 0

    /// Opens the way to ask the kernel.
    package init() throws(SystemdError) {
        netlink = locationd_open_socket_table()
        guard netlink >= 0 else { throw SystemdError("opening a socket of the kernel's socket table", -errno) }
    }

    deinit { close(netlink) }

    /// The socket that is connected to the TCP socket `descriptor`, with both ends open.
    ///
    /// - Parameter cookie: that of the expected socket; `nil` for any.
    package func peer(of descriptor: Int32, cookie: UInt64? = nil) throws(Failure) -> LocalTCPSocket {
        guard let near = Endpoint(of: descriptor, getsockname), let far = Endpoint(of: descriptor, getpeername) else {
            throw .notConnected
        }
        guard near.isLoopback, far.isLoopback, near.family == far.family else { throw .notLoopback }
        let found = try ask(near: near, far: far, cookie)
        // An orphan reads as root's, so its state and inode come before everything else.
        guard found.state == Self.established, found.socket.inode != 0,
            locationd_tcp_state(descriptor) == Int32(Self.established)
        else { throw .notConnected }
        guard cookie == nil || cookie == found.socket.cookie else { throw .notFound }
        return found.socket
    }

    /// `TCP_ESTABLISHED`.
    private static let established: UInt8 = 1

    private func ask(near: Endpoint, far: Endpoint, _ cookie: UInt64?) throws(Failure) -> Found {
        sequence &+= 1
        var request = Request()
        request.header.nlmsg_seq = sequence
        request.header.nlmsg_len = UInt32(MemoryLayout<Request>.size)
        request.header.nlmsg_type = UInt16(SOCK_DIAG_BY_FAMILY)
        request.header.nlmsg_flags = UInt16(NLM_F_REQUEST)
        request.body.sdiag_family = UInt8(near.family)
        request.body.sdiag_protocol = UInt8(IPPROTO_TCP)
        request.body.idiag_states = .max
        // Seen from the other end.
        (request.body.id.idiag_sport, request.body.id.idiag_src) = (far.port, far.address)
        (request.body.id.idiag_dport, request.body.id.idiag_dst) = (near.port, near.address)
        let wanted = cookie ?? .max
        request.body.id.idiag_cookie = (UInt32(truncatingIfNeeded: wanted), UInt32(truncatingIfNeeded: wanted >> 32))
        let size = MemoryLayout<Request>.size
        let sent = withUnsafeBytes(of: &request) { send(netlink, $0.baseAddress, size, Int32(MSG_DONTWAIT)) }
        guard sent == size else { throw .system(errno) }
        var answer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = answer.withUnsafeMutableBytes {
                recv(netlink, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
            }
            guard count >= 0 else { throw .system(errno) }
            let read = answer.withUnsafeBytes { Self.read(UnsafeRawBufferPointer(rebasing: $0[..<count]), sequence) }
            // An earlier question was given up.
            guard let read else { continue }
            return try read.get()
        }
    }

    /// A socket and its state.
    private struct Found {
        let state: UInt8
        let socket: LocalTCPSocket
    }

    /// Reads an answer; `nil` for that to another question.
    private static func read(_ answer: UnsafeRawBufferPointer, _ sequence: UInt32) -> Result<Found, Failure>? {
        let start = MemoryLayout<nlmsghdr>.size
        guard answer.count >= start + MemoryLayout<Int32>.size else { return .failure(.system(EPROTO)) }
        let header = answer.loadUnaligned(as: nlmsghdr.self)
        guard header.nlmsg_seq == sequence else { return nil }
        if header.nlmsg_type == UInt16(NLMSG_ERROR) {
            let code = -answer.loadUnaligned(fromByteOffset: start, as: Int32.self)
            return .failure(code == ENOENT || code == ESTALE ? .notFound : .system(code))
        }
        let length = Int(header.nlmsg_len)
        let attributes = start + MemoryLayout<inet_diag_msg>.size
        guard header.nlmsg_type == UInt16(SOCK_DIAG_BY_FAMILY), length <= answer.count, attributes <= length else {
            return .failure(.system(EPROTO))
        }
        let message = answer.loadUnaligned(fromByteOffset: start, as: inet_diag_msg.self)
        let socket = LocalTCPSocket(
            userID: message.idiag_uid, inode: message.idiag_inode,
            cookie: UInt64(message.id.idiag_cookie.1) << 32 | UInt64(message.id.idiag_cookie.0),
            controlGroup: controlGroup(in: UnsafeRawBufferPointer(rebasing: answer[attributes..<length])))
        return .success(Found(state: message.idiag_state, socket: socket))
    }

    /// The attribute `INET_DIAG_CGROUP_ID`; `nil` if there is none.
    private static func controlGroup(in attributes: UnsafeRawBufferPointer) -> UInt64? {
        var offset = 0
        while offset + 4 <= attributes.count {
            let length = Int(attributes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            let kind = attributes.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self)
            guard length >= 4, offset + length <= attributes.count else { return nil }
            if kind == UInt16(INET_DIAG_CGROUP_ID), length >= 12 {
                return attributes.loadUnaligned(fromByteOffset: offset + 4, as: UInt64.self)
            }
            offset += (length + 3) & ~3
        }
        return nil
    }

    /// A question about one socket.
    private struct Request {
        var header = nlmsghdr()
        var body = inet_diag_req_v2()
    }

    /// An address and a port, in the order of the network.
    private struct Endpoint {
        typealias Reader = (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32

        let family: Int32
        let port: UInt16
        let address: (UInt32, UInt32, UInt32, UInt32)

        /// The end of a connection that `read` names; `nil` if the socket is not connected, or not of IP.
        init?(of descriptor: Int32, _ read: Reader) {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let result = withUnsafeMutableBytes(of: &storage) {
                read(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
            }
            guard result == 0 else { return nil }
            family = Int32(storage.ss_family)
            switch family {
            case AF_INET:
                let end = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in.self) }
                (port, address) = (end.sin_port, (end.sin_addr.s_addr, 0, 0, 0))
            case AF_INET6:
                let end = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in6.self) }
                (port, address) = (
                    end.sin6_port, unsafeBitCast(end.sin6_addr, to: (UInt32, UInt32, UInt32, UInt32).self)
                )
            default: return nil
            }
        }

        /// True for 127.0.0.0/8, also in the form of IPv6, and for ::1.
        var isLoopback: Bool {
            func isLoopback(_ address: UInt32) -> Bool { UInt32(bigEndian: address) >> 24 == 127 }
            if family == AF_INET { return isLoopback(address.0) }
            let (first, second) = (UInt32(bigEndian: address.2), UInt32(bigEndian: address.3))
            guard address.0 == 0, address.1 == 0 else { return false }
            return first == 0 && second == 1 || first == 0xffff && isLoopback(address.3)
        }
    }
}
