import Logging
import NIOCore
package import NIOEmbedded
import TestSupport

@testable import Varlink

/// A way into a daemon.
protocol Entrance: Sendable {
    /// What listens, if anything does.
    var server: VarlinkServer? { get }
    func connect() async throws -> any Peer
    func turnClock(by time: TimeAmount) async
    func shutdown() async
}

/// The raw client's side of a connection.
package protocol Peer: Sendable {
    func send(_ text: String) async throws
    /// The next message; `nil` at the end of the connection and, in process, when there is none.
    func receive() async throws -> String?
    /// From here on what it is sent piles up.
    func stopReading() async throws
    func resumeReading() async throws
    func close() async
}

struct SocketEntrance: Entrance {
    private let path: String
    private let listener: VarlinkServer
    var server: VarlinkServer? { listener }

    init(
        path: String, service: any VarlinkService, loop: any EventLoop, limits: ServerLimits, logger: Logger
    ) async throws {
        self.path = path
        listener = try await VarlinkServer.bind(
            service, to: .path(path, mode: 0o600), on: loop, limits: limits, logger: logger)
    }

    func connect() async throws -> any Peer { SocketPeer(wire: try await Wire.connect(to: path)) }
    func turnClock(by time: TimeAmount) async {}
    func shutdown() async { await listener.shutdown(replying: .stopping, within: .seconds(1)) }
}

struct InProcessEntrance: Entrance {
    let loop: NIOAsyncTestingEventLoop
    let core: ServerCore
    var server: VarlinkServer? { nil }

    func connect() async throws -> any Peer {
        let channel = NIOAsyncTestingChannel(loop: loop)
        try await loop.submit { [core] in try ConnectionHandler.install(on: channel, core: core) }.get()
        try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/in/process")).get()
        return InProcessPeer(channel: channel)
    }

    func turnClock(by time: TimeAmount) async { await loop.advanceTime(by: time) }

    func shutdown() async {
        loop.execute { [core] in _ = core.shutdown(.stopping, within: .seconds(1)) }
        await loop.run()
    }
}

extension VarlinkError {
    /// What the daemon ends its streams with.
    fileprivate static var stopping: VarlinkError { VarlinkError(name: "org.locationd.Location.ServiceStopping") }
}

/// It reads only when a test asks it to.
struct SocketPeer: Peer {
    let wire: Wire

    func send(_ text: String) async { await wire.send(text) }
    func receive() async throws -> String? { try await wire.receive() }
    func stopReading() {}
    func resumeReading() {}
    func close() async { await wire.close() }
}

package struct InProcessPeer: Peer {
    package let channel: NIOAsyncTestingChannel

    // A connection that has been closed takes nothing any more.
    package func send(_ text: String) async {
        _ = try? await channel.writeInbound(ByteBuffer(string: text))
        await channel.testingEventLoop.run()
    }

    package func receive() async throws -> String? {
        await channel.testingEventLoop.run()
        var written: ByteBuffer?
        repeat {
            written = try await channel.readOutbound(as: ByteBuffer.self)
        } while written?.readableBytes == 0
        return written.map { String(buffer: $0.getSlice(at: 0, length: $0.readableBytes - 1)!) }
    }

    package func stopReading() async throws { try await setWritable(false) }
    package func resumeReading() async throws { try await setWritable(true) }
    // Not finish(), which would run all that is scheduled for later.
    package func close() async {
        try? await channel.close()
        await channel.testingEventLoop.run()
    }

    private func setWritable(_ isWritable: Bool) async throws {
        channel.isWritable = isWritable
        try await channel.eventLoop.submit { channel.pipeline.fireChannelWritabilityChanged() }.get()
        await channel.testingEventLoop.run()
    }
}
