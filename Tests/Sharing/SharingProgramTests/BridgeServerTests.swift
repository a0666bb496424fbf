import Glibc
import LocationModel
import LocationSharing
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import SharingProgram

/// A bridge at the interface of loopback, which stands for one of a network here.
///
/// Its members that touch the server run on the event loop.
private struct Site: Sendable {
    let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private let box: NIOLoopBoundBox<BridgeServer?>
    private let address: NIOLoopBoundBox<String?>
    private let endpoint: BridgeEndpoint

    /// - Parameters:
    ///   - address: the address of the interface; `nil` for none.
    ///   - beat: the time between two beats, in milliseconds.
    ///   - isLocal: true if readers count as programs of this machine, which they are.
    init(port: Int = 0, address: String? = "127.0.0.1", beat: Int64 = 10, isLocal: Bool = false) async throws {
        box = .makeBoxSendingValue(nil, eventLoop: eventLoop)
        self.address = .makeBoxSendingValue(address, eventLoop: eventLoop)
        endpoint = BridgeEndpoint(interface: "lo", port: port)
        try await eventLoop.submit { [self] in
            box.value = BridgeServer(
                endpoint, on: eventLoop, logger: Logger(label: "test"), interval: .milliseconds(beat),
                addresses: { [address = self.address] in
                    guard let text = address.value else { return [] }
                    let address = try SocketAddress(ipAddress: text, port: 0)
                    return [InterfaceAddress(interface: "lo", address: address, isLoopback: false)]
                }, isLocal: { _ in isLocal })
        }.get()
    }

    func with<Result: Sendable>(_ body: @escaping @Sendable (BridgeServer) -> Result) async throws -> Result {
        try await eventLoop.submit { [box] in body(box.value!) }.get()
    }

    func setAddress(_ text: String?) async throws {
        try await eventLoop.submit { [self] in
            address.value = text
            box.value?.update()
        }.get()
    }

    var port: Int {
        get async throws {
            while true {
                if let port = try await with({ $0.localAddresses.first?.port }) { return port }
                await Task.yield()
            }
        }
    }

    var problem: BridgeProblem? { get async throws { try await with { $0.problem } } }

    /// Waits until the server has this many readers.
    func readers(_ count: Int) async throws {
        while try await with({ $0.readerCount }) != count { await Task.yield() }
    }

    /// A connected socket.
    func connect() async throws -> CInt { try Self.connect(try await port) }

    static func connect(_ port: Int) throws -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        guard address.withSockAddr({ Glibc.connect(descriptor, $0, socklen_t($1)) }) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw IOError(errnoCode: code, reason: "connect")
        }
        return descriptor
    }

    func close() async throws { try await with { $0.close() } }
}

