import Glibc
import LocationSources
import NIOCore
import NIOPosix

/// A gpsd process of this machine.
final class RealGPSD: Sendable {
    static let executable = "/usr/sbin/gpsd"
    static var isInstalled: Bool { access(executable, X_OK) == 0 }

    struct Failure: Error {
        var call: String
        var code: Int32
    }

    private let process: pid_t

    /// Starts a gpsd that reads `devices` without writing to them, listens on `port` of the loopback interface and
    /// takes commands on `controlSocket`.
    init(port: Int, devices: [String], controlSocket: String? = nil) throws {
        var arguments = [Self.executable, "-N", "-n", "-b", "-S", "\(port)"]
        if let controlSocket { arguments += ["-F", controlSocket] }
        arguments += devices
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // An inherited end of a pseudo terminal would prevent its hang-up. (Closing a closed descriptor is no error.)
        for descriptor in Int32(3)..<1024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var argv = arguments.map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        var process = pid_t()
        let code = posix_spawn(&process, Self.executable, &actions, nil, &argv, environ)
        guard code == 0 else { throw Failure(call: "posix_spawn", code: code) }
        self.process = process
    }

    /// Kills it and waits for its end.
    func kill() {
        Glibc.kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// A port without a listener.
    static func freePort() async throws -> Int {
        let server = try await FakeGPSD.start()
        try await server.stop()
        return server.port
    }
}

/// A serial line with this process as the receiver.
final class PseudoTerminal: Sendable {
    /// The device name for gpsd.
    let path: String
    private let end: any Channel
    /// Kept open, so that sending before gpsd opens the line, or during its restart, is no hang-up.
    private let line: Int32

    init() async throws {
        var (master, line) = (Int32(-1), Int32(-1))
        var name = [CChar](repeating: 0, count: 128)
        var settings = termios()
        cfmakeraw(&settings)
        cfsetspeed(&settings, speed_t(B38400))
        settings.c_cflag |= tcflag_t(CREAD | CLOCAL)
        guard openpty(&master, &line, &name, &settings, nil) == 0 else {
            throw RealGPSD.Failure(call: "openpty", code: errno)
        }
        // gpsd drops its privileges and may have to open the line again.
        fchmod(line, 0o666)
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        _ = fcntl(line, F_SETFD, FD_CLOEXEC)
        self.line = line
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        end = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .takingOwnershipOfDescriptor(inputOutput: master).get()
    }

    /// Sends at the speed at which it is read.
    func send(_ bytes: [UInt8]) async throws {
        try await end.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Hangs up the line.
    func hangUp() async throws {
        close(line)
        try await end.close()
    }
}

/// Another client of the same gpsd, which only listens.
final class Listener: Sendable {
    let lines: AsyncStream<String>
    private let channel: any Channel

    /// Connects and waits until gpsd confirms the watch.
    init(port: Int) async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let watched = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
        let connected = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        ByteToMessageHandler(LineFrames()), Forward(continuation: continuation, watched: watched))
                }
            }
            .connect(host: "127.0.0.1", port: port)
        connected.whenFailure { watched.fail($0) }
        channel = try await connected.get()
        try await channel.send(#"?WATCH={"enable":true,"json":true}"# + "\n")
        try await watched.futureResult.get()
    }

    func close() async throws {
        try await channel.close()
    }

    private final class Forward: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let continuation: AsyncStream<String>.Continuation
        private let watched: EventLoopPromise<Void>

        init(continuation: AsyncStream<String>.Continuation, watched: EventLoopPromise<Void>) {
            self.continuation = continuation
            self.watched = watched
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let line = String(buffer: unwrapInboundIn(data))
            continuation.yield(line)
            if line.contains(#""class":"WATCH""#) { watched.succeed() }
        }

        func channelInactive(context: ChannelHandlerContext) {
            continuation.finish()
            watched.fail(EndOfEvents())
        }
    }
}
