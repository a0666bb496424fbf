package import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// A gpsd process of this machine, which reads one receiver or none.
package final class GPSD: Sendable {
    package static let executable = "/usr/sbin/gpsd"
    package static var isInstalled: Bool { access(executable, X_OK) == 0 }

    private let process: ChildProcess
    /// Its address, as locationd takes it.
    package let address: String

    private init(_ process: ChildProcess, address: String) {
        self.process = process
        self.address = address
    }

    /// One that listens on a port of the loopback.
    package static func overTCP(in directory: TemporaryDirectory, reading receiver: SerialReceiver) async throws -> GPSD
    {
        var address = sockaddr_in.loopback(port: 0)
        let socket = try boundSocket(AF_INET, &address)
        guard listen(socket, 8) == 0 else { throw SystemFailure("listen") }
        let port = UInt16(bigEndian: address.sin_port)
        return try await start(socket, address: "127.0.0.1:\(port)", in: directory, reading: receiver)
    }

    /// One that listens on a Unix socket.
    package static func overUnixSocket(
        in directory: TemporaryDirectory, reading receiver: SerialReceiver?
    ) async throws -> GPSD {
        let path = directory.path + "/gpsd.sock"
        return try await start(listeningSocket(at: path), address: path, in: directory, reading: receiver)
    }

    /// One that listens on a reserved port itself, so that connections are refused while it does not run, and takes orders on
    /// `control`.
    package static func onPort(_ port: ReservedPort, reading receiver: String?, control: String? = nil) async throws
        -> GPSD
    {
        let orders = control.map { ["-F", $0] } ?? []
        let process = try await ChildProcess(
            [executable, "-N", "-n", "-b", "-S", "\(port.number)"] + orders + [receiver].compactMap(\.self))
        return GPSD(process, address: "127.0.0.1:\(port.number)")
    }

    /// Passes it the socket as a service manager does: it has no other way to a Unix socket or to a port that is free
    /// for certain. The first socket that is passed is for orders.
    private static func start(
        _ socket: Int32, address: String, in directory: TemporaryDirectory, reading receiver: SerialReceiver?
    ) async throws -> GPSD {
        let sockets = [try listeningSocket(at: directory.path + "/gpsd-control.sock"), socket]
        defer { for socket in sockets { close(socket) } }
        // Not as a daemon, at once, and without writing to the receiver.
        let command = [executable, "-N", "-n", "-b"] + [receiver?.path].compactMap(\.self)
        let passing = #"LISTEN_PID=$$ LISTEN_FDS=2 exec "$0" "$@""#
        let process = try await ChildProcess(["/bin/sh", "-c", passing] + command, descriptors: sockets)
        return GPSD(process, address: address)
    }

    package func stop() async throws {
        process.signal(SIGKILL)
        _ = try await process.exitCode()
    }

    /// Binds a Unix socket, in place of one that was left there.
    private static func listeningSocket(at path: String) throws -> Int32 {
        unlink(path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = try boundSocket(AF_UNIX, &address)
        guard listen(descriptor, 8) == 0 else { throw SystemFailure("listen") }
        return descriptor
    }
}

/// A port of the loopback that is this test's as long as this exists, and at which nobody listens yet.
///
/// The socket that is bound to it does not listen, so connections are refused. The kernel gives the port to nobody who asks for
/// any free one; a server that names it and sets `SO_REUSEADDR`, as gpsd does, can listen there, end and listen again.
package final class ReservedPort: Sendable {
    package let number: Int
    private let descriptor: Int32

    package init() throws {
        var address = sockaddr_in.loopback(port: 0)
        descriptor = try boundSocket(AF_INET, &address, isShared: true)
        number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}

extension sockaddr_in {
    package static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}

/// Binds a socket to `address`, which is set to the address that the system chose.
///
/// - Parameter isShared: sets `SO_REUSEADDR`: another such socket can be bound to the same address while this one does not listen.
package func boundSocket<Address>(
    _ family: Int32, _ address: inout Address, isShared: Bool = false
) throws -> Int32 {
    let descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var (size, shared) = (socklen_t(MemoryLayout<Address>.size), CInt(isShared ? 1 : 0))
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
        // Every address begins as a `sockaddr` does.
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
        return setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &shared, socklen_t(MemoryLayout<CInt>.size)) == 0
            && bind(descriptor, start, size) == 0 && getsockname(descriptor, start, &size) == 0
    }
    guard isBound else {
        let failure = SystemFailure("bind")
        close(descriptor)
        throw failure
    }
    return descriptor
}