/// Reads until `count` bytes have come, or the end. Returns nil if the connection was reset.
private func received(_ descriptor: CInt, _ count: Int = .max) async -> String? {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < count {
        let read = recv(descriptor, &part, min(part.count, count - bytes.count), CInt(MSG_DONTWAIT))
        if read > 0 {
            bytes += part[..<read]
        } else if read == 0 {
            break
        } else if errno == EAGAIN {
            await Task.yield()
        } else {
            return nil
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

@Suite("The port of a bridge", .timeLimit(.minutes(10)))
struct BridgeServerTests {
    @Test("all readers receive the same bytes, and none before the first position or after the end")
    func readers() async throws {
        let site = try await Site()
        let sockets = [try await site.connect(), try await site.connect()]
        try await site.readers(2)
        try await site.with { $0.send("one\r\n") }
        for socket in sockets { #expect(await received(socket, 5) == "one\r\n") }
        let port = try await site.port
        try await site.close()
        // The connection is reset, so that what was not received is dropped.
        for socket in sockets {
            #expect(await received(socket) == nil)
            close(socket)
        }
        #expect(throws: IOError.self) { try Site.connect(port) }
    }

    @Test("one reader too many waits until another one leaves, and gets nothing until then")
    func limit() async throws {
        let site = try await Site()
        var sockets: [CInt] = []
        for _ in 0..<BridgeServer.mostReaders { sockets.append(try await site.connect()) }
        try await site.readers(BridgeServer.mostReaders)
        let last = try await site.connect()
        try await site.with { $0.send("one") }
        #expect(await received(sockets[1], 3) == "one")
        #expect(try await site.with { $0.readerCount } == BridgeServer.mostReaders)
        close(sockets[0])
        // Of the next one only.
        while try await site.with({ $0.readerCount }) < BridgeServer.mostReaders { await Task.yield() }
        while true {
            try await site.with { $0.send("two") }
            var bytes = [UInt8](repeating: 0, count: 3)
            if recv(last, &bytes, 3, CInt(MSG_DONTWAIT)) == 3 {
                #expect(bytes == Array("two".utf8))
                break
            }
            await Task.yield()
        }
        try await site.close()
        for socket in sockets.dropFirst() + [last] { close(socket) }
    }

    @Test("a reader that never reads misses positions, costs a bounded queue, delays nobody and is disconnected")
    func slow() async throws {
        let site = try await Site()
        let (slow, quick) = (try await site.connect(), try await site.connect())
        try await site.readers(2)
        let text = String(repeating: "x", count: 4096)
        var sent = 0
        // Until the buffers of the kernel at both ends are full, and some more.
        while try await site.with({ $0.readerCount }) == 2 {
            try await site.with { $0.send(text) }
            sent += 1
            #expect(await received(quick, 4096) == text)
        }
        #expect(sent > BridgeServer.mostMissed)
        try await site.with { $0.send("end") }
        #expect(await received(quick, 3) == "end")
        close(slow)
        close(quick)
        try await site.close()
    }

    @Test("programs of this machine are disconnected without a byte")
    func local() async throws {
        let site = try await Site(isLocal: true)
        let socket = try await site.connect()
        try await site.with { $0.send("one") }
        let text = await received(socket)
        #expect(text == nil || text == "")
        close(socket)
        try await site.close()
        for text in ["127.0.0.1", "127.1.2.3", "::1"] {
            #expect(try InterfaceAddress.contains(SocketAddress(ipAddress: text, port: 1)), "\(text)")
        }
        #expect(try !InterfaceAddress.contains(SocketAddress(ipAddress: "203.0.113.7", port: 1)))
    }

    @Test("after 64 connections in a second no other one is accepted in it, even if they have closed")
    func churn() async throws {
        let site = try await Site(beat: 3_600_000)
        for _ in 0..<BridgeServer.mostReaders {
            close(try await site.connect())
            try await site.readers(0)
        }
        while try await site.with({ $0.isAccepting }) { await Task.yield() }
        try await site.close()
    }

    @Test("data from a reader is dropped, and one that sends megabytes is read slowly and served as any other")
    func flood() async throws {
        // A beat of an hour: what is read without one is what is read in all.
        let site = try await Site(beat: 3_600_000)
        let socket = try await site.connect()
        try await site.readers(1)
        var taken = 0
        let megabyte = [UInt8](repeating: UInt8(ascii: "?"), count: 1 << 20)
        while taken < 64 << 20 {
            let count = send(socket, megabyte, megabyte.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
            if count > 0 {
                taken += count
                continue
            }
            #expect(errno == EAGAIN)
            // Whatever else the loop has to do first.
            try await site.with { _ in }
            break
        }
        #expect(taken < 64 << 20)
        try await site.with { $0.send("one") }
        #expect(await received(socket, 3) == "one")
        close(socket)
        try await site.close()
    }

    @Test("a reader that leaves is noticed at the next beat, also while nothing is sent")
    func leaves() async throws {
        let site = try await Site()
        let socket = try await site.connect()
        try await site.readers(1)
        // Before its end is noticed, this has to be read.
        #expect(write(socket, "x", 1) == 1)
        close(socket)
        try await site.readers(0)
        try await site.close()
    }

    @Test("an interface that loses its address has no readers, and has some again when it gets another one")
    func address() async throws {
        let site = try await Site()
        let socket = try await site.connect()
        try await site.readers(1)
        try await site.setAddress(nil)
        #expect(await received(socket) == nil)
        #expect(try await site.problem == .noAddress("lo"))
        #expect(try await site.with { $0.localAddresses.isEmpty })
        try await site.setAddress("127.0.0.2")
        while try await site.with({ $0.localAddresses.isEmpty }) { await Task.yield() }
        #expect(try await site.with { $0.localAddresses.first?.ipAddress } == "127.0.0.2")
        #expect(try await site.problem == nil)
        close(socket)
        try await site.close()
    }

    @Test("a port of another program is named, and used once that has ended")
    func taken() async throws {
        let first = try await Site()
        let port = try await first.port
        let second = try await Site(port: port)
        #expect(try await second.problem == .portInUse(BridgeEndpoint(interface: "lo", port: port)))
        try await first.close()
        repeat {
            try await second.with { $0.update() }
            await Task.yield()
        } while try await second.with({ $0.localAddresses.isEmpty })
        #expect(try await second.problem == nil)
        try await second.close()
    }

    @Test("public addresses are left out unless they are allowed, and loopback is always refused")
    func addresses() throws {
        func address(_ interface: String, _ text: String) throws -> InterfaceAddress {
            InterfaceAddress(interface: interface, address: try SocketAddress(ipAddress: text, port: 0))
        }
        let all = [
            try address("lo", "127.0.0.1"), try address("eth0", "192.168.1.5"), try address("eth0", "2001:db8::5"),
            try address("eth0", "fe80::5"), try address("wan", "203.0.113.7"), try address("cgn", "100.64.0.1"),
        ]
        func texts(_ interface: String, allowsPublic: Bool = false) throws -> [String?] {
            try all.addresses(for: BridgeEndpoint(interface: interface, port: 10_110, allowsPublic: allowsPublic))
                .map(\.ipAddress)
        }
        #expect(try texts("eth0") == ["192.168.1.5", "fe80::5"])
        #expect(try texts("eth0", allowsPublic: true) == ["192.168.1.5", "2001:db8::5", "fe80::5"])
        #expect(throws: BridgeProblem.publicOnly("wan")) { try texts("wan") }
        #expect(throws: BridgeProblem.publicOnly("cgn")) { try texts("cgn") }
        #expect(try texts("wan", allowsPublic: true) == ["203.0.113.7"])
        #expect(throws: BridgeProblem.loopback("lo")) { try texts("lo", allowsPublic: true) }
        #expect(throws: BridgeProblem.noInterface("eth7", others: ["cgn", "eth0", "wan"])) { try texts("eth7") }
    }
}
