import Glibc
import LinuxPlumbing
import LocationPolicy
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import PeerIdentification

/// Who is at the other end of a connection within this machine. The peers are real processes, most of which try to look like
/// something else.
@Suite("Peers of a loopback connection", .timeLimit(.minutes(10))) struct LoopbackIdentityTests {
    private static let python = "/usr/bin/python3"
    /// The file that Python's name leads to.
    private static let interpreter = String(cString: realpath(python, nil))
    private static let sleep = String(cString: realpath("/usr/bin/sleep", nil))

    /// A listener on the loopback, whose accepted sockets no library touches.
    private final class Listener: Sendable {
        let port: UInt16
        private let descriptor: Int32

        init(isIPv6: Bool = false) throws {
            descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #expect(listen(descriptor, 5) == 0)
            // Bound by listen(2) to a port of all addresses. Its name has the family in two bytes, and then the port.
            var name = [UInt8](repeating: 0, count: 28)
            var size = socklen_t(name.count)
            let result = name.withUnsafeMutableBytes { [descriptor] in
                getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
            }
            try #require(result == 0)
            port = UInt16(name[2]) << 8 | UInt16(name[3])
        }

        deinit { close(descriptor) }

        /// The next connection, which is there already.
        func accept() throws -> Accepted { Accepted(descriptor: Glibc.accept(descriptor, nil, nil)) }
    }

    /// An accepted connection.
    private final class Accepted: Sendable {
        let descriptor: Int32

        init(descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }

        /// Has the peer's script go on.
        func proceed() { #expect(Glibc.send(descriptor, "x", 1, Int32(MSG_NOSIGNAL)) == 1) }
    }

    /// A process that runs a script with a connected socket `s`, and its accepted end.
    private func connect(
        _ script: String, to listener: Listener? = nil, host: String = "127.0.0.1", family: String = "AF_INET",
        before: String = ""
    ) async throws -> (peer: ChildProcess, accepted: Accepted) {
        let listener = try listener ?? Listener(isIPv6: host == "::1")
        let peer = try await ChildProcess([
            Self.python, "-c",
            """
            import array, os, socket, struct, sys, time
            s = socket.socket(socket.\(family))
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            \(before)
            s.connect(("\(host)", \(listener.port)))
            print("connected", flush=True)
            \(script)
            """,
        ])
        try #require(try await peer.output.receive() == "connected")
        return (peer, try listener.accept())
    }

    /// Identifies the peer as the front end does. `meanwhile` happens after its socket was found.
    private func identify(
        _ accepted: Accepted, findHolders: HolderLookups.LookUp? = nil,
        meanwhile: @Sendable () async throws -> Void = {}
    ) async throws -> PeerIdentifier.LoopbackPeer {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let socket = try TCPSocketTable().peer(of: accepted.descriptor)
        try await meanwhile()
        return try await loop.flatSubmit {
            PeerIdentifier(eventLoop: loop, findHolders: findHolders).identify(socket) {
                try TCPSocketTable().peer(of: accepted.descriptor, cookie: socket.cookie)
            }.map { NIOLoopBound($0, eventLoop: loop) }
        }.flatMapThrowing { $0.value }.get()
    }

    /// What keeps a script alive until its connection is closed.
    private static let stay = "s.recv(9)\ns.recv(9)"

    @Test(
        "a peer is found by IPv4, by IPv6, by IPv4 in the form of IPv6 and from another address of the loopback",
        arguments: [
            ("127.0.0.1", "AF_INET", ""), ("::1", "AF_INET6", ""), ("::ffff:127.0.0.1", "AF_INET6", ""),
            ("127.0.0.1", "AF_INET", #"s.bind(("127.5.5.5", 0))"#),
        ])
    func addresses(host: String, family: String, before: String) async throws {
        let (peer, accepted) = try await connect(Self.stay, host: host, family: family, before: before)
        let found = try await identify(accepted)
        #expect(found.identity.userID == getuid())
        #expect(found.identity.executable == Self.interpreter)
        #expect(found.processes.map(\.processID) == [peer.processID])
        #expect(found.identity.processID == peer.processID)
    }

    @Test("an IPv4 client of a listener for both families is found")
    func dualStack() async throws {
        let listener = try Listener(isIPv6: true)
        let (peer, accepted) = try await connect(Self.stay, to: listener)
        #expect(try await identify(accepted).processes.map(\.processID) == [peer.processID])
    }

    @Test("a connection that does not come from the loopback is refused")
    func notLoopback() async throws {
        var addresses: UnsafeMutablePointer<ifaddrs>?
        try #require(getifaddrs(&addresses) == 0)
        defer { freeifaddrs(addresses) }
        let all = sequence(first: addresses, next: { $0?.pointee.ifa_next }).prefix { $0 != nil }
        let others = all.compactMap { entry -> String? in
            guard let address = entry?.pointee.ifa_addr, address.pointee.sa_family == UInt16(AF_INET) else {
                return nil
            }
            // Behind the family and the port.
            let bytes = Array(UnsafeRawBufferPointer(start: address, count: 8)[4...])
            return bytes[0] == 127 ? nil : bytes.map(String.init).joined(separator: ".")
        }
        // A machine without a network has no other address.
        guard let other = others.first else { return }
        let (peer, accepted) = try await connect(Self.stay, host: other)
        #expect(throws: TCPSocketTable.Failure.notLoopback) {
            try TCPSocketTable().peer(of: accepted.descriptor)
        }
        peer.signal(SIGKILL)
    }

    @Test("an orphan, which the kernel shows as root's, is refused")
    func orphan() async throws {
        // It has been sent something that it will not read, and ends: a part of its socket stays.
        for script in ["os._exit(0)", "s.sendall(b'x' * 10)\nos._exit(0)"] {
            let (peer, accepted) = try await connect(script)
            _ = try await peer.exitCode()
            let error = #expect(throws: TCPSocketTable.Failure.self) {
                try TCPSocketTable().peer(of: accepted.descriptor)
            }
            #expect([.notConnected, .notFound].contains(error))
        }
    }

    @Test("a peer that has shut one direction down, or reset the connection, is refused")
    func halfClosed() async throws {
        for script in [
            "s.shutdown(socket.SHUT_WR)", "s.shutdown(socket.SHUT_RD); s.shutdown(socket.SHUT_WR)",
            #"s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)); s.close()"#,
        ] {
            let (peer, accepted) = try await connect("\(script)\nprint('done', flush=True)\ntime.sleep(60)")
            try #require(try await peer.output.receive() == "done")
            let error = #expect(throws: TCPSocketTable.Failure.self) {
                try TCPSocketTable().peer(of: accepted.descriptor)
            }
            #expect([.notConnected, .notFound].contains(error), "\(script)")
        }
    }

    @Test("a peer that closes its connection after its socket was found is refused")
    func closesMeanwhile() async throws {
        let (peer, accepted) = try await connect("s.recv(1); s.close(); print('closed', flush=True); time.sleep(60)")
        await #expect(throws: (any Error).self) {
            try await identify(
                accepted,
                meanwhile: {
                    accepted.proceed()
                    try #require(try await peer.output.receive() == "closed")
                })
        }
    }

    @Test("a new connection from the same port is not taken for the old one")
    func reusedPort() async throws {
        let listener = try Listener()
        let (peer, accepted) = try await connect(
            """
            port = s.getsockname()[1]
            s.recv(1)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            s.close()
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(("127.0.0.1", port))
            s.connect(("127.0.0.1", \(listener.port)))
            print("again", flush=True)
            s.recv(1)
            """, to: listener)
        let first = try TCPSocketTable().peer(of: accepted.descriptor)
        accepted.proceed()
        try #require(try await peer.output.receive() == "again")
        let next = try listener.accept()
        let second = try TCPSocketTable().peer(of: next.descriptor)
        #expect(second.cookie != first.cookie)
        #expect(throws: TCPSocketTable.Failure.self) { try TCPSocketTable().peer(of: accepted.descriptor) }
        #expect(throws: TCPSocketTable.Failure.notFound) {
            try TCPSocketTable().peer(of: next.descriptor, cookie: first.cookie)
        }
        #expect(try await identify(next).processes.map(\.processID) == [peer.processID])
    }

    @Test("a child of the same program that keeps the connection counts as the same program")
    func fork() async throws {
        let (peer, accepted) = try await connect(
            """
            if os.fork() == 0:
                print("forked", flush=True)
                s.recv(9); os._exit(0)
            s.recv(9)
            """)
        try #require(try await peer.output.receive() == "forked")
        let found = try await identify(accepted)
        #expect(found.processes.count == 2)
        #expect(found.processes.contains { $0.processID == peer.processID })
        #expect(found.identity.executable == Self.interpreter)
    }

    @Test("a connection that two programs hold is refused, because either may read it")
    func mixedHolders() async throws {
        let (peer, accepted) = try await connect(
            """
            s.set_inheritable(True)
            if os.fork() == 0:
                while os.readlink("/proc/%d/exe" % os.getppid()) == os.readlink("/proc/self/exe"): pass
                print("became another", flush=True)
                s.recv(9); os._exit(0)
            os.execv("/usr/bin/sleep", ["sleep", "60"])
            """)
        try #require(try await peer.output.receive() == "became another")
        let error = await #expect(throws: PeerIdentifier.Failure.self) { try await identify(accepted) }
        let words = ["several programs hold it", Self.sleep, Self.interpreter]
        for word in words { #expect(error?.description.contains(word) == true) }
    }

    @Test("a thread with a descriptor table of its own holds a connection, too")
    func threadWithOwnDescriptors() async throws {
        let (peer, accepted) = try await connect(
            """
            import ctypes, threading
            s.set_inheritable(True)
            child = os.fork()
            if child == 0: os.execv("/usr/bin/sleep", ["sleep", "60"])
            while os.readlink("/proc/%d/exe" % child) == os.readlink("/proc/self/exe"): pass
            apart = threading.Event()
            def hold():
                # CLONE_FILES
                assert ctypes.CDLL(None).unshare(0x400) == 0
                apart.set()
                s.recv(9)
            threading.Thread(target=hold, daemon=True).start()
            apart.wait()
            os.close(s.fileno())
            print("hidden", flush=True)
            time.sleep(60)
            """)
        try #require(try await peer.output.receive() == "hidden")
        let error = await #expect(throws: PeerIdentifier.Failure.self) { try await identify(accepted) }
        #expect(error?.description.contains("several programs hold it") == true)
        peer.signal(SIGKILL)
    }

    @Test("a holder that closes the connection between look-up and end is refused")
    func letsGoMeanwhile() async throws {
        let (peer, accepted) = try await connect(
            """
            if os.fork() == 0:
                print(os.getpid(), flush=True)
                s.recv(1); s.close()
                print("let go", flush=True)
                time.sleep(60)
            time.sleep(60)
            """)
        let child = try await peer.output.receive().flatMap { Int32($0) }
        let found = Self.holders(
            of: try TCPSocketTable().peer(of: accepted.descriptor), among: [peer.processID, try #require(child)])
        #expect(found.count == 2)
        accepted.proceed()
        try #require(try await peer.output.receive() == "let go")
        let error = await #expect(throws: PeerIdentifier.Failure.self) {
            try await identify(accepted, findHolders: { $0.map { _ in .success(found) } })
        }
        #expect(error?.description == "it was passed on")
        peer.signal(SIGKILL)
    }

    @Test("the limit of descriptors counts even if the last of them is the socket")
    func tooManyDescriptors() async throws {
        let (peer, accepted) = try await connect(
            """
            last = os.dup2(s.fileno(), 200)
            s.detach()
            # Also what other tests had open when this process began.
            os.closerange(3, last)
            os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))
            s = socket.socket(fileno=last)
            null = os.open("/dev/null", os.O_RDONLY)
            # Without the one by which they are listed.
            while len(os.listdir("/proc/self/fd")) < 65: os.dup(null)
            print("ready", flush=True)
            s.recv(9)
            """)
        try #require(try await peer.output.receive() == "ready")
        let socket = try TCPSocketTable().peer(of: accepted.descriptor)
        func search(_ limit: Int) throws -> Int? {
            let search = SocketHolders(
                of: [socket.inode], mount: SocketHolders.mountOfSockets() ?? 0, deadline: .now + .seconds(9),
                mostFiles: limit)
            return try search.find(among: [peer.processID])[socket.inode]?.count
        }
        #expect(throws: SocketHolders.Failure.tooManyFiles(limit: 63)) { try search(63) }
        #expect(try search(64) == 1)
        #expect(SocketHolders.mostFiles == 65_536)
    }

    @Test("a program that connected before it executed another one is that other one")
    func exec() async throws {
        let (peer, accepted) = try await connect(
            """
            s.set_inheritable(True)
            if os.fork() == 0:
                s.close()
                while os.readlink("/proc/%d/exe" % os.getppid()) == os.readlink("/proc/self/exe"): pass
                print("became another", flush=True)
                os._exit(0)
            os.execv("/usr/bin/sleep", ["sleep", "60"])
            """)
        try #require(try await peer.output.receive() == "became another")
        #expect(try await identify(accepted).identity.executable == Self.sleep)
    }

    @Test("a socket that was passed to a process of another user is refused", .enabled(if: getuid() == 0))
    func passedToAnotherUser() async throws {
        let (peer, accepted) = try await connect(
            """
            if os.fork() == 0:
                os.setuid(65534)
                print("passed", flush=True)
                s.recv(9); os._exit(0)
            s.close()
            time.sleep(60)
            """)
        try #require(try await peer.output.receive() == "passed")
        // The user of a socket stays the one who created it.
        #expect(try TCPSocketTable().peer(of: accepted.descriptor).userID == 0)
        await #expect(throws: (any Error).self) {
            // Also where the look-up finds the other user's process.
            try await identify(
                accepted,
                findHolders: { sockets in
                    sockets.map { .success(Self.holders(of: $0, among: SocketHolders.processes(of: 65534))) }
                })
        }
    }

    @Test("a descriptor in flight in another socket has no holder, and is refused")
    func inFlight() async throws {
        let (peer, accepted) = try await connect(
            """
            a, b = socket.socketpair()
            a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno()]))])
            s.close()
            print("in flight", flush=True)
            time.sleep(60)
            """)
        try #require(try await peer.output.receive() == "in flight")
        await #expect(throws: HolderLookups.Failure.self) { try await identify(accepted) }
        peer.signal(SIGKILL)
    }

    @Test("a peer that exits while its holders are looked up is refused, even if its id is in use again")
    func exitsMeanwhile() async throws {
        let (peer, accepted) = try await connect(Self.stay)
        await #expect(throws: (any Error).self) {
            try await identify(
                accepted,
                findHolders: { sockets in
                    sockets.map {
                        let holders = Self.holders(of: $0, among: [peer.processID])
                        peer.signal(SIGKILL)
                        for holder in holders {
                            var exit = pollfd(fd: holder.process.descriptor, events: Int16(POLLIN), revents: 0)
                            _ = poll(&exit, 1, -1)
                        }
                        return .success(holders)
                    }
                })
        }
    }

    private static func holders(of socket: LocalTCPSocket, among processes: [Int32]) -> [SocketHolders.Holder] {
        let search = SocketHolders(
            of: [socket.inode], mount: SocketHolders.mountOfSockets() ?? 0, deadline: .now + .seconds(9))
        return (try? search.find(among: processes))?[socket.inode] ?? []
    }

    /// The sizes of the batches in which sockets were looked up.
    private final class Batches: Sendable {
        let sizes = Mutex<[Int]>([])
    }

    @Test("many connections of one program are looked up together, and those of one user one after the other")
    func together() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let batches = Batches()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let gate = ends[0]
        let lookups = try await loop.submit {
            HolderLookups(eventLoop: loop) { sockets in
                batches.sizes.withLock { $0.append(sockets.count) }
                var byte = UInt8(0)
                read(gate, &byte, 1)
                return sockets.map { _ in .failure(HolderLookups.Failure(description: "none")) }
            }
        }.get()
        let results = try await loop.submit {
            (0..<50).map { number in
                lookups.holders(
                    of: LocalTCPSocket(userID: 1, inode: UInt32(number + 1), cookie: UInt64(number), controlGroup: 1))
            }
        }.get()
        for _ in 0..<2 { write(ends[1], "x", 1) }
        for result in results { await #expect(throws: HolderLookups.Failure.self) { try await result.get() } }
        #expect(batches.sizes.withLock { $0 } == [1, 49])
        for end in ends { close(end) }
    }

    @Test(
        "look-ups of a user behind a stuck one fail after four seconds, and the next ones work once it has ended")
    func stuck() async throws {
        let loop = NIOAsyncTestingEventLoop()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let gate = ends[0]
        let (begun, continuation) = AsyncStream.makeStream(of: Int.self)
        let lookups = try await loop.submit {
            HolderLookups(eventLoop: loop) { sockets in
                continuation.yield(sockets.count)
                var byte = UInt8(0)
                read(gate, &byte, 1)
                return sockets.map { _ in .success([]) }
            }
        }.get()
        func holders() async throws -> EventLoopFuture<[SocketHolders.Holder]> {
            try await loop.submit {
                lookups.holders(of: LocalTCPSocket(userID: 1, inode: 1, cookie: 1, controlGroup: 1))
            }.get()
        }
        func isFailed(_ result: EventLoopFuture<[SocketHolders.Holder]>) async -> Bool {
            do {
                _ = try await result.get()
                return false
            } catch {
                return "\(error)".contains("in time")
            }
        }
        var batches = begun.makeAsyncIterator()
        let first = try await holders()
        #expect(await batches.next() == 1)
        let ended = Mutex(0)
        await loop.advanceTime(by: .seconds(3))
        let waiting = [try await holders(), try await holders()]
        for result in [first] + waiting { result.whenComplete { _ in ended.withLock { $0 += 1 } } }
        await loop.advanceTime(by: .milliseconds(999))
        #expect(ended.withLock { $0 } == 0)
        await loop.advanceTime(by: .milliseconds(1))
        try #require(ended.withLock { $0 } == 3)
        for result in [first] + waiting { #expect(await isFailed(result)) }
        // One that comes while it is still stuck does not wait.
        let late = try await holders()
        await loop.run()
        #expect(await isFailed(late))
        // Two: for the thread that is stuck, and for the next look-up.
        write(ends[1], "xx", 2)
        while true {
            let next = try await holders()
            await loop.run()
            if await isFailed(next) { continue }
            #expect(await batches.next() == 1)
            break
        }
    }

    @Test("a search that would take too long is abandoned")
    func bounded() throws {
        let mount = try #require(SocketHolders.mountOfSockets())
        let search = SocketHolders(of: [1], mount: mount, deadline: .now - .seconds(1))
        #expect(throws: SocketHolders.Failure.tooSlow) { try search.find(among: [getpid()]) }
        #expect(throws: SocketHolders.Failure.tooManyProcesses(limit: 4096)) {
            try search.find(among: Array(repeating: 1, count: 4097))
        }
        // A process that has exited has no files.
        #expect(
            try SocketHolders(of: [1], mount: mount, deadline: .now + .seconds(9)).find(among: [Int32.max]).isEmpty)
    }

    @Test("a control group is found by its id, and a cached one is not used after its end")
    func controlGroups() throws {
        let directory = try TemporaryDirectory()
        // The files of a hierarchy, in a directory.
        func make(_ path: String, _ processes: String) throws -> UInt64 {
            let group = directory.path + path
            var made = directory.path
            for part in path.split(separator: "/") {
                made += "/\(part)"
                mkdir(made, 0o755)
            }
            let file = open(group + "/cgroup.procs", O_CREAT | O_WRONLY | O_TRUNC, 0o644)
            try #require(file >= 0)
            write(file, processes, processes.utf8.count)
            close(file)
            var status = stat()
            try #require(stat(group, &status) == 0)
            return UInt64(status.st_ino)
        }
        let own = try make("/user.slice/user-1000.slice/session-1.scope", "7\n8\n")
        let other = try make("/user.slice/user-1001.slice/session-2.scope", "9\n")
        let system = try make("/system.slice/weather.service", "10\n")
        var groups = ControlGroups(root: directory.path)
        #expect(!groups.isUnified)
        #expect(groups.processes(in: own, of: 1000) == [7, 8])
        #expect(groups.processes(in: other, of: 1000) == [9])
        #expect(groups.processes(in: system, of: 1000) == [10])
        #expect(groups.processes(in: .max, of: 1000) == nil)
        unlink(directory.path + "/system.slice/weather.service/cgroup.procs")
        rmdir(directory.path + "/system.slice/weather.service")
        #expect(groups.processes(in: system, of: 1000) == nil)
    }
}
