import GPSDProtocol
import Glibc

/// A failure to connect.
enum SocketFailure: Error {
    case timedOut
    case noSuchHost(String)
    /// The kernel reported this `errno`.
    case system(Int32)
}

/// Stream sockets with a deadline, in seconds of `CLOCK_MONOTONIC`. The caller closes them.
enum StreamSocket {
    static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func connect(to address: GPSDAddress, deadline: Double) throws(SocketFailure) -> Int32 {
        switch address {
        case .unix(let path):
            return try connect(family: AF_UNIX, deadline: deadline, try unixAddress(path))
        case .tcp(let host, let port):
            var hints = addrinfo()
            hints.ai_flags = AI_NUMERICSERV
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            let code = getaddrinfo(host, String(port), &hints, &list)
            guard code == 0, let first = list else { throw .noSuchHost(String(cString: gai_strerror(code))) }
            defer { freeaddrinfo(first) }
            var failure = SocketFailure.system(ECONNREFUSED)
            var next: UnsafeMutablePointer<addrinfo>? = first
            while let candidate = next?.pointee {
                let bytes = UnsafeRawBufferPointer(start: candidate.ai_addr, count: Int(candidate.ai_addrlen))
                do throws(SocketFailure) {
                    return try connect(family: candidate.ai_family, deadline: deadline, Array(bytes))
                } catch {
                    failure = error
                }
                next = candidate.ai_next
            }
            throw failure
        }
    }

    private static func unixAddress(_ path: String) throws(SocketFailure) -> [UInt8] {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .system(ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafeBytes(of: &address) { Array($0) }
    }

    private static func connect(family: Int32, deadline: Double, _ address: [UInt8]) throws(SocketFailure) -> Int32 {
        let flags = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, flags, 0)
        guard descriptor >= 0 else { throw .system(errno) }
        var code: Int32 = 0
        address.withUnsafeBytes { bytes in
            // The address structures of all families begin with the members of `sockaddr`.
            let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            code = Glibc.connect(descriptor, start, socklen_t(bytes.count)) == 0 ? 0 : errno
        }
        if code == EINPROGRESS {
            guard wait(for: Int16(POLLOUT), on: descriptor, deadline: deadline) else {
                close(descriptor)
                throw .timedOut
            }
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        }
        guard code == 0 else {
            close(descriptor)
            throw .system(code)
        }
        return descriptor
    }

    /// Sends a short text. Failures are ignored, because `receive` then finds the connection closed.
    static func send(_ text: String, on socket: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The next bytes; empty at the end of the stream, `nil` when the time is up.
    static func receive(from socket: Int32, deadline: Double) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while wait(for: Int16(POLLIN), on: socket, deadline: deadline) {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            return Array(buffer.prefix(max(0, count)))
        }
        return nil
    }

    private static func wait(for events: Int16, on descriptor: Int32, deadline: Double) -> Bool {
        while true {
            let left = deadline - seconds(of: CLOCK_MONOTONIC)
            guard left > 0 else { return false }
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let count = poll(&entry, 1, Int32((left * 1000).rounded(.up)))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }
}