/// A serial line with this process in place of the receiver.
package final class SerialLine: Sendable {
    /// The line's name, for gpsd.
    package let path: String
    private let wire: Wire
    /// Kept open, so that what is sent before gpsd opens the line is no hang-up.
    private let line: Mutex<Int32?>

    package init() async throws {
        var (master, line) = (Int32(-1), Int32(-1))
        var name = [CChar](repeating: 0, count: 128)
        var settings = termios()
        cfmakeraw(&settings)
        cfsetspeed(&settings, speed_t(B38400))
        settings.c_cflag |= tcflag_t(CREAD | CLOCAL)
        guard openpty(&master, &line, &name, &settings, nil) == 0 else { throw SystemFailure("openpty") }
        // gpsd drops its privileges and may have to open the line again.
        fchmod(line, 0o666)
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        _ = fcntl(line, F_SETFD, FD_CLOEXEC)
        self.line = Mutex(line)
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        wire = try await Wire.lines(onTerminal: master)
    }

    deinit { closeLine() }

    /// Sends at the speed at which it is read.
    package func send(_ bytes: [UInt8]) async { await wire.send(bytes) }

    package func hangUp() async {
        closeLine()
        await wire.close()
    }

    private func closeLine() { line.withLock { $0.take() }.map { _ = close($0) } }
}

/// A receiver at a serial line: ten fixes a second from a place near Munich, with the time of now.
package final class SerialReceiver: Sendable {
    package static let latitude = 48.137555
    package static let longitude = 11.575569

    /// The line's name, for gpsd.
    package var path: String { line.path }
    private let line: SerialLine
    private let task: RepeatedTask

    /// What it says.
    package enum State: Sendable {
        case fix
        /// No fix, and how many satellites it sees.
        case noFix(satellites: Int)
        case silent
    }

    package init(_ state: State = .fix, at line: SerialLine? = nil) async throws {
        let line = if let line { line } else { try await SerialLine() }
        self.line = line
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        task = loop.scheduleRepeatedAsyncTask(initialDelay: .zero, delay: .milliseconds(100)) { _ in
            loop.makeFutureWithTask { await line.send(Self.sentences(state)) }
        }
    }

    deinit { stop() }

    /// From here on it is silent.
    package func stop() { task.cancel() }

    /// What it says ten times a second.
    private static func sentences(_ state: State) -> [UInt8] {
        switch state {
        case .silent: []
        case .fix: sentence(positioned("A"))
        case .noFix(let satellites):
            sentence(positioned("V")) + sentence("GPGSA,A,1,,,,,,,,,,,,,,,")
                + sentence(
                    "GPGSV,1,1,0\(satellites)"
                        + (0..<satellites).map { ",0\($0 + 1),45,\(100 + 30 * $0),38" }.joined())
        }
    }

    /// The body of an RMC sentence.
    private static func positioned(_ status: String) -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var date = tm()
        gmtime_r(&now.tv_sec, &date)
        func two(_ number: some BinaryInteger) -> String { (number < 10 ? "0" : "") + "\(number)" }
        let clock = two(date.tm_hour) + two(date.tm_min) + two(date.tm_sec) + "." + two(now.tv_nsec / 10_000_000)
        let day = two(date.tm_mday) + two(date.tm_mon + 1) + two(date.tm_year % 100)
        let position = status == "A" ? "4808.25330,N,01134.53414,E,15.55,40.0" : ",,,,,"
        return "GPRMC,\(clock),\(status),\(position),\(day),,,\(status == "A" ? "A" : "N")"
    }

    private static func sentence(_ body: String) -> [UInt8] {
        let checksum = body.utf8.reduce(0, ^)
        return Array("$\(body)*\(checksum < 16 ? "0" : "")\(String(checksum, radix: 16, uppercase: true))\r\n".utf8)
    }
}
